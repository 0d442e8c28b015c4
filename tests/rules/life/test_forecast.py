"""When facts will leave their tiers: with nobody using them, and used as before."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.config.sections.memory import DecaySettings
from engram.model.fact import Usage
from engram.rules.life.decay import tier
from engram.rules.life.forecast import Ages
from engram.rules.life.forecast import Course
from engram.rules.life.forecast import foresee
from engram.rules.life.forecast import mean_interval
from tests.making import make_fact

TODAY = dt.date(2026, 3, 2)
USUAL = DecaySettings()


def day(offset: int | None) -> dt.date | None:
    return None if offset is None else TODAY + dt.timedelta(days=offset)


def used(count: int) -> Usage | None:
    return Usage(fact_id="people/anna-001", access_count=count) if count else None


@pytest.mark.parametrize(
    ("count", "since_use", "used_for", "expected", "why"),
    [
        (0, 3, 0, None, "never used"),
        (1, 3, 9, None, "once is no rhythm"),
        (3, 0, 0, None, "all on the day of recording"),
        (3, 0, 9, 3.0, "every third day"),
        (3, 6, 9, 3.0, "late, but not lost"),
        (3, 7, 9, None, "not used for more than two intervals"),
        (10, 2, 5, 0.5, "several times a day, yesterday not"),
        (10, 3, 5, None, "several times a day, and then not at all"),
    ],
)
def test_a_rhythm_is_the_mean_interval_of_accesses(
    count: int, since_use: int, used_for: int, expected: float | None, why: str
) -> None:
    assert mean_interval(used(count), Ages(since_use, used_for)) == expected, why


@pytest.mark.parametrize(
    ("confidence", "count", "age", "interval", "hot", "warm", "why"),
    [
        (0.9, 0, 0, None, 8, 31, "new and never used"),
        (0.9, 0, 7, None, 1, 24, "the last hot day"),
        (0.9, 0, 8, None, None, 23, "warm already"),
        (0.9, 0, 31, None, None, None, "cold already"),
        (0.4, 0, 0, None, 8, 15, "unsure facts leave warm early"),
        (0.9, 10, 0, None, 8, None, "ten accesses keep a fact warm"),
        (0.9, 5, 1, 3.0, None, None, "used every third day it stays hot"),
        (0.9, 5, 0, 7.0, None, None, "used once a week it stays hot"),
        (0.9, 5, 0, 9.0, 8, None, "used every ninth day it is warm for a day and hot again"),
        (0.9, 5, 8, 9.0, None, None, "warm, and to be used tomorrow"),
        (0.9, 5, 0, 40.0, 8, 31, "used every forty days it goes cold between"),
        (0.9, 9, 0, 40.0, 8, 31, "the tenth use comes when it is cold already"),
        (0.9, 9, 35, 40.0, None, None, "cold already, whatever comes"),
        (0.4, 5, 0, 10.0, 8, None, "an unsure fact used every tenth day stays warm"),
        (0.4, 5, 0, 20.0, 8, 15, "an unsure fact used every twentieth day does not"),
    ],
)
def test_facts_leave_their_tiers_on_these_days(
    confidence: float, count: int, age: int, interval: float | None, hot: int | None, warm: int | None, why: str
) -> None:
    fact, ages = make_fact(confidence=confidence), Ages(age, 60)

    found = foresee(fact, used(count), ages, today=TODAY, settings=USUAL, interval=interval)

    assert found == Course(day(hot), day(warm)), why


@given(
    st.integers(0, 60), st.floats(0, 1), st.integers(0, 12),
    st.builds(DecaySettings, hot_days=st.integers(0, 40), warm_days=st.integers(0, 40),
              unsure_days=st.integers(0, 40), kept_accesses=st.integers(1, 15)),
)  # fmt: skip
def test_the_days_are_those_on_which_the_tier_changes(
    age: int, confidence: float, count: int, settings: DecaySettings
) -> None:
    fact, usage = make_fact(confidence=confidence), used(count)

    found = foresee(fact, usage, Ages(age), today=TODAY, settings=settings, interval=None)

    tiers = [tier(fact, usage, age=age + days, settings=settings) for days in range(200)]
    for gone, within in ((found.leaves_hot, {"hot"}), (found.leaves_warm, {"hot", "warm"})):
        first = next((days for days, one in enumerate(tiers) if one not in within), None)
        assert gone == (day(first) if first else None)


@given(st.integers(0, 40), st.floats(0.1, 60), st.integers(2, 9))
def test_use_never_brings_the_day_nearer(age: int, interval: float, count: int) -> None:
    fact, usage, ages = make_fact(), used(count), Ages(age, 60)

    alone = foresee(fact, usage, ages, today=TODAY, settings=USUAL, interval=None)
    expected = foresee(fact, usage, ages, today=TODAY, settings=USUAL, interval=interval)

    for without, with_use in zip(alone, expected, strict=True):
        assert with_use is None or (without is not None and with_use >= without)
