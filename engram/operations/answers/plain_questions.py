"""`ask`: a question answered by facts, of a fixed form or in its words, or else by what recall brings, which is said.

Invariant: what recall brings stands apart from the facts that answer. Of what is doubted the nearest alone is shown, or
a few hits where the question names an entity that they may be about.
"""

from collections.abc import Mapping
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.base.text import parse_entity_path
from engram.errors import UnknownEntityError
from engram.errors import UsageError
from engram.operations.answers.ask import log_answers
from engram.operations.answers.ask import make_query
from engram.operations.answers.ask import recalling
from engram.operations.answers.kept_promises import without_kept
from engram.operations.answers.said_answers import find_said
from engram.operations.answers.said_answers import newer_than
from engram.operations.answers.what_holds import with_what_holds
from engram.services.facts.listing import Moment
from engram.services.facts.questions import NOTHING_KNOWN
from engram.services.facts.questions import TEMPLATES
from engram.services.graph.ask_plainly import AnsweredWords
from engram.services.graph.ask_plainly import answer_words
from engram.services.graph.entity_graph import GraphQuery
from engram.services.graph.ontology_file import read_ontology
from engram.services.recall.query import RecallAnswer
from engram.services.recall.query import hit_json
from engram.workspace import Workspace

_LOOKED_AT: Final = 10  # hits among which facts may answer in the words of the question
_MOST_RECALLED: Final = 3  # of them in place of an answer
_MOST_DOUBTED: Final = 1  # of them when they probably do not answer and the question names nobody known
_FORM_AND_NAME: Final = 2  # words of such a question
_ANSWERED_OTHERWISE: Final = (UsageError, UnknownEntityError)  # just these: whoever is ambiguous is asked back


class Told(NamedTuple):
    """What is told to a question."""

    found: dict[str, Any]  # "template", "entity" (None: the words have none), "answer", "facts"
    is_narrowed: bool  # see `AnsweredWords`
    heard: str  # see `AnsweredWords`
    recalled: RecallAnswer | None = None  # what recall brings when no fact answers; None: not asked, or nothing
    why: str = ""  # the words have no form, or name no entity

    def as_json(self) -> dict[str, Any]:
        """Return the JSON shape of the command line; `heard` and `recalled` stand there only when there is such."""
        shown = dict(self.found)
        if self.heard:
            shown["heard"] = self.heard
        if self.recalled is not None:
            hits = [hit_json(hit) for hit in self.recalled.hits]
            shown["recalled"] = {"hits": hits, "probably_unknown": self.recalled.probably_unknown}
        return shown


def answer_plainly(workspace: Workspace, words: tuple[str, ...], moment: Moment, given: Mapping[str, Any]) -> Told:
    """Return what the facts say to a question, or else what recall brings.

    Who asks in the words TEMPLATE ENTITY WORDS wants facts with just these words, and gets those or none.

    Args:
        workspace: what is known.
        words: of the question.
        moment: when and as to whom it is asked.
        given: who asks, as recall takes it: session, agent.

    Raises:
        UsageError: the words are of no form, and recall brings nothing.
        UnknownEntityError, AmbiguousNameError: they name no entity, and recall brings nothing; or several.
    """
    try:
        told = Told(*_from_facts(workspace, words, moment))
    except (UsageError, UnknownEntityError) as refusal:
        if _is_form_and_name(words) or type(refusal) not in _ANSWERED_OTHERWISE:
            raise
        nothing: dict[str, Any] = {"template": None, "entity": None, "answer": NOTHING_KNOWN, "facts": []}
        told = _said(workspace, words, moment, given, Told(nothing, is_narrowed=False, heard="", why=refusal.message))
        if not told.found["facts"] and told.recalled is None:
            why = f"{refusal.message}, and recall finds nothing about it"
            raise type(refusal)(why, hint="engram entity list shows what is known") from refusal
        return told
    facts = told.found["facts"]
    if told.is_narrowed or (facts and (_is_form_and_name(words) or any(view["attribute"] for view in facts))):
        return told
    return _said(workspace, words, moment, given, told)


def _is_form_and_name(words: tuple[str, ...]) -> bool:
    """Tell whether a question is a form and a name, of which one is not known: no plain words."""
    return len(words) == _FORM_AND_NAME and (words[0] in TEMPLATES or parse_entity_path(words[1]) is not None)


def _from_facts(workspace: Workspace, words: tuple[str, ...], moment: Moment) -> AnsweredWords:
    ontology = read_ontology(workspace.files)
    with workspace.reading() as database:
        answered = answer_words(database, words, GraphQuery(moment, ontology=ontology))
        kept = without_kept(database, answered.found["facts"], moment)
        answered.found["facts"] = with_what_holds(database, kept, moment) if kept else kept
    return answered


def _said(workspace: Workspace, words: tuple[str, ...], moment: Moment, given: Mapping[str, Any], told: Told) -> Told:
    """Return what is told, with the facts that answer in the question's own words, or else with what recall brings.

    Where facts of the form answer already, which fill no attribute, only newer ones are added.
    """
    question = " ".join(words)
    query = make_query(workspace, {"query": question, "k": _LOOKED_AT, **given})
    with recalling(workspace, query.query) as memory:
        recalled = memory.answer(query)
    with workspace.reading() as database:
        said = None if _is_form_and_name(words) else find_said(database, question, recalled, moment)
    facts = told.found["facts"]
    if said is not None:
        newer = newer_than(facts, said) if facts else said.found["facts"]
        if newer:
            log_answers(workspace, [(query, said.recalled)])
            found = {**told.found, "facts": [*newer, *facts]} if facts else said.found
            return Told(found, is_narrowed=False, heard=told.heard)
    if facts or not recalled.hits:
        return told
    most = _MOST_DOUBTED if recalled.probably_unknown and told.why else _MOST_RECALLED
    shown = recalled._replace(hits=recalled.hits[:most])
    log_answers(workspace, [(query, shown)])
    return told._replace(recalled=shown)
