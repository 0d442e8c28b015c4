"""Dates in a text, resolved against the day on which it was said: `yesterday`, `в прошлый вторник`, `下周三`, `3일 전`.

What has two readings is not returned: `03/04/2026` (unless the order is given), `on Tuesday`, `in August` said in
February, `a few days ago`. Weeks begin on Monday. A week, month or year that is counted from today (`two weeks ago`) is
that whole calendar week, month or year. `last Tuesday` is the latest one before the day; `this Friday` the one of the
current week, when it is not over; `next Friday` the one of the following week: where "this Friday" names the nearer
one, "next Friday" is said for the other, as `下周五`, `다음 주 금요일` and `в следующую пятницу` are in languages that
leave less choice. (The Unicode locale data take the nearest Friday to come; the two differ from Monday to Thursday.)

Calendar arithmetic is dateutil's. dateparser 1.5 was measured and left: it gives instants without their precision, no
weekdays or number words in Chinese and Korean, and takes "may", "1-2" and "1.5" for dates.
"""

import datetime as dt
from collections.abc import Callable
from collections.abc import Sequence
from typing import Final
from typing import Literal
from typing import NamedTuple

from dateutil.relativedelta import relativedelta
from dateutil.relativedelta import weekday

from engram.language.dates.rules import Match
from engram.language.dates.rules import Said
from engram.language.dates.rules import load_date_rules
from engram.language.dates.rules import may_speak
from engram.language.matching.prefilter import compiled

DAY: Final = "day"
WEEK: Final = "week"
MONTH: Final = "month"
YEAR: Final = "year"
WEEKEND: Final = "weekend"
ABSOLUTE: Final = "absolute"
RELATIVE: Final = "relative"

_YEAR: Final = r"(?<!\d)(?:19|20)\d\d(?!\d)"

Order = Literal["", "dmy", "mdy"]  # of 03/04/2026; "" when it is not known

_SATURDAY = 6  # weekdays are numbered from Monday, 1
_COMING = 2  # the value of "which" for "this coming Friday"
_NEAR_DAYS = 125  # a day or month without a year is the nearest one; farther away, two years are about as near
_MAX_CHARS = 100_000  # what is read of one text

_Days = tuple[dt.date, dt.date, str]  # first and last day, precision


class FoundDate(NamedTuple):
    """A date in a text: `text[start:end]` speaks of the days from `first` to `last`, both included."""

    start: int  # characters from the beginning of the text
    end: int  # characters, exclusive
    first: dt.date
    last: dt.date
    precision: str  # day, week, month, year: the unit in which it was said (a weekend is said in days)
    kind: str  # absolute (named, perhaps without its year) or relative (counted from the day it was said)


def find_dates(text: str, day: dt.date, *, order: Order = "") -> list[FoundDate]:
    """Return the dates of a text said on that day, in order, without overlap; of two the longer one.

    `order` says how 03/04/2026 is to be read; without it such a date is left out. Impossible dates are left out. Of a
    very long text only the beginning is read. Linear in the length of the text.
    """
    return resolve_dates(match_dates(text), day, order=order)


def match_dates(text: str) -> list[Match]:
    """Return the places where a text speaks of dates, in order, without overlap: on whatever day it was said."""
    text = text[:_MAX_CHARS]
    low = text.lower()
    if not may_speak(low):
        return []
    matches = [match for rules in load_date_rules() if rules.are_for(text) for match in rules.find(text, low)]
    apart: list[Match] = []
    for match in sorted(matches, key=lambda match: (match.start, -match.end)):
        if not apart or match.start >= apart[-1].end:  # what cannot be resolved still hides what stands inside it
            apart.append(match)
    return apart


def resolve_dates(places: Sequence[Match], day: dt.date, *, order: Order = "") -> list[FoundDate]:
    """Return the dates of these places of a text said on that day; see `find_dates`."""
    return [date for match in places for date in _resolved(match, day, order)]


def lacks_year(text: str, date: FoundDate) -> bool:
    """Tell whether a date of a text is named without its year."""
    return date.kind == ABSOLUTE and not compiled(_YEAR).search(text, date.start, date.end)


def _resolved(match: Match, day: dt.date, order: Order) -> list[FoundDate]:
    if match.means == "digits":
        match.said.numbers |= _ordered(match.said, order)
    kind, read = READINGS[match.means]
    try:
        days = read(match.said, day)
    except (ValueError, OverflowError):  # 30 February, or a year that no calendar has
        return []
    if days is None or days[0] > days[1]:
        return []
    return [FoundDate(match.start, match.end, *days, kind)]


# --- days ----------------------------------------------------------------------------------------------------------


def _shifted(day: dt.date, *, days: int = 0, weeks: int = 0, months: int = 0, years: int = 0) -> dt.date:
    return day + relativedelta(days=days, weeks=weeks, months=months, years=years)


def shifted_by(day: dt.date, unit: str, count: int) -> dt.date:
    """Return the day so many units later (before, when negative); weekends are as far apart as weeks."""
    name = WEEK if unit == WEEKEND else unit
    return _shifted(day, **{f"{name}s": count})


def _one(day: dt.date) -> _Days:
    return day, day, DAY


def unit_around(day: dt.date, unit: str) -> _Days:
    """Return the calendar week, weekend of the week, month or year that the day lies in."""
    monday = day - dt.timedelta(days=day.weekday())
    if unit == WEEK:
        return monday, monday + dt.timedelta(days=6), WEEK
    if unit == WEEKEND:
        return monday + dt.timedelta(days=5), monday + dt.timedelta(days=6), DAY
    if unit == MONTH:
        return _whole_month(day.year, day.month)
    if unit == YEAR:
        return day.replace(month=1, day=1), day.replace(month=12, day=31), YEAR
    return _one(day)


def _whole_month(year: int, month: int) -> _Days:
    first = dt.date(year, month, 1)
    return first, _shifted(first, months=1, days=-1), MONTH


def _counted(day: dt.date, unit: str, count: int) -> _Days:
    """Return the unit that lies so many units after the day (before it, when negative)."""
    if unit == WEEKEND and count < 0 and day.isoweekday() == _SATURDAY + 1:
        day -= dt.timedelta(days=1)  # on Sunday the weekend is not over: the last one is the one before
    return unit_around(shifted_by(day, unit, count), unit)


def _nearest(candidates: list[_Days], day: dt.date) -> _Days | None:
    """Return the nearest of the days or months that differ in their year only, or None when two are about as near."""
    days = min(candidates, key=lambda one: abs((one[0] - day).days))
    return days if abs((days[0] - day).days) <= _NEAR_DAYS else None


# --- what rules may mean -------------------------------------------------------------------------------------------


def _day(said: Said, day: dt.date) -> _Days:
    return _one(_shifted(day, days=said.numbers["shift"]))


def _ago(said: Said, day: dt.date) -> _Days:
    return _counted(day, said.unit, said.numbers["sign"] * said.numbers.get("number", 1))


def _period(said: Said, day: dt.date) -> _Days | None:
    which = said.numbers.get("which", said.numbers.get("offset", 0))
    return None if said.unit == DAY else _counted(day, said.unit, which)


def _weekday(said: Said, day: dt.date) -> _Days | None:
    which, number = said.numbers["which"], said.numbers["weekday"]
    if which < 0:
        return _one(day + relativedelta(days=-1, weekday=weekday(number - 1)(which)))
    if which == _COMING:
        return _one(day + relativedelta(days=1, weekday=weekday(number - 1)(1)))
    in_week = _weekday_of_week(said, day)
    return in_week if in_week[0] >= day else None  # "this Monday" on a Tuesday may be either


def _weekdays_ago(said: Said, day: dt.date) -> _Days | None:
    said.numbers["which"] = -said.numbers["number"]
    return _weekday(said, day) if said.numbers["number"] > 0 else None


def _weekday_of_week(said: Said, day: dt.date) -> _Days:
    monday = _counted(day, WEEK, said.numbers["which"])[0]
    return _one(monday + dt.timedelta(days=said.numbers["weekday"] - 1))


def _named_month(said: Said, day: dt.date) -> _Days | None:
    """Read "last March": in December that is this year's for some and last year's for others."""
    which, month = said.numbers["which"], said.numbers["month"]
    if (which < 0 and month < day.month) or (which > 0 and month > day.month):
        return None
    return _whole_month(day.year + which, month)


def _near_month(said: Said, day: dt.date) -> _Days | None:
    months = [_whole_month(day.year + years, said.numbers["month"]) for years in (-1, 0, 1)]
    return _nearest(months, day.replace(day=1))


def _of_year(said: Said, day: dt.date) -> _Days:
    year = day.year + said.numbers["which"]
    if "day" in said.numbers:
        return _one(dt.date(year, said.numbers["month"], said.numbers["day"]))
    return _whole_month(year, said.numbers["month"])


def _ordered(said: Said, order: Order) -> dict[str, int]:
    left, right = said.numbers["left"], said.numbers["right"]
    if order == "mdy" or (not order and right > 12):
        return {"month": left, "day": right}
    if order == "dmy" or left > 12 or left == right:
        return {"day": left, "month": right}
    return {"day": 0, "month": 0}  # no date of any calendar


def _date(said: Said, day: dt.date) -> _Days | None:
    month, number = said.numbers["month"], said.numbers["day"]
    if "year" in said.numbers:
        return _one(dt.date(said.numbers["year"], month, number))
    dates = [_one(dt.date(year, month, number)) for year in _years_around(day, month, number)]
    return _nearest(dates, day) if dates else None


def _years_around(day: dt.date, month: int, number: int) -> list[int]:
    """Return the years around a day that have such a date: 29 February is not in all of them."""
    years = []
    for year in (day.year - 1, day.year, day.year + 1):
        try:
            dt.date(year, month, number)
        except ValueError:
            continue
        years.append(year)
    return years


def _days(said: Said, day: dt.date) -> _Days | None:
    first = _date(said, day)
    if first is None:
        return None
    return first[0], first[0].replace(day=said.numbers["until"]), DAY


def _month(said: Said, day: dt.date) -> _Days:
    del day
    return _whole_month(said.numbers["year"], said.numbers["month"])


def _year(said: Said, day: dt.date) -> _Days:
    return unit_around(day.replace(day=1, year=said.numbers["year"]), YEAR)


READINGS: dict[str, tuple[str, Callable[[Said, dt.date], _Days | None]]] = {
    "day": (RELATIVE, _day),
    "ago": (RELATIVE, _ago),
    "period": (RELATIVE, _period),
    "weekday": (RELATIVE, _weekday),
    "weekday ago": (RELATIVE, _weekdays_ago),
    "weekday of week": (RELATIVE, _weekday_of_week),
    "named month": (RELATIVE, _named_month),
    "near month": (ABSOLUTE, _near_month),
    "month of year": (RELATIVE, _of_year),
    "date of year": (RELATIVE, _of_year),
    "date": (ABSOLUTE, _date),
    "digits": (ABSOLUTE, _date),
    "days": (ABSOLUTE, _days),
    "month": (ABSOLUTE, _month),
    "year": (ABSOLUTE, _year),
}
