"""Whom the facts of a model are about, whatever it calls them."""

from typing import Any

import pytest

from engram.heartbeat.extraction.subjects import entities_named
from engram.heartbeat.extraction.subjects import settle_subjects
from engram.language.names.mentions import Known
from engram.model.handoff import HandoffFact

KNOWN = [Known("projects/billing", ("Billing", "the billing service")), Known("people/anna", ("Anna Weiss", "Anna"))]
ROWS: list[dict[str, Any]] = [
    {"id": "t1", "text": "Billing runs in Frankfurt from now on.", "is_turn": True, "speaker": "user"},
    {"id": "t2", "text": "I prefer tabs. And I live in Bonn.", "is_turn": True, "speaker": "user"},
    {"id": "n1", "text": "- Deployed on Friday.", "headings": ["Log"], "home": "projects/shop", "home_title": "Shop"},
]


def about(entity: str, quote: str, *, entry: str | None = None, title: str | None = None) -> tuple[str, str | None]:
    fact = HandoffFact(entity=entity, fact=quote, quote=quote, entry=entry, title=title)
    (settled,) = settle_subjects([fact], ROWS, KNOWN, owner="people/anna")
    return settled.entity, settled.title


@pytest.mark.parametrize(
    ("entity", "title", "path"),
    [
        ("projects/billing", None, "projects/billing"),
        ("Billing", None, "projects/billing"),
        ("projects/the-billing-service", None, "projects/billing"),
        ("projects/billing-platform", "Billing", "projects/billing"),
        ("people/anna-weiss", "Anna Weiss", "people/anna"),
        ("projects/comet", "Comet", "projects/comet"),
    ],
)
def test_one_that_is_there_is_not_made_again(entity: str, title: str | None, path: str) -> None:
    assert about(entity, "Billing runs in Frankfurt", entry="t1", title=title)[0] == path


@pytest.mark.parametrize("entity", ["", "../../etc/passwd", "Nobody Known", "/", "things/x y"])
def test_whom_a_model_cannot_name_attribution_names(entity: str) -> None:
    assert about(entity, "Billing runs in Frankfurt", entry="t1") == ("projects/billing", None)
    assert about(entity, "I prefer tabs") == ("people/anna", None)
    assert about(entity, "Deployed on Friday.", entry="n1")[0] == "projects/shop"


def test_a_quote_that_stands_nowhere_is_left_to_be_refused() -> None:
    assert about("Nobody Known", "stands nowhere") == ("Nobody Known", None)


def test_only_entities_that_are_named_and_the_owner_are_shown() -> None:
    crowd = [Known(f"people/nobody-{number}", (f"Nobody {number}",)) for number in range(50)]
    home = Known("projects/shop", ("Shop",))

    shown = [one.path for one in entities_named(ROWS, [*KNOWN, *crowd, home], owner="people/anna")]
    assert shown == ["projects/billing", "people/anna", "projects/shop"]
    above: dict[str, Any] = {"id": "x", "text": "It moved.", "headings": ["Billing"], "before": "Nobody 7 asked."}
    assert [one.path for one in entities_named([above], [*KNOWN, *crowd], owner="")] == [
        "projects/billing",
        "people/nobody-7",
    ]
