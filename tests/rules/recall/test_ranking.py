"""What moves, drops and cuts candidates after fusion."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.rules.life.calibration import rated_confidence
from engram.rules.recall.ranking import Standing
from engram.rules.recall.ranking import fit_budget
from engram.rules.recall.ranking import multiplier
from engram.rules.recall.ranking import named_entities
from engram.rules.recall.ranking import shown_score
from engram.rules.recall.ranking import standing_score
from tests.making import DAY0
from tests.making import make_fact

YEAR_LATER = DAY0 + dt.timedelta(days=365)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (Standing(make_fact(confidence=0.9)), Standing(make_fact(confidence=0.3))),
        (Standing(make_fact(), "hot"), Standing(make_fact(), "warm")),
        (Standing(make_fact(), "warm"), Standing(make_fact(), "cold")),
        (Standing(make_fact(), named=True), Standing(make_fact())),
        (Standing(make_fact(valid_from=YEAR_LATER)), Standing(make_fact(valid_from=DAY0))),
    ],
    ids=["surer", "hot", "warm", "named", "fresher"],
)
def test_of_two_equal_candidates_the_better_standing_wins(better: Standing, worse: Standing) -> None:
    assert multiplier(better, now=YEAR_LATER) > multiplier(worse, now=YEAR_LATER)


def test_raw_text_is_not_lifted_and_a_fact_stands_above_it() -> None:
    assert multiplier(Standing(), now=DAY0) == 1.0
    assert multiplier(Standing(make_fact(confidence=0.1), "cold"), now=YEAR_LATER) > 1.0


@pytest.mark.parametrize("standing", [Standing(by_assistant=True), Standing(is_retold=True)], ids=["program", "retold"])
def test_what_only_repeats_stands_behind_what_was_said(standing: Standing) -> None:
    assert standing_score(1.0, standing, now=DAY0) < standing_score(0.9, Standing(), now=DAY0)


def test_without_a_name_in_the_question_no_standing_moves_a_candidate_by_more_than_a_third() -> None:
    best = multiplier(Standing(make_fact(confidence=1.0, valid_from=YEAR_LATER), "hot"), now=YEAR_LATER)
    worst = multiplier(Standing(make_fact(confidence=0.0), "cold"), now=YEAR_LATER)

    assert 1 < worst < best < 1.4


def test_a_fact_of_the_future_is_as_fresh_as_one_of_today() -> None:
    tomorrow = make_fact(valid_from=YEAR_LATER)

    assert multiplier(Standing(tomorrow), now=DAY0) == multiplier(Standing(make_fact()), now=DAY0)


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_the_shown_score_keeps_the_order_and_stays_between_0_and_1(one: float, other: float) -> None:
    low, high = sorted((one, other))

    assert 0 <= shown_score(low) <= shown_score(high) <= 1
    assert float(f"{shown_score(low):.6f}") == shown_score(low)  # who asks for the score that was shown gets that hit


def test_only_whole_items_fit_a_budget_and_a_small_one_may_follow_a_large_one() -> None:
    assert fit_budget({"a": 3, "b": 10, "c": 2}, 6) == (["a", "c"], ["b"])


def test_without_a_budget_everything_fits() -> None:
    assert fit_budget({"a": 3, "b": 10}, None) == (["a", "b"], [])


@given(st.lists(st.integers(1, 50), max_size=12), st.integers(0, 200))
def test_what_fits_never_exceeds_the_budget_and_nothing_gets_lost(costs: list[int], budget: int) -> None:
    items = {str(number): cost for number, cost in enumerate(costs)}

    kept, cut = fit_budget(items, budget)

    assert sum(items[key] for key in kept) <= budget
    assert sorted(kept + cut) == sorted(items)
    assert all(sum(items[key] for key in kept) + items[key] > budget for key in cut if items[key] > budget)


def test_a_name_is_found_in_a_question_as_its_words_in_a_row() -> None:
    names = {
        ("anna", "smith"): frozenset({"people/anna-smith"}),
        ("bill",): frozenset({"projects/bill", "people/bill"}),
    }

    assert named_entities(["where", "anna", "smith", "live"], names) == {"people/anna-smith"}
    assert named_entities(["anna", "x", "smith"], names) == set()
    assert named_entities(["bill"], names) == {"projects/bill", "people/bill"}
    assert named_entities([], names) == set()


def test_no_number_of_ratings_buries_a_fact() -> None:
    fact = make_fact(confidence=1.0)
    unrated, buried = Standing(fact), Standing(fact, confidence=rated_confidence(1.0, 0, 100_000))
    assert multiplier(buried, now=YEAR_LATER) >= 0.5 * multiplier(unrated, now=YEAR_LATER)
    assert multiplier(buried, now=YEAR_LATER) < multiplier(unrated, now=YEAR_LATER)
