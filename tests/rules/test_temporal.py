"""The two time axes as a decision table."""

import datetime as dt
from typing import Any

import pytest

from engram.rules.temporal import as_believed
from engram.rules.temporal import due_at
from engram.rules.temporal import ends_at
from engram.rules.temporal import holds_now
from engram.rules.temporal import standing
from engram.rules.temporal import visible
from engram.rules.temporal import with_belief
from engram.rules.temporal import written_due
from engram.rules.temporal import written_overdue
from tests.making import make_fact

UTC = dt.UTC


def day(number: int) -> dt.datetime:
    return dt.datetime(2026, 1, number, tzinfo=UTC)


PLAIN: dict[str, Any] = {"valid_from": day(5), "recorded_at": day(10)}
BELIEVED: dict[str, Any] = {"beliefs": ({"until": day(20), "status": "active", "trust": "trusted"},)}
CHANGED: dict[str, Any] = {
    **PLAIN,
    **BELIEVED,
    "status": "superseded",
    "superseded_by": "people/anna-002",
    "known_to": day(20),
    "valid_to": day(15),
}
CORRECTED = {
    **PLAIN,
    **BELIEVED,
    "status": "superseded",
    "superseded_by": "people/anna-002",
    "known_to": day(20),
    "was_wrong": True,
}
RETRACTED = {**PLAIN, **BELIEVED, "status": "retracted", "known_to": day(20), "was_wrong": True}
ENDED = {**PLAIN, "valid_to": day(8)}
PENDING = {**PLAIN, "status": "pending"}
DISMISSED = {
    **RETRACTED,
    "trust": "quarantined",
    "beliefs": ({"until": day(20), "status": "pending", "trust": "quarantined"},),
}
RELEASED = {
    **PLAIN,
    "trust": "unverified",
    "beliefs": ({"until": day(20), "status": "pending", "trust": "quarantined"},),
}
UNDONE = {  # superseded on day 15, and that was taken back on day 20
    **PLAIN,
    "beliefs": (
        {"until": day(15), "status": "active", "trust": "trusted"},
        {
            "until": day(20),
            "status": "superseded",
            "superseded_by": "people/anna-002",
            "known_to": day(15),
            "valid_to": day(12),
            "trust": "trusted",
        },
    ),
}

OWED = {**PLAIN, "category": "commitment", "text": "I'll send the draft by 8 January", "valid_to": day(8)}
COVERED = {**OWED, "text": "I cover Bo's shifts until 8 January"}
KEPT = {  # owed until something took its place on day 20
    **OWED,
    "status": "superseded",
    "superseded_by": "people/anna-002",
    "known_to": day(20),
    "valid_to": day(20),
    "beliefs": ({"until": day(20), "status": "active", "trust": "trusted", "valid_to": day(8)},),
}

TABLE: list[tuple[str, dict[str, Any], int | None, int | None, bool]] = [
    # what, fields, as of (day), as known (day), visible
    ("a live fact is current", PLAIN, None, 10, True),
    ("it was not known before it was recorded", PLAIN, None, 9, False),
    ("it was true before it was recorded", PLAIN, 7, None, True),
    ("but not before it began", PLAIN, 4, None, False),
    ("a changed fact is not current", CHANGED, None, 20, False),
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
    ("nor has it ended while it lasts", ENDED, None, 11, False),
    ("what waits for a person is never part of an answer", PENDING, 12, 18, False),
    ("what was quarantined until it was dismissed is in no past", DISMISSED, 12, 18, False),
    ("what was released was not believed before", RELEASED, 12, 18, False),
    ("but is from then on", RELEASED, 12, 20, True),
    ("what was undone holds again", UNDONE, 14, 25, True),
    ("while it was superseded, that was believed", UNDONE, 14, 18, False),
    ("and for its own time it held", UNDONE, 11, 18, True),
    ("a promise is owed after its day", OWED, 9, None, True),
    ("whatever was known", OWED, None, 11, True),
    ("one that lasts until its day is over then", COVERED, 9, None, False),
    ("a promise that was kept was owed until then", KEPT, 15, None, True),
    ("as far as was known, too", KEPT, None, 19, True),
    ("and not after it", KEPT, 21, None, False),
]


@pytest.mark.parametrize(("what", "fields", "as_of", "as_known", "expected"), TABLE)
def test_visibility(what: str, fields: dict[str, Any], as_of: int | None, as_known: int | None, expected: bool) -> None:
    fact = make_fact(**fields)

    seen = visible(fact, as_of=day(as_of) if as_of else None, as_known=day(as_known) if as_known else None)

    assert expected == seen, what


def test_a_fact_as_it_was_believed_bears_no_trace_of_what_came_later() -> None:
    fact = make_fact(**CHANGED)

    then = as_believed(fact, day(18))

    assert then is not None
    assert (then.status, then.superseded_by, then.known_to, then.valid_to) == ("active", None, None, None)
    assert as_believed(fact, day(21)) == fact
    assert as_believed(fact, None) == fact
    assert as_believed(fact, day(9)) is None


def test_sound_02_a_change_keeps_what_was_believed_before_it() -> None:
    fact = make_fact(**PLAIN)
    retired = fact.model_copy(update={"status": "superseded", "valid_to": day(15), "known_to": day(20)})

    once = with_belief(fact, retired, day(20))
    again = with_belief(once, fact, day(25))

    assert [(one.until, one.status, one.valid_to) for one in again.beliefs] == [
        (day(20), "active", None),
        (day(25), "superseded", day(15)),
    ]
    assert with_belief(again, again.model_copy(update={"entity": "people/bo"}), day(26)).beliefs == again.beliefs


@pytest.mark.parametrize(
    ("what", "fields", "at", "expected"),
    [
        ("it has begun and has no end", PLAIN, 11, "active"),
        ("it begins later", {**PLAIN, "valid_from": day(12)}, 11, "planned"),
        ("it begins at this moment", {**PLAIN, "valid_from": day(11)}, 11, "active"),
        ("it ends later", {**PLAIN, "valid_to": day(12)}, 11, "active"),
        ("it ends at this moment", {**PLAIN, "valid_to": day(11)}, 11, "ended"),
        ("it is over", ENDED, 11, "ended"),
        (
            "a clock that was ahead wrote it, without a beginning",
            {"valid_from": day(20), "recorded_at": day(20)},
            11,
            "active",
        ),
        ("it was replaced", CHANGED, 21, "superseded"),
        ("it waits", PENDING, 11, "pending"),
    ],
)
def test_sound_01_holds_now_means_active_begun_and_not_ended(
    what: str, fields: dict[str, Any], at: int, expected: str
) -> None:
    fact = make_fact(**fields)

    assert standing(fact, day(at)) == expected, what
    assert holds_now(fact, day(at)) == (expected == "active"), what


def test_the_day_of_a_promise_is_when_it_is_due_and_no_end() -> None:
    owed, covered, planned = make_fact(**OWED), make_fact(**COVERED), make_fact(**OWED, superseded_by="people/anna-002")

    assert (ends_at(owed), due_at(owed)) == (None, day(8))
    assert (ends_at(covered), due_at(covered)) == (day(8), None)
    assert (ends_at(planned), due_at(planned)) == (day(8), None)  # where the plan begins
    assert (ends_at(make_fact(**ENDED)), due_at(make_fact(**ENDED))) == (day(8), None)


@pytest.mark.parametrize(
    ("fields", "at", "expected"),
    [
        ({}, day(8) + dt.timedelta(hours=23), ""),  # the day is not over
        ({}, day(9), "2026-01-08"),
        ({"valid_to": day(9) - dt.timedelta(seconds=1)}, day(9), "2026-01-08"),
        ({"valid_to_precision": "month"}, day(9), "2026-01"),
        ({"status": "retracted", "known_to": day(9)}, day(9), ""),
        ({"valid_from": day(10)}, day(9), ""),
        ({"valid_to": None}, day(9), ""),
        ({"text": COVERED["text"]}, day(9), ""),
    ],
)
def test_a_promise_is_overdue_from_the_end_of_its_day_on(
    fields: dict[str, Any], at: dt.datetime, expected: str
) -> None:
    assert written_overdue(make_fact(**{**OWED, "recorded_at": day(1), **fields}), at, dt.UTC) == expected


def test_a_day_is_over_where_the_workspace_is() -> None:
    west, due = dt.timezone(dt.timedelta(hours=-8)), day(9) + dt.timedelta(hours=7, minutes=59)
    fact = make_fact(**{**OWED, "valid_to": due})

    assert written_due(fact, west) == "2026-01-08"
    assert written_overdue(fact, day(9) + dt.timedelta(hours=7), west) == ""
    assert written_overdue(fact, day(9) + dt.timedelta(hours=9), west) == "2026-01-08"
