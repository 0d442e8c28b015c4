"""Candidates of a question about the past: what held then is asked for before the legs are cut.

The index holds every version of every fact, and knows of each when it began, not when it was believed. Nearly always
the first page of a leg is enough. Where too little of it held then, only what held is searched, when that is little;
when it is much, the leg is read on, to the last document that shares a word with the question if need be.
"""

import datetime as dt
from collections.abc import Mapping
from collections.abc import Sequence
from itertools import count
from typing import Final

from engram.model.document import OF_STORE
from engram.model.document import Document
from engram.model.fact import Fact
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.ports.index import Candidate
from engram.ports.index import SearchFilter
from engram.ports.index import VectorIndex
from engram.rules.recall.eligibility import OUT_OF_TIME
from engram.rules.recall.eligibility import exit_of
from engram.services.facts.held_at import held_at
from engram.services.facts.held_at import single_slot
from engram.services.recall.query import RecallQuery

_FEW: Final = 20_000  # facts that can be searched by themselves
_GROWTH: Final = 4  # of a page over the one before it
_PAGES_BY_MEANING: Final = 2  # beyond, only words go on: in meaning every document is near to some degree


class PastSearch:
    """Searches an index for what held at the moments that one question names."""

    def __init__(self, index: VectorIndex, database: FactDatabase, asked: RecallQuery, now: dt.datetime) -> None:
        """Take what is searched, the question, and when it is asked."""
        self._now = now
        self._index = index
        self._database = database
        self._asked = asked
        self._facts: dict[str, Fact] = {}

    def search(self, question: str, wanted: SearchFilter, *, limit: int) -> Mapping[str, list[Candidate]]:
        """Return of each leg what held then, and, to explain, what of its first page did not."""
        first = self._index.search(question, wanted, limit=limit)
        legs = {leg: self._held(candidates) for leg, candidates in first.items()}
        if not _is_enough(first, legs, limit, limit):
            held = self._held_ids(wanted)
            if held is None:
                legs |= self._read_on(question, wanted, limit, limit * _GROWTH)
            elif held:
                legs |= self._read_on(question, wanted._replace(ids=held), limit, limit)
        return {leg: _with(candidates, first[leg]) for leg, candidates in legs.items()}

    def _read_on(self, question: str, wanted: SearchFilter, limit: int, size: int) -> dict[str, list[Candidate]]:
        """Return what held then of the first `size` candidates of each leg, or of as many more as it takes."""
        legs: dict[str, list[Candidate]] = {}
        for page in count(1):
            found = self._index.search(question, wanted, limit=size, by_meaning=page <= _PAGES_BY_MEANING)
            legs |= {leg: self._held(candidates)[:limit] for leg, candidates in found.items()}
            if _is_enough(found, legs, limit, size):
                break
            size *= _GROWTH
        return legs

    def _held_ids(self, wanted: SearchFilter) -> tuple[str, ...] | None:
        """Return what held then of what the store knows, when it is not much; None also where other text is wanted."""
        if not set(wanted.kinds) <= OF_STORE:
            return None
        held = self._database.held_ids(self._asked.as_of, self._asked.as_known, _FEW)
        if held is None:
            return None
        return tuple(key for key in held if key in wanted.ids) if wanted.ids else tuple(held)

    def _held(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        stored = [one.document.id for one in candidates if one.document.kind in OF_STORE]
        if unknown := tuple(key for key in stored if key not in self._facts):
            self._facts |= {one.id: one for one in self._database.list_facts(FactFilter(status="all", ids=unknown))}
        return [one for one in candidates if not self._exit(one.document)]

    def _exit(self, document: Document) -> str:
        asked = self._asked
        fact = self._facts.get(document.id)
        scopes = asked.searched_scopes()
        return exit_of(document, fact, scopes=scopes, as_of=asked.as_of, as_known=asked.as_known, now=self._now)


def _is_enough(
    found: Mapping[str, Sequence[Candidate]], held: Mapping[str, Sequence[Candidate]], limit: int, size: int
) -> bool:
    """Tell whether each leg that was searched to a size has as many candidates as may be, or no more."""
    return all(len(held[leg]) >= limit or len(candidates) < size for leg, candidates in found.items())


def replaced_then(database: FactDatabase, facts: Sequence[Fact], asked: RecallQuery) -> dict[str, str]:
    """Return the exit of those facts whose slot held another value at the moment of the world that is asked about."""
    entities = tuple(sorted({fact.entity for fact in facts if single_slot(fact) is not None}))
    if asked.as_of is None or not entities:
        return {}
    every = database.list_facts(FactFilter(status="all", entities=entities, scopes=asked.visible_scopes()))
    held = {fact.id for fact in held_at(every, asked.as_of, asked.as_known)}
    return {fact.id: OUT_OF_TIME for fact in facts if fact.entity in entities and fact.id not in held}


def _with(candidates: Sequence[Candidate], others: Sequence[Candidate]) -> list[Candidate]:
    known = {one.document.id for one in candidates}
    return [*candidates, *(one for one in others if one.document.id not in known)]
