"""Facts that answer a question in its own words, among those that recall brings: "who is our contact?" names nobody.

Invariant: only what recall would bring is told, and nothing of what it doubts.
"""

from collections.abc import Iterable
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.language.compare.slots.said_answers import read_question
from engram.language.compare.slots.said_answers import says_answer
from engram.operations.answers.kept_promises import without_kept
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.services.facts.listing import Moment
from engram.services.facts.listing import fact_views
from engram.services.facts.questions import FOUND
from engram.services.recall.homes import homes_of
from engram.services.recall.query import RecallAnswer

_FACT: Final = "fact"  # kind of such hits


class SaidAnswer(NamedTuple):
    """What facts say in the words of a question."""

    found: dict[str, Any]  # "template", "entity" (None: they are about several), "answer", "facts": the newest first
    recalled: RecallAnswer  # with the hits that are told


def find_said(database: FactDatabase, question: str, recalled: RecallAnswer, moment: Moment) -> SaidAnswer | None:
    """Return the facts that answer a question in its own words, of those that recall brings; None when none does.

    Args:
        database: what is known.
        question: in plain words.
        recalled: what recall says to it.
        moment: when and as to whom it is asked.
    """
    asked = read_question(question)
    if asked is None or recalled.probably_unknown:
        return None
    brought = {hit.id: hit for hit in recalled.hits if hit.kind == _FACT}
    listed = database.list_facts(FactFilter(ids=tuple(brought))) if brought else []
    home_of = homes_of(database).of
    facts = [one for one in listed if says_answer(asked, one.text, _words_of(one.entity, home_of(one)))]
    facts.sort(key=lambda fact: (fact.valid_from, fact.recorded_at, fact.id), reverse=True)
    views = without_kept(database, fact_views(database, facts, moment), moment)
    if not views:
        return None
    hits = [brought[view["id"]] for view in views]
    about = {view["entity"] for view in views}
    entity = about.pop() if len(about) == 1 else None
    found = {"template": asked.form, "entity": entity, "answer": FOUND, "facts": views}
    return SaidAnswer(found, recalled._replace(hits=hits))


def newer_than(views: Iterable[dict[str, Any]], said: SaidAnswer) -> list[dict[str, Any]]:
    """Return the facts of `said` that hold from a later time than every one of these, and are none of them."""
    known = list(views)
    last = max(str(view["valid_from"]) for view in known)
    ids = {view["id"] for view in known}
    return [view for view in said.found["facts"] if view["id"] not in ids and view["valid_from"] > last]


def _words_of(*paths: str | None) -> str:
    """Return the names in the paths of entities as words."""
    return " ".join(path.partition("/")[2].replace("-", " ") for path in paths if path)
