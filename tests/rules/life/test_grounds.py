"""What a pattern or principle rests on, and what still counts of it."""

from typing import Any

from engram.model.fact import Fact
from engram.rules.life.grounds import Grounds
from engram.rules.life.grounds import grounds_of
from tests.making import make_fact


def part(number: int, **fields: Any) -> Fact:
    return make_fact(number, f"Anna asks for tea, {number}", **fields)


def whole(number: int, *parts: int, **fields: Any) -> Fact:
    made_of = tuple(f"people/anna-{one:03d}" for one in parts)
    return make_fact(number, "Anna asks for tea", **{"abstraction": "pattern", "derived_from": made_of, **fields})


def grounds(fact: Fact, *known: Fact) -> Grounds:
    return grounds_of(fact, {one.id: one for one in known})


def test_what_was_taken_back_replaced_or_quarantined_counts_no_more() -> None:
    known = [
        part(1),
        part(2, status="retracted", was_wrong=True),
        part(3, status="superseded", superseded_by="people/anna-008"),
        part(4, trust="quarantined"),
        part(8),
    ]

    assert grounds(whole(9, 1, 2, 3, 4), *known) == Grounds(4, 1)


def test_what_was_taken_into_the_whole_or_into_the_same_words_still_counts() -> None:
    known = [
        part(1, status="superseded", superseded_by="people/anna-009"),
        part(2, status="superseded", superseded_by="people/anna-007"),
        make_fact(7, "Anna asks for tea, 2"),
        (made := whole(9, 1, 2, lineage="people/anna-001")),
    ]

    assert grounds(made, *known) == Grounds(2, 2)


def test_a_principle_counts_the_episodes_of_its_pattern_once_each() -> None:
    pattern = whole(5, 1, 2, 3, status="superseded", superseded_by="people/anna-009")
    principle = whole(9, 5, 3, lineage="people/anna-005", abstraction="principle")

    found = grounds(principle, part(1), part(2, status="retracted"), part(3), pattern, principle)

    assert found == Grounds(3, 2)


def test_a_ring_of_parts_has_an_end() -> None:
    one, other = whole(1, 2), whole(2, 1)

    assert grounds(one, one, other) == Grounds(0, 0)


def test_what_is_not_known_does_not_count_and_is_not_told() -> None:
    assert grounds(whole(9, 1, 2), part(1)).said() == "made of 1 fact"
    assert grounds(whole(9, 1)).said() == ""
    assert Grounds(3, 0).said() == "made of 3 facts and now rests on 0"
