"""How days are read that only the direction of a statement tells: the latest ones before a day, or the next ones."""

import datetime as dt
from collections.abc import Callable
from typing import Final
from typing import Literal
from typing import NamedTuple

from dateutil.easter import EASTER_ORTHODOX
from dateutil.easter import EASTER_WESTERN
from dateutil.easter import easter
from dateutil.relativedelta import relativedelta
from dateutil.relativedelta import weekday

from engram.language.dates.dates import DAY
from engram.language.dates.dates import MONTH
from engram.language.dates.dates import WEEK
from engram.language.dates.dates import WEEKEND
from engram.language.dates.dates import YEAR
from engram.language.dates.dates import shifted_by
from engram.language.dates.dates import unit_around
from engram.language.dates.rules import Said

_MONTHS = 12
_THURSDAY = 3  # as dateutil counts, from Monday, 0
_A_DAY = dt.timedelta(days=1)


class Days(NamedTuple):
    """Days from the first to the last, both included."""

    first: dt.date
    last: dt.date
    precision: str  # day, week, month, year: the unit in which they were said


def read_open(means: str, said: Said, day: dt.date, sign: int) -> Days | None:
    """Return the latest such days not after the day, or with a sign of 1 the earliest not before it."""
    try:
        return _READINGS[means](said, day, sign)
    except (ValueError, OverflowError):  # no calendar has them
        return None


def _weekday(said: Said, day: dt.date, sign: int) -> Days:
    away = (said.numbers["weekday"] - day.isoweekday()) * sign % 7 or 7  # of today one would say today
    found = day + dt.timedelta(days=away * sign)
    return Days(found, found, DAY)


def _day_of_month(said: Said, day: dt.date, sign: int) -> Days:
    month = day.replace(day=1)
    for _ in range(3):  # there is a 31st in one of any two months, but not before February and in it
        found = _with_day(month, said.numbers["day"])
        if found is not None and (found - day).days * sign >= 0:
            return Days(found, found, DAY)
        month = (month + 31 * _A_DAY if sign > 0 else month - _A_DAY).replace(day=1)
    raise ValueError(f"no month has a day {said.numbers['day']}")


def _with_day(month: dt.date, number: int) -> dt.date | None:
    try:
        return month.replace(day=number)
    except ValueError:
        return None


def _date(said: Said, day: dt.date, sign: int) -> Days:
    for years in range(9):  # 29 February comes again after eight years at most
        found = _with_date(day.year + years * sign, said.numbers["month"], said.numbers["day"])
        if found is not None and (found - day).days * sign >= 0:
            return Days(found, found, DAY)
    raise ValueError("no year has such a day")


def _with_date(year: int, month: int, number: int) -> dt.date | None:
    try:
        return dt.date(year, month, number)
    except ValueError:
        return None


def _range_of_days(said: Said, day: dt.date, sign: int) -> Days:
    first = _date(said, day, sign).first
    last = first.replace(day=said.numbers["until"])
    if last <= first:
        raise ValueError("the last day comes before the first")
    return Days(first, last, DAY)


def _month(said: Said, day: dt.date, sign: int) -> Days:
    if "year" in said.numbers:
        return _whole(dt.date(said.numbers["year"], said.numbers["month"], 1), MONTH)
    this_year = _whole(dt.date(day.year, said.numbers["month"], 1), MONTH)
    is_past, is_to_come = this_year.first <= day, this_year.last >= day
    years = 0 if (is_to_come if sign > 0 else is_past) else sign
    return _whole(dt.date(day.year + years, said.numbers["month"], 1), MONTH)


def _unit(said: Said, day: dt.date, sign: int) -> Days:
    """Read the end of this, the last or the next week, month or year."""
    del sign
    if "year" in said.numbers:
        return _whole(dt.date(said.numbers["year"], 1, 1), YEAR)
    return _whole(shifted_by(day, said.unit, said.numbers.get("which", 0)), said.unit)


def _day_of_unit(said: Said, day: dt.date, sign: int) -> Days:
    """Read the day of this, the last or the next month that a number says: the 3rd of next month."""
    month = _unit(said, day, sign).first
    found = _with_day(month, said.numbers["day"])
    if found is None:
        raise ValueError(f"{month:%Y-%m} has no day {said.numbers['day']}")
    return Days(found, found, DAY)


def _quarter(said: Said, day: dt.date, sign: int) -> Days:
    first_month = said.numbers["quarter"] * 3 - 2
    year = said.numbers.get("year", day.year)
    found = _quarter_of(year, first_month)
    if "year" not in said.numbers and (found.last < day if sign > 0 else found.first > day):
        return _quarter_of(year + sign, first_month)
    return found


def _end_of_quarter(said: Said, day: dt.date, sign: int) -> Days:
    del sign
    then = shifted_by(day.replace(day=1), MONTH, 3 * said.numbers.get("which", 0))
    return _quarter_of(then.year, then.month - (then.month - 1) % 3)


def _quarter_of(year: int, first_month: int) -> Days:
    last = _whole(dt.date(year, first_month + 2, 1), MONTH).last
    return Days(dt.date(year, first_month, 1), last, MONTH)


def _in_units(said: Said, day: dt.date, sign: int) -> Days:
    """Read "in three days": that day; in weeks and months it is about then."""
    if sign < 0:
        raise ValueError("nothing was in so many days")
    if said.unit == WEEKEND:
        raise ValueError("what is done in a weekend says how long it takes, not when")
    then = shifted_by(day, said.unit, said.numbers.get("number", 1))
    return Days(then, then, said.unit)


def _digits(said: Said, day: dt.date, sign: int) -> Days:
    """Read 31/12 and 12/31, where the numbers leave no choice."""
    left, right = said.numbers["left"], said.numbers["right"]
    month, number = (left, right) if right > _MONTHS else (right, left)
    if number <= _MONTHS and left != right:
        raise ValueError("day and month may change places")
    return _date(Said({"month": month, "day": number}, ""), day, sign)


def _weekend(said: Said, day: dt.date, sign: int) -> Days:
    """Read the latest weekend that has begun before the day, or the one that is not over."""
    del said
    saturday = day - dt.timedelta(days=day.weekday()) + 5 * _A_DAY
    if sign < 0 and saturday >= day:
        saturday -= 7 * _A_DAY
    return Days(saturday, saturday + _A_DAY, WEEK)


def _week_of_month(said: Said, day: dt.date, sign: int) -> Days:
    """Read the first, second, ... or last (-1) week of a month: a week is of the month that most of its days are in.

    That is the month of its Thursday, as in ISO 8601 a week is of the year of its Thursday.
    """
    month = _month(said, day, sign)
    thursday = weekday(_THURSDAY)(said.numbers["week"])
    found = (month.first if said.numbers["week"] > 0 else month.last) + relativedelta(weekday=thursday)
    if not month.first <= found <= month.last:
        raise ValueError("the month has no such week")
    return _whole(found, WEEK)


def _middle_of_month(said: Said, day: dt.date, sign: int) -> Days:
    """Read the middle of a month: the week around its 15th."""
    middle = _month(said, day, sign).first.replace(day=15)
    return Days(middle, middle, WEEK)


def _weekday_of_month(said: Said, day: dt.date, sign: int) -> Days:
    """Read a feast on a numbered weekday of a month: Thanksgiving is the fourth Thursday of November."""

    def of_year(year: int) -> dt.date:
        first = dt.date(year, said.numbers["month"], 1)
        return first + relativedelta(weekday=weekday(said.numbers["weekday"] - 1)(said.numbers["number"]))

    return _feast(of_year, said, day, sign)


def _easter(said: Said, day: dt.date, sign: int) -> Days:
    """Read a feast that is so many days (`offset`) from Easter; the Orthodox one where `number` is 1."""
    method: Literal[1, 2, 3] = EASTER_ORTHODOX if said.numbers.get("number") else EASTER_WESTERN
    away = dt.timedelta(days=said.numbers.get("offset", 0))
    return _feast(lambda year: easter(year, method) + away, said, day, sign)


def _feast(of_year: Callable[[int], dt.date], said: Said, day: dt.date, sign: int) -> Days:
    year = said.numbers.get("year", day.year)
    found = of_year(year)
    if "year" not in said.numbers and (found - day).days * sign < 0:
        found = of_year(year + sign)
    return Days(found, found, DAY)


def _season(said: Said, day: dt.date, sign: int) -> Days:
    """Read a season; nobody says on which day it begins, so it is no more exact than its year."""
    if "year" in said.numbers:
        return _season_of(said.numbers["year"], said.numbers["season"])
    if said.numbers.get("which"):
        year = day.year + said.numbers["which"]
        this = _season_of(day.year, said.numbers["season"])
        is_this = this.last < day if said.numbers["which"] < 0 else this.first > day
        return this if is_this else _season_of(year, said.numbers["season"])
    found = _season_of(day.year, said.numbers["season"])
    is_there = found.last >= day if sign > 0 else found.first <= day
    return found if is_there else _season_of(day.year + sign, said.numbers["season"])


def _season_of(year: int, month: int) -> Days:
    first = dt.date(year, month, 1)
    return Days(first, _whole(shifted_by(first, MONTH, 2), MONTH).last, YEAR)


def _counted_weeks(said: Said, day: dt.date, sign: int) -> Days:
    """Read "two weeks ago": about that day, in that week."""
    del sign
    about = day + dt.timedelta(weeks=said.numbers["sign"] * said.numbers.get("number", 1))
    return Days(about, about, WEEK)


def _whole(day: dt.date, unit: str) -> Days:
    """Return the calendar day, week, weekend of the week, month or year in which a day lies."""
    first, last, precision = unit_around(day, unit)
    return Days(first, last, WEEK if unit == WEEKEND else precision)


_READINGS: Final[dict[str, Callable[[Said, dt.date, int], Days]]] = {
    "weekday": _weekday,
    "day of month": _day_of_month,
    "date": _date,
    "days": _range_of_days,
    "month": _month,
    "end of month": _month,
    "end of unit": _unit,
    "weeks": _counted_weeks,
    "day of unit": _day_of_unit,
    "unit": _unit,
    "digits": _digits,
    "weekend": _weekend,
    "week of month": _week_of_month,
    "middle of month": _middle_of_month,
    "weekday of month": _weekday_of_month,
    "easter": _easter,
    "season": _season,
    "quarter": _quarter,
    "end of quarter": _end_of_quarter,
    "in": _in_units,
}
