"""What became of what a hit says: the version before a fact, and what holds now in the place of a raw statement."""

import re
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import NamedTuple

from engram.base.text import fingerprint
from engram.model.document import Document
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.fact import Trust
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.rules.temporal import was_believed
from engram.rules.writes.derivation import is_less_trusted

_RETIRED = frozenset({Status.SUPERSEDED, Status.RETRACTED})
_BESIDE = 3  # words beside a statement, such as a speaker's name, with which a raw text still says nothing else
_WORD = re.compile(r"\w+")


class SupersededStatement(NamedTuple):
    """A statement that does not hold any more, as raw text may still say it."""

    fact: Fact
    now: Fact | None  # the live end of its chain; None when there is none (retracted, or private)


def find_retired(database: FactDatabase, ids: Iterable[str], scopes: Sequence[str]) -> list[SupersededStatement]:
    """Return which of these facts are superseded or retracted, each with what holds now and may be seen."""
    facts = _facts(database, ids)
    gone = [fact for fact in facts.values() if fact.status in _RETIRED and was_believed(fact)]
    successors = _facts(database, (fact.superseded_by for fact in gone if fact.superseded_by))
    return [SupersededStatement(fact, _live_end(database, fact, successors, scopes)) for fact in gone]


def retired_in(document: Document, retired: Iterable[SupersededStatement]) -> SupersededStatement | None:
    """Return the retired statement that a raw text says word for word, or None. The longest counts.

    A statement that is trusted less than the text does not count: the owner has not taken back what a stranger did.
    """
    said, trust = f" {_words(document.text)} ", Trust(document.trust)
    counting = (one for one in retired if not is_less_trusted(one.fact.trust, trust))
    found = [one for one in counting if f" {_words(one.fact.text)} " in said]
    return max(found, key=lambda one: (len(one.fact.text), one.fact.id), default=None)


def says_only(document: Document, one: SupersededStatement) -> bool:
    """Tell whether the retired statement is about all that a raw text says."""
    return _words(document.text).count(" ") - _words(one.fact.text).count(" ") <= _BESIDE


def _words(text: str) -> str:
    """Return a text as words alone, without markup and punctuation."""
    return " ".join(_WORD.findall(fingerprint(text)))


def former_versions(database: FactDatabase, facts: Mapping[str, Fact], scopes: Sequence[str]) -> dict[str, Fact]:
    """Return, by fact id, the version that each fact took the place of, when the world changed (not a correction).

    Only what may be seen: in these scopes, and no attempt to give orders.
    """
    found = _facts(database, (key for fact in facts.values() for key in fact.supersedes[-1:]))
    before = {key: one for key, one in found.items() if one.scope in scopes and one.trust != Trust.QUARANTINED}
    return {
        fact.id: before[fact.supersedes[-1]]
        for fact in facts.values()
        if fact.supersedes and fact.supersedes[-1] in before and not before[fact.supersedes[-1]].was_wrong
    }


def _facts(database: FactDatabase, ids: Iterable[str]) -> dict[str, Fact]:
    wanted = tuple(dict.fromkeys(ids))
    return {fact.id: fact for fact in database.list_facts(FactFilter(status="all", ids=wanted))} if wanted else {}


def _live_end(database: FactDatabase, fact: Fact, successors: Mapping[str, Fact], scopes: Sequence[str]) -> Fact | None:
    following = successors.get(fact.superseded_by or "")
    if following is not None and following.status == Status.SUPERSEDED:
        following = next((one for one in reversed(database.lineage(fact.lineage)) if one.status == Status.ACTIVE), None)
    visible = following is not None and following.status == Status.ACTIVE and following.scope in scopes
    return following if visible else None
