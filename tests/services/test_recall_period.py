"""The period that a question names."""

import datetime as dt
from zoneinfo import ZoneInfo

import pytest

from engram.services.recall.retrieval.time_leg import Period
from engram.services.recall.retrieval.time_leg import find_period

TODAY = dt.date(2026, 3, 2)


@pytest.mark.parametrize(
    ("first", "last", "words"),
    [
        ("2026-03-01", "2026-03-02", "2026-03-01 2026-03-02"),
        ("2026-02-15", "2026-02-28", " ".join(f"2026-02-{day}" for day in range(15, 29))),
        ("2026-02-14", "2026-02-28", "February 2026"),
        ("2026-02-01", "2026-03-01", "February 2026 March 2026"),
        (None, "2026-03-01", ""),
        ("2026-03-01", None, ""),
    ],
    ids=["days", "two weeks of days", "a day more", "months", "no beginning", "no end"],
)
def test_the_words_of_a_period(first: str | None, last: str | None, words: str) -> None:
    days = [dt.date.fromisoformat(day) if day else None for day in (first, last)]

    assert Period(days[0], days[1]).words == words


def test_a_period_ends_with_the_end_of_its_last_day_in_the_zone() -> None:
    zone = ZoneInfo("Asia/Tokyo")

    since, until = Period(TODAY, TODAY).bounds(zone)

    assert (since, until) == (
        dt.datetime(2026, 3, 1, 15, tzinfo=dt.UTC).timestamp(),
        dt.datetime(2026, 3, 2, 15, tzinfo=dt.UTC).timestamp(),
    )
    assert Period(None, None).bounds(zone) == (None, None)
    assert Period(TODAY, dt.date.max).bounds(zone) == (since, None)


def test_a_question_names_a_period_or_none() -> None:
    assert find_period("what did we decide yesterday", TODAY) == Period(
        dt.date(2026, 3, 1), dt.date(2026, 3, 1), "yesterday"
    )
    assert find_period("what did we decide about the boat", TODAY) is None
