"""Counts for people: one thing is not written as many."""

from engram.base.counts import counted


def test_one_thing_has_the_singular() -> None:
    assert [counted(number, "fact") for number in range(3)] == ["0 facts", "1 fact", "2 facts"]


def test_a_plural_of_its_own_is_given() -> None:
    assert [counted(number, "entry", "entries") for number in (1, 2)] == ["1 entry", "2 entries"]
