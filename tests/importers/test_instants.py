"""Times in the usual spellings."""

import datetime as dt
from zoneinfo import ZoneInfo

import pytest

from engram.importers.instants import parse_instant

TOKYO = ZoneInfo("Asia/Tokyo")


@pytest.mark.parametrize(
    ("said", "instant"),
    [
        ("2026-02-24T10:00:00Z", "2026-02-24T10:00:00"),
        ("2026-02-24T10:00:00+03:00", "2026-02-24T07:00:00"),
        ("2026-02-24 10:00", "2026-02-24T01:00:00"),
        ("2026-02-24", "2026-02-23T15:00:00"),
        ("3:20 pm on 9 June, 2022", "2022-06-09T06:20:00"),
        ("April-02-2021", "2021-04-01T15:00:00"),
        ("2022/10/31 (Mon) 18:05", "2022-10-31T09:05:00"),
        ("29 February 2024", "2024-02-28T15:00:00"),
        ("2024年04月01日 周一 08:30", "2024-03-31T23:30:00"),
        ("1 апреля 2024 г., 08:30", "2024-03-31T23:30:00"),
        ("2024년 4월 1일 (월) 오전 8:30", "2024-03-31T23:30:00"),
        ("April 1, 2024 at 8:30 AM", "2024-03-31T23:30:00"),
        ("понедельник, 1 апреля 2024 г. 08:30 МСК", "2024-04-01T05:30:00"),
        ("Tue, 1 April 2024 08:30:00 +0000", "2024-04-01T08:30:00"),  # it was a Monday: the date counts
        (1_700_000_000, "2023-11-14T22:13:20"),
        (1_700_000_000_000, "2023-11-14T22:13:20"),
        ("1700000000", "2023-11-14T22:13:20"),
        (1_700_000_000.5, "2023-11-14T22:13:20.500000"),
    ],
)
def test_a_time_without_a_zone_is_in_the_workspaces(said: object, instant: str) -> None:
    assert parse_instant(said, TOKYO) == dt.datetime.fromisoformat(instant).replace(tzinfo=dt.UTC)


@pytest.mark.parametrize(
    "said",
    [
        "",
        "soon",
        "13:30",
        "7 May",
        "May 2024",
        "2026-02-30",
        "4月1日 08:30",
        "2024年04月01日 25:30",
        "1 апреля, 08:30",
        "10:00 XYZT on 8 May 2023",
        -5,
        float("nan"),
        1e30,
        True,
        None,
        [],
        "99999-01-01",
        10**400,
    ],
)
def test_what_is_no_full_date_is_refused(said: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_instant(said, TOKYO)


@pytest.mark.parametrize("said", ["a" * 1_000_000, "aaa " * 250_000, "1 " * 500_000 + "x", "a" * 1_000_000 + "."])
def test_a_long_text_that_holds_no_date_is_read_once(said: str) -> None:
    with pytest.raises(ValueError, match="holds no date"):
        parse_instant(said, TOKYO)
