"""What the rules of question_time.py may mean: from what a question says and its day, the days that it asks about."""

import contextlib
import datetime as dt
from collections.abc import Callable
from typing import Final

from dateutil.relativedelta import relativedelta

from engram.language.dates.dates import DAY
from engram.language.dates.dates import MONTH
from engram.language.dates.dates import READINGS
from engram.language.dates.dates import WEEK
from engram.language.dates.dates import YEAR
from engram.language.dates.rules import Said

_A_DAY = dt.timedelta(days=1)
_QUARTER_MONTHS = 3

Days = tuple[dt.date, dt.date, str]  # the first and the last day, and the unit in which they were said


def _window(said: Said, today: dt.date) -> Days:
    count = said.numbers.get("number", 1)
    units = {"weekend": WEEK}.get(said.unit, said.unit)
    return today - relativedelta(**{f"{units}s": count}), today, DAY  # type: ignore[arg-type]


def _latest_weekday(said: Said, today: dt.date) -> Days:
    back = (today.isoweekday() - said.numbers["weekday"] - 1) % 7 + 1  # on that very weekday it is a week ago
    day = today - dt.timedelta(days=back)
    return day, day, DAY


def _quarter(said: Said, today: dt.date) -> Days:
    if "quarter" not in said.numbers:
        return _quarter_of(today.year, (today.month - 1) // _QUARTER_MONTHS + said.numbers["which"])
    number = said.numbers["quarter"] - 1
    if "which" in said.numbers:
        return _quarter_of(today.year + said.numbers["which"], number)
    year = said.numbers.get("year", today.year)
    days = _quarter_of(year, number)
    return days if "year" in said.numbers or days[0] <= today else _quarter_of(year - 1, number)


def _quarter_of(year: int, number: int) -> Days:
    """Return the quarter so many quarters after the year's first one."""
    first = _month_of(year, number * _QUARTER_MONTHS)
    return first, _month_of(year, (number + 1) * _QUARTER_MONTHS) - _A_DAY, MONTH


def _month(said: Said, today: dt.date) -> Days:
    month = dt.date(today.year, said.numbers["month"], 1).month - 1  # ValueError: there is no thirteenth
    year = today.year if month < today.month else today.year - 1
    return _month_of(year, month), _month_of(year, month + 1) - _A_DAY, MONTH


def _date(said: Said, today: dt.date) -> Days:
    if "year" in said.numbers:
        day = dt.date(said.numbers["year"], said.numbers["month"], said.numbers["day"])
        return day, day, DAY
    for year in (today.year, today.year - 1):
        with contextlib.suppress(ValueError):  # 29 February is not in every year
            day = dt.date(year, said.numbers["month"], said.numbers["day"])
            if day <= today:
                return day, day, DAY
    raise ValueError(f"there was no such day in the year before {today}")


def _month_of(year: int, months: int) -> dt.date:
    """Return the first day of the month so many months after the year's January."""
    return dt.date(year + months // 12, months % 12 + 1, 1)


def _year(said: Said, today: dt.date) -> Days:
    del today
    year = said.numbers["year"]
    return dt.date(year, 1, 1), dt.date(year, 12, 31), YEAR


def _years(said: Said, today: dt.date) -> Days:
    del today
    first, last = dt.date(said.numbers["year"], 1, 1), dt.date(said.numbers["until"], 12, 31)
    if first > last:
        raise ValueError(f"{first} is after {last}")
    return first, last, YEAR


def _always(said: Said) -> bool:
    del said
    return True


def _never(said: Said) -> bool:
    del said
    return False


def _without_year(said: Said) -> bool:
    return not said.numbers.keys() & {"year", "which"}


MEANINGS: Final[dict[str, tuple[Callable[[Said, dt.date], Days | None], Callable[[Said], bool]]]] = {
    # what a rule may mean -> how it is read, and whether what was said lacks its year (or, of a weekday, its week)
    "window": (_window, _never),
    **{name: (READINGS[name][1], _never) for name in ("day", "ago", "period", "weekday")},
    "month of a year": (READINGS["month"][1], _never),
    "date": (_date, _without_year),
    "latest weekday": (_latest_weekday, _always),
    "quarter": (_quarter, _without_year),
    "month": (_month, _always),
    "year": (_year, _never),
    "years": (_years, _never),
}
NAMED: Final = frozenset({"date", "month"})  # meanings of a day or a month that is called by its name
