"""When facts leave the hot and the warm tier: the table of ARCHITECTURE section 3."""

import datetime as dt
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.base.clock import from_iso
from engram.config.settings import DecaySettings
from engram.model.fact import Usage
from engram.rules.decay import Calendar
from engram.rules.decay import age_days
from engram.rules.decay import in_summary
from engram.rules.decay import last_used_at
from engram.rules.decay import tier
from engram.rules.decay import tiers
from tests.making import DAY0
from tests.making import make_fact


@pytest.mark.parametrize(
    ("age", "confidence", "accesses", "expected", "why"),
    [
        (0, 0.9, 0, "hot", "just written"),
        (7, 0.9, 0, "hot", "hot up to and with day 7"),
        (8, 0.9, 0, "warm", "warm from day 8"),
        (30, 0.9, 0, "warm", "warm up to and with day 30"),
        (31, 0.9, 0, "cold", "cold from day 31"),
        (7, 0.4, 0, "hot", "an unsure fact begins hot as well"),
        (14, 0.4, 0, "warm", "an unsure fact is warm up to day 14"),
        (15, 0.4, 0, "cold", "an unsure fact is cold from day 15"),
        (15, 0.5, 0, "warm", "0.5 is not below 0.5"),
        (400, 0.9, 9, "cold", "nine accesses are not enough"),
        (400, 0.9, 10, "warm", "ten accesses lift cold to warm"),
        (15, 0.1, 10, "warm", "ten accesses lift an unsure fact too"),
        (0, 0.9, 50, "hot", "accesses never make a hot fact warm"),
    ],
)
def test_tier_follows_the_table(age: int, confidence: float, accesses: int, expected: str, why: str) -> None:
    usage = Usage(fact_id="people/anna-001", access_count=accesses) if accesses else None

    found = tier(make_fact(confidence=confidence), usage, age=age, settings=DecaySettings())

    assert expected == found, why


@pytest.mark.parametrize(
    ("abstraction", "pinned", "of_tier", "expected"),
    [
        ("episode", False, "hot", True),
        ("episode", False, "warm", True),
        ("episode", False, "cold", False),
        ("pattern", False, "warm", True),
        ("pattern", False, "cold", False),
        ("principle", False, "cold", True),
        ("episode", True, "cold", True),
    ],
)
def test_summary_holds_principles_pinned_and_what_is_not_cold(
    abstraction: str, pinned: bool, of_tier: str, expected: bool
) -> None:
    usage = Usage(fact_id="people/anna-001", pinned=pinned)

    assert expected is in_summary(make_fact(abstraction=abstraction), usage, of_tier)


def test_unsure_days_beyond_warm_days_do_not_keep_a_fact_warm_longer() -> None:
    settings = DecaySettings(warm_days=10, unsure_days=14)

    assert tier(make_fact(confidence=0.4), None, age=12, settings=settings) == "cold"


def utc(days: list[dt.date]) -> Calendar:
    """A calendar whose midnight is UTC's."""
    return Calendar(dt.UTC, days)


@pytest.mark.parametrize(
    ("zone", "late", "early"),
    [
        ("Asia/Tokyo", "2026-03-01T14:59:00Z", "2026-03-01T15:01:00Z"),
        ("America/Los_Angeles", "2026-03-02T07:59:00Z", "2026-03-02T08:01:00Z"),
    ],
)
def test_a_fact_is_a_day_old_after_midnight_of_the_workspace(zone: str, late: str, early: str) -> None:
    days = [dt.date(2026, 3, 1), dt.date(2026, 3, 2)]
    before, after = from_iso(late), from_iso(early)
    calendar = Calendar(ZoneInfo(zone), days)

    for clock in ("wall", "activity"):
        assert age_days(before, before, clock, calendar) == 0
        assert age_days(before, after, clock, calendar) == 1


def test_last_use_is_the_latest_of_recording_access_and_confirmation() -> None:
    later, latest = DAY0 + dt.timedelta(days=1), DAY0 + dt.timedelta(days=2)
    fact = make_fact()

    assert last_used_at(fact, None) == DAY0
    assert later == last_used_at(fact, Usage(fact_id=fact.id, last_accessed_at=later))
    assert latest == last_used_at(fact, Usage(fact_id=fact.id, last_accessed_at=later, last_confirmed_at=latest))


def test_activity_clock_stops_while_the_workspace_is_idle() -> None:
    days = [dt.date(2026, 3, 1), dt.date(2026, 3, 2), dt.date(2026, 6, 1)]
    now = dt.datetime(2026, 6, 1, 8, tzinfo=dt.UTC)

    assert age_days(DAY0, now, "activity", utc(days)) == 2
    assert age_days(DAY0, now, "wall", utc(days)) == 92


def test_age_of_something_later_than_now_is_zero() -> None:
    before = DAY0 - dt.timedelta(days=3)

    assert age_days(DAY0, before, "wall", utc([])) == 0
    assert age_days(DAY0, before, "activity", utc([before.date(), DAY0.date()])) == 0


@given(st.lists(st.integers(0, 400), unique=True).map(sorted), st.integers(0, 400), st.integers(0, 400))
def test_activity_age_never_exceeds_wall_age(active: list[int], begin: int, end: int) -> None:
    days = [DAY0.date() + dt.timedelta(days=day) for day in active]
    since, now = DAY0 + dt.timedelta(days=begin), DAY0 + dt.timedelta(days=end)

    assert 0 <= age_days(since, now, "activity", utc(days)) <= age_days(since, now, "wall", utc(days))


@given(st.integers(0, 500), st.floats(0, 1), st.integers(0, 20))
def test_a_fact_never_warms_up_by_waiting(age: int, confidence: float, accesses: int) -> None:
    order = ["hot", "warm", "cold"]
    fact, usage = make_fact(confidence=confidence), Usage(fact_id="people/anna-001", access_count=accesses)

    today = tier(fact, usage, age=age, settings=DecaySettings())
    tomorrow = tier(fact, usage, age=age + 1, settings=DecaySettings())

    assert order.index(today) <= order.index(tomorrow)


def test_tiers_of_many_facts_use_each_ones_own_last_use() -> None:
    fresh, old = make_fact(2), make_fact(1)
    usages = {fresh.id: Usage(fact_id=fresh.id, last_accessed_at=DAY0 + dt.timedelta(days=39))}

    found = tiers(
        [old, fresh],
        usages,
        now=DAY0 + dt.timedelta(days=40),
        calendar=utc([]),
        settings=DecaySettings(clock="wall"),
    )

    assert found == {"people/anna-001": "cold", "people/anna-002": "hot"}
