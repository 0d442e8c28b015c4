"""When facts leave the hot and the warm tier: the table of ARCHITECTURE section 3."""

import datetime as dt
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.base.clock import from_iso
from engram.config.sections.memory import DecaySettings
from engram.model.fact import Usage
from engram.rules.life.decay import Calendar
from engram.rules.life.decay import Reckoning
from engram.rules.life.decay import age_days
from engram.rules.life.decay import find_demotions
from engram.rules.life.decay import in_summary
from engram.rules.life.decay import is_usual_step
from engram.rules.life.decay import last_used_at
from engram.rules.life.decay import oldest_use
from engram.rules.life.decay import tier
from engram.rules.life.decay import tiers
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


@given(
    st.sampled_from(["wall", "activity"]),
    st.lists(st.integers(0, 90), unique=True).map(sorted),
    st.integers(0, 40),
    st.integers(0, 100 * 24),
    st.sampled_from(["UTC", "Europe/Berlin", "America/St_Johns"]),
)
def test_the_oldest_use_of_an_age_parts_what_is_older_from_what_is_not(
    clock: str, active: list[int], most: int, used: int, zone: str
) -> None:
    calendar = Calendar(ZoneInfo(zone), [DAY0.date() + dt.timedelta(days=day) for day in active])
    since, now = DAY0 + dt.timedelta(hours=used), DAY0 + dt.timedelta(days=90, hours=13)

    oldest = oldest_use(most, now, clock, calendar)

    assert (oldest is None or since >= oldest) == (age_days(since, now, clock, calendar) <= most)


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


# --- days of real calendars ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("zone", "written", "later", "days"),
    [
        # Clocks go forward on 29 March 2026 in Berlin, back on 25 October; in New York on 8 March and 1 November.
        ("Europe/Berlin", "2026-03-28T22:30:00Z", "2026-03-29T21:30:00Z", 1),  # 23:30 to 23:30 of the 23-hour day
        ("Europe/Berlin", "2026-03-28T22:30:00Z", "2026-03-29T22:30:00Z", 2),  # 24 hours later it is 00:30
        ("Europe/Berlin", "2026-10-24T21:30:00Z", "2026-10-25T21:30:00Z", 1),  # 24 hours later it is 22:30
        ("Europe/Berlin", "2026-10-24T22:30:00Z", "2026-10-25T22:30:00Z", 0),  # 00:30 to 23:30 of the 25-hour day
        ("America/New_York", "2026-03-08T04:59:00Z", "2026-03-09T03:59:00Z", 1),
        ("America/New_York", "2026-11-01T04:00:00Z", "2026-11-02T04:59:00Z", 0),
        (
            "Pacific/Apia",
            "2011-12-29T10:00:00Z",
            "2011-12-31T10:00:00Z",
            3,
        ),  # without 30 December
        ("Pacific/Kiritimati", "2026-03-01T10:00:00Z", "2026-03-08T10:00:00Z", 7),
    ],
)
def test_days_are_those_of_the_calendar_when_clocks_change(zone: str, written: str, later: str, days: int) -> None:
    since, now = from_iso(written), from_iso(later)
    first = since.astimezone(ZoneInfo(zone)).date()
    every_day = [first + dt.timedelta(days=day) for day in range(40)]

    for clock in ("wall", "activity"):
        assert age_days(since, now, clock, Calendar(ZoneInfo(zone), every_day)) == days


@given(
    st.sampled_from(["UTC", "Europe/Berlin", "Asia/Kolkata", "America/Los_Angeles", "Pacific/Kiritimati"]),
    st.sampled_from(["UTC", "Europe/Berlin", "Asia/Tokyo", "America/St_Johns", "Pacific/Apia"]),
    st.integers(0, 100 * 24 * 60),
    st.integers(0, 60 * 24 * 60),
)  # fmt: skip
def test_another_time_zone_moves_an_age_by_a_day_at_most(one: str, other: str, begin: int, length: int) -> None:
    since = DAY0 + dt.timedelta(minutes=begin)
    now = since + dt.timedelta(minutes=length)

    here, there = (age_days(since, now, "wall", Calendar(ZoneInfo(zone), [])) for zone in (one, other))

    assert abs(here - there) <= 1


@pytest.mark.parametrize(
    ("fields", "usage", "goes_warm", "goes_cold", "leaves_summary"),
    [
        ({}, {}, 8, 31, 31),
        ({"abstraction": "pattern"}, {}, 8, 31, 31),
        ({"abstraction": "principle"}, {}, 8, 31, None),
        ({"confidence": 0.4}, {}, 8, 15, 15),
        ({"confidence": 0.4, "abstraction": "principle"}, {}, 8, 15, None),
        ({}, {"pinned": True}, 8, 31, None),
        ({}, {"access_count": 10}, 8, None, None),
        ({"confidence": 0.4}, {"access_count": 10}, 8, None, None),
    ],
)
@pytest.mark.parametrize("clock", ["wall", "activity"])
def test_a_fact_leaves_on_the_documented_days(
    clock: str,
    fields: dict[str, Any],
    usage: dict[str, Any],
    goes_warm: int,
    goes_cold: int | None,
    leaves_summary: int | None,
) -> None:
    fact, used = make_fact(**fields), Usage.model_validate({"fact_id": "people/anna-001", **usage})
    settings = DecaySettings.model_validate({"clock": clock})
    calendar = utc([DAY0.date() + dt.timedelta(days=day) for day in range(61)])
    found = [
        tiers([fact], {fact.id: used}, now=DAY0 + dt.timedelta(days=day), calendar=calendar, settings=settings)[fact.id]
        for day in range(61)
    ]

    def first(wanted: list[bool]) -> int | None:
        return wanted.index(True) if True in wanted else None

    assert first([one == "warm" for one in found]) == goes_warm
    assert first([one == "cold" for one in found]) == goes_cold
    assert first([not in_summary(fact, used, one) for one in found]) == leaves_summary


# --- two reckonings ------------------------------------------------------------------------------------------------


def reckon(day: int, **settings: object) -> Reckoning:
    return Reckoning(DAY0 + dt.timedelta(days=day), DecaySettings.model_validate({"clock": "wall", **settings}))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (reckon(0), reckon(7), []),
        (reckon(7), reckon(8), [("hot", "warm", False)]),
        (reckon(30), reckon(31), [("warm", "cold", True)]),
        (reckon(0), reckon(365), [("hot", "cold", True)]),
        (reckon(365), reckon(0), []),
        (reckon(20), reckon(20, warm_days=10), [("warm", "cold", True)]),
        (reckon(31), reckon(400), []),
    ],
)
def test_demotions_are_what_is_lower_by_the_later_reckoning(
    before: Reckoning, after: Reckoning, expected: list[tuple[str, str, bool]]
) -> None:
    found = find_demotions([make_fact()], {}, utc([]), before, after)

    assert [(one.before, one.after, one.leaves_summary) for one in found] == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (reckon(5), reckon(5), True),
        (reckon(5), reckon(6), True),
        (reckon(5), reckon(7), False),
        (reckon(5), reckon(3), True),
        (reckon(5), reckon(6, hot_days=3), False),
        (reckon(5), reckon(6, survival_share=0.5), True),
    ],
)
def test_a_usual_step_is_a_day_under_the_same_settings(before: Reckoning, after: Reckoning, expected: bool) -> None:
    assert is_usual_step(before, after, utc([])) is expected
