"""Which of several statements about one thing comes first: the newest one that states a value.

A turn is raw text: nobody has decided that what it says replaces what was said before, so nothing is withheld here. But
an answer whose first line is an old value is acted on, so among the first candidates a newer statement that gives
another value of the same kind goes before the older one that shares its part of the question.
"""

import math
from collections import Counter
from collections.abc import Mapping
from collections.abc import Sequence
from typing import NamedTuple

from engram.language.asking import asks_for_value
from engram.language.lexical import terms
from engram.language.slots import canonical
from engram.language.update_values import Value
from engram.language.update_words import Reading
from engram.language.update_words import read_statement
from engram.model.document import Document
from engram.model.fact import Fact
from engram.rules.fusion import Fused

_FIRST = 12  # candidates that are looked at; an answer shows about as many
_POOL = 60  # candidates by which it is judged how much a word of the question tells
_READ_CHARS = 1500  # of a text
_NEAR = 0.4  # least score of the newer statement, as a share of the older one's
_SHARED = 0.25  # least share of what the older one has of the question that the newer one has too
# Measured on long chats (49 questions whose answer changed): the stale statement stood first in 22 answers and stands
# first in 4; the newer one stood before the older in 21 and stands so in 43 (with a share of .4: 8 and 38). The price:
# the first place often goes to another newer value than the right one; among the first ten nothing is lost.


class _Statement(NamedTuple):
    """One candidate as it is compared."""

    score: float
    moment: tuple[float, int]  # when it was said: seconds, place in its session
    session: str | None
    asked: frozenset[str]  # terms of the question that stand in it
    reading: Reading


def newest_of_slots_first(ranked: Sequence[Fused], facts: Mapping[str, Fact]) -> list[Fused]:
    """Return candidates with the facts of each slot in the places of that slot, the newest first.

    Two live facts of one slot are a tension, or values of which several hold; the later one is the better guess. Facts
    without a slot, and everything else, stay where they are.
    """
    places: dict[tuple[str, str], list[int]] = {}
    for place, one in enumerate(ranked):
        fact = facts.get(one.id)
        if fact is not None and fact.attribute:
            places.setdefault((fact.entity, canonical(fact.attribute)), []).append(place)
    ordered = list(ranked)
    for slot in (slot for slot in places.values() if len(slot) > 1):
        newest = sorted((ranked[place] for place in slot), key=lambda one: facts[one.id].valid_from, reverse=True)
        for place, one in zip(slot, newest, strict=True):
            ordered[place] = one
    return ordered


def newest_first(ranked: Sequence[Fused], documents: Mapping[str, Document], question: str) -> list[Fused]:
    """Return candidates with newer values before older ones of the same thing; the same candidates, no other moved.

    Only for a question that asks for one value that holds now, and only what a person said: an assistant repeats.
    """
    head = list(ranked[:_FIRST])
    if len(head) < 2 or not asks_for_value(question):
        return list(ranked)
    weights = _weights(question, [documents[one.id] for one in ranked[:_POOL]])
    read = {one.id: _read(one.score, documents[one.id], weights) for one in head if _may_speak(documents[one.id])}
    for newer in sorted(read, key=lambda key: read[key].moment):
        places = [one.id for one in head]
        place = places.index(newer)
        older = next((key for key in places[:place] if key in read and _renews(read[newer], read[key], weights)), None)
        if older is not None:
            head.insert(places.index(older), head.pop(place))
    return head + list(ranked[_FIRST:])


def _may_speak(document: Document) -> bool:
    return document.kind == "turn" and not document.by_assistant and document.at is not None


def _read(score: float, document: Document, weights: Mapping[str, float]) -> _Statement:
    text = document.text[:_READ_CHARS]
    moment = (document.at.timestamp() if document.at else 0.0, document.ordinal or 0)
    return _Statement(
        score, moment, document.session, frozenset(terms(text)).intersection(weights), read_statement(text)
    )


def _weights(question: str, pool: Sequence[Document]) -> dict[str, float]:
    """Return how much each term of the question tells: little when nearly every candidate has it."""
    asked = frozenset(terms(question))
    holders = Counter(term for document in pool for term in asked.intersection(terms(document.text[:_READ_CHARS])))
    count = len(pool)
    return {term: math.log1p((count - holders[term] + 0.5) / (holders[term] + 0.5)) for term in asked}


def _renews(newer: _Statement, older: _Statement, weights: Mapping[str, float]) -> bool:
    if newer.moment <= older.moment or newer.score < _NEAR * older.score:
        return False
    theirs = math.fsum(weights[term] for term in older.asked)
    both = math.fsum(weights[term] for term in older.asked & newer.asked)
    return both >= _SHARED * theirs > 0 and _gives_another_value(newer.reading, older.reading)


def _gives_another_value(newer: Reading, older: Reading) -> bool:
    """Tell whether the newer statement has a value that the older one has another of, or tells of a change to one."""
    known = {(value.kind, value.value) for value in older.values}
    fresh = [value for value in newer.values if (value.kind, value.value) not in known]
    return any(any(_same_kind(value, other) for other in older.values) or newer.has_cue(value) for value in fresh)


def _same_kind(value: Value, other: Value) -> bool:
    return value.kind == other.kind and (value.kind != "count" or (bool(value.unit) and value.unit == other.unit))
