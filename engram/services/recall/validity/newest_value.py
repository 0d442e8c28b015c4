"""Which of several statements about one thing comes first: the newest one that states a value.

A turn is raw text: nobody has decided that what it says replaces what was said before, so nothing is withheld here. But
an answer whose first line is an old value is acted on, so among the first candidates a newer statement that gives
another value of the same kind goes before the older one that shares its part of the question.
"""

import datetime as dt
import math
from collections import Counter
from collections.abc import Collection
from collections.abc import Mapping
from collections.abc import Sequence
from typing import NamedTuple

from engram.language.compare.slots.slots import canonical
from engram.language.compare.slots.slots import holds_several
from engram.language.compare.slots.slots import single_valued
from engram.language.compare.slots.value_questions import asks_for_value
from engram.language.compare.updates.update_statement import Reading
from engram.language.compare.updates.update_statement import read_statement
from engram.language.compare.updates.update_values import Value
from engram.language.names.new_entities import is_no_name
from engram.language.names.spans import PLAIN_NAMES
from engram.language.names.spans import find_names
from engram.language.terms.terms import terms
from engram.language.text.statements import Statement
from engram.language.text.statements import split_statements
from engram.model.document import Document
from engram.model.fact import Fact
from engram.rules.recall.fusion import Fused
from engram.rules.temporal import holds_now
from engram.rules.writes.succession import begins_at

_FIRST = 12  # candidates that are looked at; an answer shows about as many
_POOL = 60  # candidates by which it is judged how much a word of the question tells
_READ_CHARS = 1500  # of a text
_NEAR = 0.4  # least score of the newer statement, as a share of the older one's
_SLOT_NEAR = 0.6  # least score of a fact that changes places with a better one of its slot, as a share of that one's
_SHARED = 0.25  # least share of what the older one has of the question that the newer one has too
# Measured by words on long chats, of 51 questions whose answer changed: the newer statement stands before the older one
# in 41. The price: the first place often goes to another newer value than the right one.


class _Statement(NamedTuple):
    """One candidate as it is compared."""

    text: str
    score: float
    moment: tuple[float, int]  # when it was said: seconds, place in its session
    session: str | None
    asked: frozenset[str]  # terms of the question that stand in it
    reading: Reading


def newest_of_slots_first(
    ranked: Sequence[Fused], facts: Mapping[str, Fact], question: str, now: dt.datetime
) -> list[Fused]:
    """Return candidates with the facts of each slot in the places of that slot, the newest that holds now first.

    Two live facts of one slot are a tension; the later one is the better guess. Only facts that fit the question about
    as well as each other change places, and only of an attribute that holds one value: one that is known to, or any
    that is not known to hold several when the question asks for one. What holds the value that the question names stays
    where it is, and so do facts without a slot and everything else.
    """
    asked, wants_one = frozenset(terms(question)), asks_for_value(question)
    slots: dict[tuple[str, str], list[int]] = {}
    for place, one in enumerate(ranked):
        fact = facts.get(one.id)
        if fact is None or not fact.attribute or _names(asked, fact.value):
            continue
        if single_valued(fact.attribute) or (wants_one and not holds_several(fact.attribute)):
            slots.setdefault((fact.entity, canonical(fact.attribute)), []).append(place)
    ordered = list(ranked)
    for places in slots.values():
        to_come = any(not holds_now(facts[ranked[place].id], now) for place in places)
        for near in [places] if to_come else _near(places, ranked):  # what holds goes before a plan, however it scores
            rank = {ranked[place].id: _newness(facts[ranked[place].id], now) for place in near}
            newest = sorted((ranked[place] for place in near), key=lambda one: rank[one.id], reverse=True)
            for place, one in zip(near, newest, strict=True):
                ordered[place] = one
    return ordered


def _newness(fact: Fact, now: dt.datetime) -> tuple[bool, dt.datetime]:
    return holds_now(fact, now), begins_at(fact, now)


def _near(places: Sequence[int], ranked: Sequence[Fused]) -> list[list[int]]:
    """Return the places in runs, each of scores that hardly differ from the first one's."""
    runs: list[list[int]] = []
    for place in places:
        if runs and ranked[place].score >= _SLOT_NEAR * ranked[runs[-1][0]].score:
            runs[-1].append(place)
        else:
            runs.append([place])
    return runs


def _names(asked: Collection[str], value: str | None) -> bool:
    """Tell whether a question has all the words of a value."""
    said = frozenset(terms(value or ""))
    return bool(said) and said <= frozenset(asked)


def newest_first(ranked: Sequence[Fused], documents: Mapping[str, Document], question: str) -> list[Fused]:
    """Return candidates with newer values before older ones of the same thing; the same candidates, no other moved.

    Only for a question that asks for one value that holds now, and only what a person said: an assistant repeats.
    """
    head = list(ranked[:_FIRST])
    if len(head) < 2 or not asks_for_value(question):
        return list(ranked)
    weights = _weights(question, [documents[one.id] for one in ranked[:_POOL]])
    read = {one.id: _read(one.score, documents[one.id], weights) for one in head if _may_speak(documents[one.id])}
    named = frozenset(term for span in find_names(question) if span.form in PLAIN_NAMES for term in terms(span.name))
    for newer in sorted(read, key=lambda key: read[key].moment):
        places = [one.id for one in head]
        place = places.index(newer)
        before = (key for key in places[:place] if key in read and _renews(read[newer], read[key], weights))
        older = next((key for key in before if _is_of_the_same(read[newer], read[key], named)), None)
        if older is not None:
            head.insert(places.index(older), head.pop(place))
    return head + list(ranked[_FIRST:])


def _is_of_the_same(newer: _Statement, older: _Statement, named: frozenset[str]) -> bool:
    """Tell whether the newer statement has every name of the question that the older one has: else it is of another.

    Whoever tells of a change seldom names again what is changed: "the deadline was extended to May 20".
    """
    if older.asked & named <= newer.asked:
        return True
    changed = (value for value in _fresh(newer.reading, older.reading) if newer.reading.has_cue(value))
    return any(not _names_another(newer, value) for value in changed)


def _names_another(statement: _Statement, value: Value) -> bool:
    """Tell whether the sentence of a value names something that the question does not, other than a day or a value."""
    values = [(one.start, one.end) for one in statement.reading.values]
    sentence = next(
        (one for one in split_statements(statement.text) if one.start <= value.start < one.end),
        Statement(0, len(statement.text), statement.text, ""),
    )
    return any(
        span.form in PLAIN_NAMES
        and not is_no_name(span.name)
        and not statement.asked.issuperset(terms(span.name))
        and not any(start <= sentence.start + span.start and sentence.start + span.end <= end for start, end in values)
        for span in find_names(statement.text[sentence.start : sentence.end])
    )


def _may_speak(document: Document) -> bool:
    return document.kind == "turn" and not document.by_assistant and document.at is not None


def _read(score: float, document: Document, weights: Mapping[str, float]) -> _Statement:
    text = document.text[:_READ_CHARS]
    moment = (document.at.timestamp() if document.at else 0.0, document.ordinal or 0)
    asked = frozenset(terms(text)).intersection(weights)
    return _Statement(text, score, moment, document.session, asked, read_statement(text))


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
    return any(
        any(_same_kind(value, other) for other in older.values) or newer.has_cue(value)
        for value in _fresh(newer, older)
    )


def _fresh(newer: Reading, older: Reading) -> list[Value]:
    """Return the values of the newer statement that the older one does not have."""
    known = {(value.kind, value.value) for value in older.values}
    return [value for value in newer.values if (value.kind, value.value) not in known]


def _same_kind(value: Value, other: Value) -> bool:
    return value.kind == other.kind and (value.kind != "count" or (bool(value.unit) and value.unit == other.unit))
