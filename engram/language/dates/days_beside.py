"""Days that another one tells: "the 5th, a Saturday", "5 January, so until the 4th", "the Wednesday before". Pure."""

import datetime as dt
from typing import Final

from engram.language.dates.dates import DAY
from engram.language.dates.open_days import Days

_HALF_A_MONTH: Final = 16  # days on each side of a day among which there is one of each number that its month has
_FEW_MONTHS: Final = 100  # days in which a day of a month whose weekday is said is looked for


def on_weekday(future: Days | None, past: Days | None, weekday: int) -> Days | None:
    """Return which of two readings of a day like "the 5th" falls on a weekday, or else the day of the months behind.

    None when that is none of the next months: people err in weekdays.
    """
    said = [days.first for days in (future, past) if days is not None and days.precision == DAY]
    if not said:
        return None
    first = said[0].toordinal()
    later = map(dt.date.fromordinal, range(first, min(first + _FEW_MONTHS, dt.date.max.toordinal())))
    days = [*said, *(day for day in later if day.day == said[0].day)]
    fitting = next((day for day in days if day.isoweekday() == weekday), None)
    return Days(fitting, fitting, DAY) if fitting is not None else None


def weekday_beside(days: Days | None, weekday: int, sign: int) -> Days | None:
    """Return the last such weekday before a day, or with a sign of 1 the next one after it."""
    if days is None or days.precision != DAY:
        return None
    away = (weekday - days.first.isoweekday()) * sign % 7 or 7
    try:
        day = days.first + dt.timedelta(days=away * sign)
    except OverflowError:  # no calendar has it
        return None
    return Days(day, day, DAY)


def day_of_number(number: int, days: Days | None) -> Days | None:
    """Return the day of that number that is nearest to another day: of its month, or of the one before or behind."""
    if days is None:
        return None
    at = days.first.toordinal()
    places = range(max(1, at - _HALF_A_MONTH), min(dt.date.max.toordinal(), at + _HALF_A_MONTH) + 1)
    around = (one for one in map(dt.date.fromordinal, places) if one.day == number)
    near = min(around, default=None, key=lambda one: abs(one - days.first))
    return Days(near, near, DAY) if near is not None else None
