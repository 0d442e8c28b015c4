"""Where the expected answer of a card stands, and what its runs tell."""

import datetime as dt
from typing import Any

from engram.model.card import Card
from engram.model.card import CardRun
from engram.model.document import Hit
from engram.rules.erasure import Forgotten
from engram.rules.erasure import TextEraser
from engram.rules.recall.cards import free_id
from engram.rules.recall.cards import is_found
from engram.rules.recall.cards import place_of
from engram.rules.recall.cards import tells_of
from engram.rules.recall.cards import trend
from engram.rules.recall.cards import with_run
from tests.cases import for_each

DAY = dt.date(2026, 3, 2)
HITS = [
    Hit(id="a-001", kind="fact", text="Boris drinks coffee", score=1),
    Hit(id="a-002", kind="fact", text="Anna drinks tea", score=0.5),
]


def card(**fields: Any) -> Card:
    return Card(**{"id": "card-1", "question": "what does Anna drink", "added": DAY, **fields})


def test_a_fact_is_found_in_any_of_its_versions() -> None:
    assert place_of(card(fact="a-000"), HITS, {"a-000", "a-002"}) == 2


@for_each(("words", "place"), [("tea of Anna", 2), ("Anna drinking teas", 2), ("coffee", 1), ("milk", None)])
def test_words_stand_in_a_hit_in_any_order_and_form(words: str, place: int | None) -> None:
    assert place_of(card(words=words), HITS, ()) == place


def test_the_first_three_places_count() -> None:
    assert [is_found(place) for place in (1, 3, 4, None)] == [True, True, False, False]


def test_a_trend_shows_the_latest_places_and_a_day_counts_once() -> None:
    one = card()
    for day, place in ((1, 1), (2, None), (2, 2), (3, 4)):
        one = with_run(one, CardRun(day=dt.date(2026, 3, day), place=place, version="0.11.0"))

    assert trend(one) == "1 2 4"


def test_another_version_on_the_same_day_is_another_run() -> None:
    one = card()
    for version in ("0.11.0", "0.12.0"):
        one = with_run(one, CardRun(day=DAY, place=1, version=version))

    assert trend(one) == "1 1"


def test_a_free_id_is_the_first_that_is_free() -> None:
    assert free_id([card(), card(id="card-3")], 5) == "card-2"
    assert free_id([card(id=f"card-{number}") for number in range(1, 6)], 5) is None


FORGETTINGS = [
    (Forgotten(facts=frozenset({"people/anna-001"})), True),
    (Forgotten(facts=frozenset({"people/anna-002"})), False),
    (Forgotten(texts=("Anna drinks green tea",)), True),
    (Forgotten(texts=("Boris drinks coffee",)), False),
    (Forgotten(names=frozenset({"anna"})), True),
    (Forgotten(names=frozenset({"boris"})), False),
    (Forgotten(moved={"people/anna": "people/forgotten-1"}), True),
]


@for_each(("forgotten", "expected"), FORGETTINGS)
def test_what_a_card_tells_of(forgotten: Forgotten, expected: bool) -> None:
    cards = [card(fact="people/anna-001"), card(words="tea green")]

    told = [tells_of(one, forgotten, TextEraser(forgotten.texts)) for one in cards]

    assert any(told) == expected
