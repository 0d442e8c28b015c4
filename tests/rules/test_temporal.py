"""The two time axes as a decision table."""

import datetime as dt
from typing import Any

import pytest

from engram.rules.temporal import as_believed
from engram.rules.temporal import visible
from tests.making import make_fact

UTC = dt.UTC


def day(number: int) -> dt.datetime:
    return dt.datetime(2026, 1, number, tzinfo=UTC)


PLAIN: dict[str, Any] = {"valid_from": day(5), "recorded_at": day(10)}
CHANGED: dict[str, Any] = {
    **PLAIN,
    "status": "superseded",
    "superseded_by": "people/anna-002",
    "known_to": day(20),
    "valid_to": day(15),
}
CORRECTED = {
    **PLAIN,
    "status": "superseded",
    "superseded_by": "people/anna-002",
    "known_to": day(20),
    "was_wrong": True,
}
RETRACTED = {**PLAIN, "status": "retracted", "known_to": day(20), "was_wrong": True}
ENDED = {**PLAIN, "valid_to": day(8)}
PENDING = {**PLAIN, "status": "pending"}

TABLE: list[tuple[str, dict[str, Any], int | None, int | None, bool]] = [
    # what, fields, as of (day), as known (day), visible
    ("a live fact is current", PLAIN, None, None, True),
    ("it was not known before it was recorded", PLAIN, None, 9, False),
    ("it was true before it was recorded", PLAIN, 7, None, True),
    ("but not before it began", PLAIN, 4, None, False),
    ("a changed fact is not current", CHANGED, None, None, False),
    ("it was current as far as was known then", CHANGED, None, 12, True),
    ("it stays true for its own time", CHANGED, 12, None, True),
    ("and not after the change", CHANGED, 16, None, False),
    ("before the change was known it was still true then", CHANGED, 16, 18, True),
    ("a corrected fact never held", CORRECTED, 12, None, False),
    ("but was believed", CORRECTED, 12, 18, True),
    ("a retracted fact never held", RETRACTED, 12, None, False),
    ("but was believed", RETRACTED, None, 18, True),
    ("an end that was given holds at every moment of knowledge", ENDED, 9, 11, False),
    ("within its time it holds", ENDED, 6, None, True),
    ("what waits for a person is never part of an answer", PENDING, 12, 18, False),
]


@pytest.mark.parametrize(("what", "fields", "as_of", "as_known", "expected"), TABLE)
def test_visibility(what: str, fields: dict[str, Any], as_of: int | None, as_known: int | None, expected: bool) -> None:
    fact = make_fact(**fields)

    seen = visible(fact, as_of=day(as_of) if as_of else None, as_known=day(as_known) if as_known else None)

    assert expected == seen, what


def test_a_fact_as_it_was_believed_bears_no_trace_of_what_came_later() -> None:
    fact = make_fact(**CHANGED)

    then = as_believed(fact, day(18))

    assert (then.status, then.superseded_by, then.known_to, then.valid_to) == ("active", None, None, None)
    assert fact == as_believed(fact, day(21))
    assert fact == as_believed(fact, None)
