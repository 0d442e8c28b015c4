"""Ratings move confidence, and tell how well it foretold them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.ports.overview import RatedFact
from engram.rules.life.calibration import calibration
from engram.rules.life.calibration import rated_confidence

COUNTS = st.integers(0, 50)


def test_without_ratings_it_is_what_was_stated() -> None:
    assert rated_confidence(0.9, 0, 0) == pytest.approx(0.9)


@given(st.floats(0, 1), COUNTS, COUNTS)
def test_a_useful_one_never_lowers_and_a_wrong_one_never_raises_it(stated: float, useful: int, wrong: int) -> None:
    now = rated_confidence(stated, useful, wrong)

    assert 0 <= now <= 1
    assert rated_confidence(stated, useful + 1, wrong) >= now - 1e-12
    assert rated_confidence(stated, useful, wrong + 1) <= now + 1e-12


def test_four_ratings_weigh_as_much_as_what_was_stated() -> None:
    assert rated_confidence(1.0, 0, 4) == pytest.approx(0.5)


def test_the_brier_score_is_the_mean_squared_miss() -> None:
    found = calibration([RatedFact("a", 0.9, 3, 1), RatedFact("b", 0.5, 0, 1)])

    assert found["ratings"] == 5
    assert found["brier"] == pytest.approx((3 * 0.01 + 0.81 + 0.25) / 5, abs=1e-4)
    assert [(one["from"], one["ratings"], one["useful"]) for one in found["bands"]] == [(0.5, 1, 0.0), (0.9, 4, 0.75)]


@given(st.lists(st.builds(RatedFact, st.just("x"), st.floats(0, 1), COUNTS, COUNTS)))
def test_every_rating_stands_in_one_band(rated: list[RatedFact]) -> None:
    found = calibration(rated)

    assert sum(one["ratings"] for one in found["bands"]) == found["ratings"]
    assert found["brier"] is None if not found["ratings"] else 0 <= found["brier"] <= 1
