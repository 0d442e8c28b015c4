"""What a statement is in tension with."""

import pytest

from engram.model.comparison import Comparison
from engram.model.fact import Fact
from engram.rules.writes.situation import Compared
from engram.rules.writes.tensions import list_excluded
from tests.making import make_fact

NUMBER = Comparison("number", 0.8, 0.9, "another number")
OPPOSITE = Comparison("polarity", 0.9, 0.9, "the opposite")


def test_the_many_numbers_of_a_series_are_no_tensions_and_facts_are_not_compared_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    series = [Compared(make_fact(number, f"Day {number} was wet"), NUMBER) for number in range(1, 60)]
    other = Compared(make_fact(60, "No day was wet"), OPPOSITE)
    looked: list[object] = []

    def equals(one: Fact, another: object) -> bool:
        looked.append(another)
        return one is another

    monkeypatch.setattr(Fact, "__eq__", equals)

    found = list_excluded([*series, other], [], make_fact(61, "Day 61 was wet"), frozenset())

    assert [one.fact.id for one in found] == ["people/anna-060"]
    assert not looked  # of sixty numbers that would be thousands of comparisons of whole facts


def test_a_few_numbers_are_tensions() -> None:
    series = [Compared(make_fact(number, f"Day {number} was wet"), NUMBER) for number in range(1, 4)]

    assert list_excluded(series, [], make_fact(4, "Day 4 was wet"), frozenset()) == series
