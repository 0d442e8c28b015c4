"""Weekdays and days of a month that another day tells."""

import datetime as dt

from engram.language.dates.dates import DAY
from engram.language.dates.dates import MONTH
from engram.language.dates.days_beside import day_of_number
from engram.language.dates.days_beside import on_weekday
from engram.language.dates.days_beside import weekday_beside
from engram.language.dates.named_days import name_days
from engram.language.dates.open_days import Days
from tests.cases import for_each

DECEMBER = dt.date(2026, 12, 5)  # a Saturday
NOVEMBER = dt.date(2026, 11, 5)  # a Thursday


def on(day: dt.date) -> Days:
    return Days(day, day, DAY)


@for_each(
    ("weekday", "expected"),
    [(6, DECEMBER), (4, NOVEMBER), (2, dt.date(2027, 1, 5)), (5, dt.date(2027, 2, 5)), (1, None)],
)
def test_a_weekday_chooses_the_month_of_a_day(weekday: int, expected: dt.date | None) -> None:
    assert on_weekday(on(DECEMBER), on(NOVEMBER), weekday) == (on(expected) if expected else None)


def test_a_day_that_nobody_knows_has_no_weekday_beside_it() -> None:
    month = Days(dt.date(2026, 12, 1), dt.date(2026, 12, 31), MONTH)

    assert on_weekday(None, None, 6) is None
    assert weekday_beside(None, 3, -1) is None
    assert weekday_beside(month, 3, -1) is None
    assert weekday_beside(on(dt.date.max), 3, 1) is None
    assert day_of_number(4, None) is None


@for_each(
    ("weekday", "sign", "expected"),
    [
        (3, -1, dt.date(2026, 12, 2)),
        (3, 1, dt.date(2026, 12, 9)),
        (6, -1, dt.date(2026, 11, 28)),
        (6, 1, dt.date(2026, 12, 12)),
    ],
)
def test_the_weekday_before_a_day_is_the_last_one(weekday: int, sign: int, expected: dt.date) -> None:
    assert weekday_beside(on(DECEMBER), weekday, sign) == on(expected)


def test_a_day_without_its_month_is_near_one_that_names_it() -> None:
    assert day_of_number(4, on(DECEMBER)) == on(dt.date(2026, 12, 4))
    assert day_of_number(28, on(DECEMBER)) == on(dt.date(2026, 11, 28))


def test_the_wednesday_before_is_counted_from_the_day_that_is_named() -> None:
    named = name_days("It's on Saturday the 12th of December, we get in from the Wednesday before.", NOVEMBER)

    assert [one.future for one in named] == [on(dt.date(2026, 12, 12)), on(dt.date(2026, 12, 9))]
