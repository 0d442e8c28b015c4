"""The days that a statement names, each as it is read of what was and of what is to come.

`on Thursday` is last Thursday of what happened and next Thursday of what is planned, `the 29th` and `in March`
likewise; what leaves no choice (`yesterday`, `8 May 2023`) is the same in both. dates.py returns only what has one
reading.
"""

import datetime as dt
from collections.abc import Callable
from collections.abc import Iterable
from typing import Final
from typing import NamedTuple

from engram.language.date_rules import Said
from engram.language.dates import ABSOLUTE
from engram.language.dates import DAY
from engram.language.dates import MONTH
from engram.language.dates import WEEK
from engram.language.dates import YEAR
from engram.language.dates import FoundDate
from engram.language.dates import find_dates
from engram.language.expressions import compiled
from engram.language.validity_rules import load_validity_rules

_ANCHOR_DAYS = (110, 220, 330)  # days away from which a date without a year is nearest: all of the year around us
_YEAR = r"(?<!\d)(?:19|20)\d\d(?!\d)"
_BESIDE = r"[\s,(]{0,3}(?:(?i:the|the\s+)\s?)?"  # between a weekday and the date that it belongs to
_A_DAY = dt.timedelta(days=1)


class Days(NamedTuple):
    """Days from the first to the last, both included."""

    first: dt.date
    last: dt.date
    precision: str  # day, week, month, year: the unit in which they were said


class NamedDays(NamedTuple):
    """One place of a text that names days."""

    start: int  # characters from the beginning of the text
    end: int  # exclusive
    past: Days | None  # when it speaks of what was
    future: Days | None  # when it speaks of what is to come
    nearest: Days | None  # when nothing says which; None: then it cannot be told
    is_end: bool = False  # the end of them is meant
    is_range: bool = False  # a first and a last day were said
    is_weekday: bool = False  # a weekday and nothing more
    is_span: bool = False  # a quarter, or so many days from then: when it is due, what it is for, or how long it takes


def name_days(text: str, said_on: dt.date) -> list[NamedDays]:
    """Return the days that a text said on that day names, in order, without overlap; of two places the longer one.

    Linear in the length of the text.
    """
    found = [*_own(text, said_on), *_dates(text, said_on)]
    apart: list[NamedDays] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if not apart or one.start >= apart[-1].end:
            apart.append(one)
    return _without_weekdays_of_dates(text, apart)


def _without_weekdays_of_dates(text: str, named: list[NamedDays]) -> list[NamedDays]:
    """Return the days without the weekdays that stand beside a date: the date counts, even where they disagree."""
    kept = []
    for place, one in enumerate(named):
        beside = named[max(0, place - 1) : place] + named[place + 1 : place + 2]
        if not (one.is_weekday and any(not other.is_weekday and _are_beside(text, one, other) for other in beside)):
            kept.append(one)
    return kept


def _are_beside(text: str, one: NamedDays, other: NamedDays) -> bool:
    left, right = sorted((one, other))
    return compiled(_BESIDE).fullmatch(text, left.end, right.start) is not None


# --- dates that are the nearest ones -----------------------------------------------------------------------------


def _dates(text: str, said_on: dt.date) -> list[NamedDays]:
    found = {(date.start, date.end): date for date in find_dates(text, said_on)}
    sure = {place: date for place, date in found.items() if not _lacks_year(text, date)}
    open_dates = _around(text, said_on, sure)
    named = [_sure(date) for date in sure.values()]
    for place, dates in open_dates.items():
        past = max((one for one in dates if one.first <= said_on), default=None, key=lambda one: one.first)
        future = min((one for one in dates if one.last >= said_on), default=None, key=lambda one: one.first)
        nearest = found.get(place)
        is_range = any(_is_range(one) for one in dates)
        named.append(NamedDays(place[0], place[1], _days(past), _days(future), _days(nearest), is_range=is_range))
    return named


def _around(text: str, said_on: dt.date, sure: Iterable[tuple[int, int]]) -> dict[tuple[int, int], set[FoundDate]]:
    """Return the dates without a year as they are read in the year before and the year behind the day."""
    taken = set(sure)
    around: dict[tuple[int, int], set[FoundDate]] = {}
    for days in (*(-days for days in _ANCHOR_DAYS), 0, *_ANCHOR_DAYS):
        try:
            anchor = said_on + dt.timedelta(days=days)
        except OverflowError:  # no calendar has it
            continue
        for date in find_dates(text, anchor):
            place = (date.start, date.end)
            if place not in taken and _lacks_year(text, date):
                around.setdefault(place, set()).add(date)
    return around


def _lacks_year(text: str, date: FoundDate) -> bool:
    return date.kind == ABSOLUTE and not compiled(_YEAR).search(text, date.start, date.end)


def _sure(date: FoundDate) -> NamedDays:
    days = _days(date)
    return NamedDays(date.start, date.end, days, days, days, is_range=_is_range(date))


def _is_range(date: FoundDate) -> bool:
    return date.kind == ABSOLUTE and date.precision == DAY and date.first < date.last


def _days(date: FoundDate | None) -> Days | None:
    if date is None:
        return None
    is_weekend = date.kind != ABSOLUTE and date.first < date.last and date.precision == DAY
    return Days(date.first, date.last, WEEK if is_weekend else date.precision)


# --- days that only the direction tells --------------------------------------------------------------------------


def _own(text: str, said_on: dt.date) -> list[NamedDays]:
    named = []
    for rules in load_validity_rules():
        if not rules.are_for(text):
            continue
        for match in rules.find(text):
            past, future = _read(match.means, match.said, said_on, -1), _read(match.means, match.said, said_on, 1)
            if past is None and future is None:
                continue
            same = past if past == future else None
            is_end, is_weekday = match.means.startswith("end"), match.means == "weekday"
            is_range, is_span = match.means == "days", match.means in {"in", "quarter"}
            named.append(NamedDays(match.start, match.end, past, future, same, is_end, is_range, is_weekday, is_span))
    return named


def _read(means: str, said: Said, day: dt.date, sign: int) -> Days | None:
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
    return _whole(_shifted(day, said.unit, said.numbers.get("which", 0)), said.unit)


def _quarter(said: Said, day: dt.date, sign: int) -> Days:
    first_month = said.numbers["quarter"] * 3 - 2
    year = said.numbers.get("year", day.year)
    found = _quarter_of(year, first_month)
    if "year" not in said.numbers and (found.last < day if sign > 0 else found.first > day):
        return _quarter_of(year + sign, first_month)
    return found


def _end_of_quarter(said: Said, day: dt.date, sign: int) -> Days:
    del sign
    then = _shifted(day.replace(day=1), MONTH, 3 * said.numbers.get("which", 0))
    return _quarter_of(then.year, then.month - (then.month - 1) % 3)


def _quarter_of(year: int, first_month: int) -> Days:
    last = _whole(dt.date(year, first_month + 2, 1), MONTH).last
    return Days(dt.date(year, first_month, 1), last, MONTH)


def _in_units(said: Said, day: dt.date, sign: int) -> Days:
    """Read "in three days": that day; in weeks and months it is about then."""
    if sign < 0:
        raise ValueError("nothing was in so many days")
    then = _shifted(day, said.unit, said.numbers.get("number", 1))
    return Days(then, then, said.unit)


def _new_year(said: Said, day: dt.date, sign: int) -> Days:
    del said
    first = dt.date(day.year + (sign > 0 and day > dt.date(day.year, 1, 1)), 1, 1)
    return Days(first, first, DAY)


def _counted_weeks(said: Said, day: dt.date, sign: int) -> Days:
    """Read "two weeks ago": about that day, in that week."""
    del sign
    about = day + dt.timedelta(weeks=said.numbers["sign"] * said.numbers.get("number", 1))
    return Days(about, about, WEEK)


def _shifted(day: dt.date, unit: str, count: int) -> dt.date:
    from dateutil.relativedelta import relativedelta  # noqa: PLC0415 - only texts with such dates pay for it

    return day + relativedelta(**{f"{unit}s": count})  # type: ignore[arg-type]


def _whole(day: dt.date, unit: str) -> Days:
    """Return the calendar day, week, month or year in which a day lies."""
    if unit == WEEK:
        monday = day - dt.timedelta(days=day.weekday())
        return Days(monday, monday + dt.timedelta(days=6), WEEK)
    if unit == MONTH:
        first = day.replace(day=1)
        return Days(first, (first + 31 * _A_DAY).replace(day=1) - _A_DAY, MONTH)
    if unit == YEAR:
        return Days(day.replace(month=1, day=1), day.replace(month=12, day=31), YEAR)
    return Days(day, day, DAY)


_READINGS: Final[dict[str, Callable[[Said, dt.date, int], Days]]] = {
    "weekday": _weekday,
    "day of month": _day_of_month,
    "date": _date,
    "days": _range_of_days,
    "month": _month,
    "end of month": _month,
    "end of unit": _unit,
    "weeks": _counted_weeks,
    "new year": _new_year,
    "quarter": _quarter,
    "end of quarter": _end_of_quarter,
    "in": _in_units,
}
