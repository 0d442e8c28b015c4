"""Who may see what: one exit, or none, for each candidate."""

import datetime as dt
from typing import Any

import pytest

from engram.model.document import Document
from engram.rules.recall.eligibility import exit_of
from tests.making import DAY0
from tests.making import make_fact

BEFORE, AFTER = DAY0 - dt.timedelta(days=10), DAY0 + dt.timedelta(days=10)
LATER = AFTER + dt.timedelta(days=10)
SUPERSEDED: dict[str, Any] = {
    "status": "superseded",
    "known_to": AFTER,
    "valid_to": AFTER,
    "superseded_by": "people/anna-002",
    "beliefs": ({"until": AFTER, "status": "active", "trust": "trusted"},),
}
PLANNED = make_fact(valid_from=LATER + dt.timedelta(days=1))
ENDED = make_fact(valid_to=AFTER)


def document(kind: str = "fact", **fields: Any) -> Document:
    return Document.model_validate({"id": "x", "kind": kind, "text": "x", "indexed_text": "x", "at": DAY0, **fields})


@pytest.mark.parametrize(
    ("fact", "as_of", "as_known", "expected"),
    [
        (make_fact(), None, None, ""),
        (make_fact(**SUPERSEDED), None, None, "superseded"),
        (make_fact(status="retracted", known_to=AFTER, was_wrong=True), None, None, "retracted"),
        (make_fact(status="pending"), None, None, "pending"),
        (make_fact(status="pending"), LATER, LATER, "pending"),
        (make_fact(trust="quarantined"), None, None, "quarantined"),
        (make_fact(trust="quarantined"), LATER, None, "quarantined"),
        (None, None, None, "forgotten"),
        (make_fact(**SUPERSEDED), DAY0, None, ""),
        (make_fact(**SUPERSEDED), LATER, None, "out_of_time"),
        (make_fact(**SUPERSEDED), None, DAY0, ""),
        (make_fact(**SUPERSEDED), None, LATER, "out_of_time"),
        (make_fact(), BEFORE, None, "out_of_time"),
        (make_fact(), None, BEFORE, "out_of_time"),
        (PLANNED, None, None, ""),
        (PLANNED, None, LATER, "out_of_time"),
        (ENDED, None, None, "ended"),
        (ENDED, DAY0, None, ""),
    ],
)
def test_a_fact_leaves_by_what_the_store_says_of_it(
    fact: Any, as_of: dt.datetime | None, as_known: dt.datetime | None, expected: str
) -> None:
    assert exit_of(document(), fact, scopes={"shared"}, as_of=as_of, as_known=as_known, now=LATER) == expected


def test_what_has_ended_stays_when_the_question_is_about_the_past_too() -> None:
    assert exit_of(document(), ENDED, scopes={"shared"}, as_of=None, as_known=None, now=LATER, ended=True) == ""


@pytest.mark.parametrize(
    ("fields", "moments", "expected"),
    [
        ({}, {}, ""),
        ({"live": False}, {}, "quarantined"),
        ({"scope": "session:other"}, {}, "out_of_scope"),
        ({"scope": "session:mine"}, {}, ""),
        ({}, {"as_of": BEFORE}, "out_of_time"),
        ({}, {"as_known": BEFORE}, "out_of_time"),
        ({}, {"as_of": LATER, "as_known": AFTER}, ""),
        ({"at": None}, {"as_of": BEFORE}, ""),
    ],
)
def test_raw_text_leaves_by_scope_trust_and_time(
    fields: dict[str, Any], moments: dict[str, dt.datetime], expected: str
) -> None:
    found = exit_of(
        document("turn", **fields),
        None,
        scopes={"shared", "session:mine"},
        as_of=moments.get("as_of"),
        as_known=moments.get("as_known"),
        now=LATER,
    )

    assert found == expected


def test_a_private_fact_stays_private_whatever_else_it_is() -> None:
    private = document(scope="session:other", live=False)

    found = exit_of(private, make_fact(trust="quarantined"), scopes={"shared"}, as_of=None, as_known=None, now=LATER)

    assert found == "out_of_scope"
