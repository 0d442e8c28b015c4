"""How people write a moment, and where a day begins."""

import datetime as dt
from zoneinfo import ZoneInfo

import pytest

from engram.base.clock import from_iso
from engram.base.clock import local_day
from engram.base.clock import start_of_day
from engram.base.clock import to_iso
from engram.base.dates import days_in_words
from engram.base.dates import parse_bound
from engram.base.dates import parse_moment
from engram.errors import BadValueError

UTC = dt.UTC
NOW = dt.datetime(2026, 3, 2, 10, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "zone", "expected"),
    [
        ("2026-02-24", "UTC", "2026-02-24T00:00:00Z"),
        ("2026-02-24", "Asia/Tokyo", "2026-02-23T15:00:00Z"),
        ("2026-02-24", "America/Los_Angeles", "2026-02-24T08:00:00Z"),
        ("2026-02-24T10:00:00Z", "Asia/Tokyo", "2026-02-24T10:00:00Z"),
        ("2026-02-24T10:00", "Asia/Tokyo", "2026-02-24T01:00:00Z"),
        ("24h", "UTC", "2026-03-01T10:00:00Z"),
        ("2w", "UTC", "2026-02-16T10:00:00Z"),
        ("today", "Asia/Tokyo", "2026-03-01T15:00:00Z"),
        ("yesterday", "UTC", "2026-03-01T00:00:00Z"),
        ("now", "UTC", "2026-03-02T10:00:00Z"),
        ("90m", "UTC", "2026-03-02T08:30:00Z"),
        ("2026-02-20T10:00:00+03:00", "UTC", "2026-02-20T07:00:00Z"),
        ("2026-02-24 10:00", "Asia/Tokyo", "2026-02-24T01:00:00Z"),
        ("monday", "Asia/Tokyo", "2026-03-01T15:00:00Z"),
    ],
)
def test_a_moment_is_read_in_the_zone_of_the_workspace(text: str, zone: str, expected: str) -> None:
    assert expected == to_iso(parse_moment(text, zone=ZoneInfo(zone), now=NOW, name="--since"))


@pytest.mark.parametrize(
    "text",
    ["", "soon", "mo", "last 24h", "24", "-1h", "1y", "2026-02-30", "2026-13-01", "24x", "99999999w", "0000-00-00"],
)
def test_what_is_no_moment_names_the_option(text: str) -> None:
    with pytest.raises(BadValueError, match="--since"):
        parse_moment(text, zone=UTC, now=NOW, name="--since")


@pytest.mark.parametrize(
    ("text", "zone", "begins", "ends"),
    [
        ("2026-02-24", "UTC", "2026-02-24T00:00:00Z", "2026-02-25T00:00:00Z"),
        ("2026-03-29", "Europe/Berlin", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"),  # 23 hours
        ("2026-10-25", "Europe/Berlin", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"),  # 25 hours
        ("today", "Asia/Tokyo", "2026-03-01T15:00:00Z", "2026-03-02T15:00:00Z"),
        ("Yesterday", "UTC", "2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z"),
        ("monday", "UTC", "2026-03-02T00:00:00Z", "2026-03-03T00:00:00Z"),  # the day itself is one
        ("last monday", "UTC", "2026-02-23T00:00:00Z", "2026-02-24T00:00:00Z"),
        ("last Fri", "UTC", "2026-02-27T00:00:00Z", "2026-02-28T00:00:00Z"),
        ("sun", "Asia/Tokyo", "2026-02-28T15:00:00Z", "2026-03-01T15:00:00Z"),
        ("this week", "UTC", "2026-03-02T00:00:00Z", "2026-03-09T00:00:00Z"),
        ("last  week", "UTC", "2026-02-23T00:00:00Z", "2026-03-02T00:00:00Z"),
        ("this month", "UTC", "2026-03-01T00:00:00Z", "2026-04-01T00:00:00Z"),
        ("last month", "UTC", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"),
        ("last year", "UTC", "2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
        ("this year", "UTC", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"),
        ("2026-02-24T10:00:00Z", "Asia/Tokyo", "2026-02-24T10:00:00Z", "2026-02-24T10:00:00Z"),
        ("24h", "UTC", "2026-03-01T10:00:00Z", "2026-03-01T10:00:00Z"),
        ("now", "UTC", "2026-03-02T10:00:00Z", "2026-03-02T10:00:00Z"),
    ],
)
def test_a_bound_includes_the_calendar_days_that_it_names(text: str, zone: str, begins: str, ends: str) -> None:
    tz = ZoneInfo(zone)

    assert begins == to_iso(parse_bound(text, zone=tz, now=NOW, name="--since"))
    assert ends == to_iso(parse_bound(text, zone=tz, now=NOW, name="--until", ends=True))


@pytest.mark.parametrize(
    ("text", "zone"), [("9999-12-31", "UTC"), ("9999-12-31", "Asia/Tokyo"), ("9999-12-31T23:59-12:00", "UTC")]
)
def test_a_day_after_which_no_calendar_has_one_is_said_in_one_sentence(text: str, zone: str) -> None:
    with pytest.raises(BadValueError, match=r"^--until '9999.*' reaches beyond the calendar$"):
        parse_bound(text, zone=ZoneInfo(zone), now=NOW, name="--until", ends=True)


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        ("2026-03-02", "2026-03-08", "2 to 8 March 2026"),
        ("2026-02-23", "2026-03-01", "23 February to 1 March 2026"),
        ("2025-12-29", "2026-01-04", "29 December 2025 to 4 January 2026"),
        ("2026-03-02", "2026-03-02", "2 March 2026"),
        ("2028-02-01", "2028-02-29", "February 2028"),
        ("2028-02-01", "2028-02-28", "1 to 28 February 2028"),
        ("2025-01-01", "2025-12-31", "2025"),
        ("2026-03-02", "", "from 2 March 2026 on"),
        ("", "2026-03-02", "until 2 March 2026"),
        ("", "", "any day"),
        ("9999-12-01", "9999-12-31", "1 to 31 December 9999"),
    ],
)
def test_days_are_written_as_people_do(first: str, last: str, expected: str) -> None:
    days = [dt.date.fromisoformat(day) if day else None for day in (first, last)]

    assert expected == days_in_words(days[0], days[1])


def test_a_moment_of_a_period_is_not_one_moment() -> None:
    with pytest.raises(BadValueError, match="--as-of"):
        parse_moment("last week", zone=UTC, now=NOW, name="--as-of")


@pytest.mark.parametrize(
    ("zone", "late", "early"),
    [
        ("Asia/Tokyo", "2026-03-01T14:59:00Z", "2026-03-01T15:01:00Z"),
        ("America/Los_Angeles", "2026-03-02T07:59:00Z", "2026-03-02T08:01:00Z"),
    ],
)
def test_a_minute_before_and_after_midnight_are_two_days(zone: str, late: str, early: str) -> None:
    tz = ZoneInfo(zone)

    assert dt.date(2026, 3, 1) == local_day(from_iso(late), tz)
    assert dt.date(2026, 3, 2) == local_day(from_iso(early), tz)
    assert start_of_day(dt.date(2026, 3, 2), tz) == from_iso(early) - dt.timedelta(minutes=1)


def test_an_instant_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="no time zone"):
        from_iso("2026-03-02T10:00:00")
