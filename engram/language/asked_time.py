"""The time that a question asks about: "last week", "в марте", "지난주", "since May", "in the last three days".

It is for a soft preference: of documents that fit, those whose day lies inside come first. So it is read only when the
question surely asks about that time. Not read are dates of something else ("the budget for March", "born in 1990"),
what may as well be to come or holds at any time ("this week", "in March" without a word of the past), two dates that
are not meant together, seasons (which of them is where?), and times that are told by an event: "before the launch"
names no day; whoever knows the event's fact knows its day.

A month or day without a year is the latest one that has begun; with a word of what is to come, the nearest one. A
window such as "the last three days" ends today. Quarters are those of the calendar year.
"""

import datetime as dt
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Sequence
from typing import Final
from typing import NamedTuple

from engram.language.asked_time_rules import AskedRules
from engram.language.asked_time_rules import load_asked_rules
from engram.language.date_rules import Said
from engram.language.dates import ABSOLUTE
from engram.language.dates import DAY
from engram.language.dates import MONTH
from engram.language.dates import WEEK
from engram.language.dates import YEAR
from engram.language.dates import FoundDate
from engram.language.dates import find_dates
from engram.language.expressions import compiled

_MAX_CHARS = 2_000  # what is read of a question
_UNITS = (DAY, WEEK, MONTH, YEAR)  # finer to coarser
_ANCHOR_DAYS = (110, 220, 330)  # days back from which a date without a year is nearest: all of the year behind us
_QUARTER_MONTHS = 3
_A_DAY = dt.timedelta(days=1)
_YEAR = r"(?<!\d)(?:19|20)\d\d(?!\d)"

_Days = tuple[dt.date, dt.date, str]


class AskedTime(NamedTuple):
    """The days that a question asks about, both ends included."""

    first: dt.date | None  # None: no beginning
    last: dt.date | None  # None: no end
    words: str  # of the question, that say so
    precision: str  # day, week, month, year: the unit in which it was said

    def holds(self, day: dt.date) -> bool:
        """Tell whether a day lies inside."""
        return (self.first is None or self.first <= day) and (self.last is None or day <= self.last)


class _Read(NamedTuple):
    start: int  # characters from the beginning of the question
    end: int  # exclusive
    first: dt.date
    last: dt.date
    precision: str
    lacks_year: bool = False  # it is the latest one that has begun
    holds_today: bool = False  # it has begun, and is not over

    @property
    def needs_past(self) -> bool:
        """Whether it may be meant otherwise, unless the question asks for what was."""
        return self.lacks_year or self.holds_today


def asked_time(query: str, today: dt.date) -> AskedTime | None:
    """Return the time that a question, asked on that day, asks about; None when it asks about none, or not surely."""
    query = query[:_MAX_CHARS]
    rules = [one for one in load_asked_rules() if one.are_for(query)]
    if any(one.denies_all(query) for one in rules):
        return None
    to_come = any(one.asks_for("future", query) for one in rules)
    found = _apart([*_dates(query, today, to_come=to_come), *_own(query, today, rules, to_come=to_come)])
    kept = [one for one in found if not any(rule.denies(query, one.start, one.end) for rule in rules)]
    if len(found) == 2 and found[0] in kept and any(rule.joins(query[found[0].end : found[1].start]) for rule in rules):
        return _of_two(query, *found)
    return _of_one(query, kept[0], rules, today, to_come=to_come) if len(kept) == 1 else None


# --- one time, or one from two -----------------------------------------------------------------------------------


def _of_one(query: str, one: _Read, rules: Sequence[AskedRules], today: dt.date, *, to_come: bool) -> AskedTime | None:
    asks_for_past = any(rule.asks_for("past", query) for rule in rules)
    if one.needs_past and (not asks_for_past or (to_come and one.first <= today)):
        return None
    bound = next(filter(None, (rule.bound(query, one.start, one.end) for rule in rules)), "")
    try:
        first, last = _bounded(one, bound)
    except OverflowError:  # before the first day, or after the last, that a calendar has
        return None
    if first is None and (last is None or last >= today):
        return None  # whatever was said
    return AskedTime(first, last, query[one.start : one.end], one.precision)


def _bounded(one: _Read, bound: str) -> tuple[dt.date | None, dt.date | None]:
    """Return the first and the last day, of which a bound (since, after, before, until) leaves one open."""
    if bound == "since":
        return one.first, None
    if bound == "after":
        return one.last + _A_DAY, None
    if bound == "before":
        return None, one.first - _A_DAY
    return (None if bound == "until" else one.first), one.last


def _of_two(query: str, left: _Read, right: _Read) -> AskedTime | None:
    if left.lacks_year:
        try:
            left = _begun_before(left, right)
        except ValueError:  # there is no such day in that year
            return None
    first, last = min(left.first, right.first), max(left.last, right.last)
    precision = max(left.precision, right.precision, key=_UNITS.index)
    return AskedTime(first, last, query[left.start : right.end], precision)


def _begun_before(left: _Read, right: _Read) -> _Read:
    """Return what was said without its year as the latest one not after what stands behind it."""
    same = left if right.lacks_year else _moved(left, right.first.year - left.first.year)
    return same if same.first <= right.first else _moved(same, -1)


def _moved(one: _Read, years: int) -> _Read:
    first, last = (day.replace(year=day.year + years) for day in (one.first, one.last))
    return one._replace(first=first, last=last)


def _apart(found: Iterable[_Read]) -> list[_Read]:
    """Return what was read in the order of the question, without overlap; of two the longer one."""
    apart: list[_Read] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if not apart or one.start >= apart[-1].end:
            apart.append(one)
    return apart


# --- the dates that any text may name ----------------------------------------------------------------------------


def _dates(query: str, today: dt.date, *, to_come: bool) -> list[_Read]:
    """Return the dates of the question; what has no year is the latest one that has begun, unless it is to come."""
    found = {(date.start, date.end): date for date in find_dates(query, today)}
    is_open = {place for place, date in found.items() if _lacks_year(query, date)}
    if not to_come:
        past = _past_dates(query, today)
        is_open |= past.keys() - found.keys()
        found |= {place: date for place, date in past.items() if place not in found or found[place].first > today}
    return [_read(date, today, is_open=place in is_open) for place, date in found.items()]


def _past_dates(query: str, today: dt.date) -> dict[tuple[int, int], FoundDate]:
    """Return the dates without a year as the latest ones that have begun."""
    latest: dict[tuple[int, int], FoundDate] = {}
    for days in (*reversed(_ANCHOR_DAYS), 0):
        try:
            anchor = today - dt.timedelta(days=days)
        except OverflowError:
            continue
        for date in find_dates(query, anchor):
            if _lacks_year(query, date) and date.first <= today:
                known = latest.get((date.start, date.end), date)
                latest[date.start, date.end] = max(known, date, key=lambda one: one.first)
    return latest


def _lacks_year(query: str, date: FoundDate) -> bool:
    return date.kind == ABSOLUTE and not compiled(_YEAR).search(query, date.start, date.end)


def _read(date: FoundDate, today: dt.date, *, is_open: bool) -> _Read:
    return _Read(*date[:5], is_open, date.first <= today <= date.last)


# --- what only questions say -------------------------------------------------------------------------------------


def _own(query: str, today: dt.date, rules: Iterable[AskedRules], *, to_come: bool) -> list[_Read]:
    low = query.lower()
    matches = (match for one in rules for rule in one.rules for match in rule.find(query, low))
    found: list[_Read] = []
    for match in matches:
        means, lacks_year = _MEANINGS[match.means]
        if to_come and lacks_year(match.said):
            continue
        try:
            days = means(match.said, today)
        except (ValueError, OverflowError):
            continue
        holds_today = match.means != "window" and days[0] <= today <= days[1]
        found.append(_Read(match.start, match.end, *days, lacks_year(match.said), holds_today))
    return found


def _window(said: Said, today: dt.date) -> _Days:
    from dateutil.relativedelta import relativedelta  # noqa: PLC0415 - only questions with a window pay for it

    count = said.numbers.get("number", 1)
    units = {"weekend": WEEK}.get(said.unit, said.unit)
    return today - relativedelta(**{f"{units}s": count}), today, DAY  # type: ignore[arg-type]


def _latest_weekday(said: Said, today: dt.date) -> _Days:
    back = (today.isoweekday() - said.numbers["weekday"] - 1) % 7 + 1  # on that very weekday it is a week ago
    day = today - dt.timedelta(days=back)
    return day, day, DAY


def _quarter(said: Said, today: dt.date) -> _Days:
    if "quarter" not in said.numbers:
        return _quarter_of(today.year, (today.month - 1) // _QUARTER_MONTHS + said.numbers["which"])
    number = said.numbers["quarter"] - 1
    if "which" in said.numbers:
        return _quarter_of(today.year + said.numbers["which"], number)
    year = said.numbers.get("year", today.year)
    days = _quarter_of(year, number)
    return days if "year" in said.numbers or days[0] <= today else _quarter_of(year - 1, number)


def _quarter_of(year: int, number: int) -> _Days:
    """Return the quarter so many quarters after the year's first one."""
    first = _month_of(year, number * _QUARTER_MONTHS)
    return first, _month_of(year, (number + 1) * _QUARTER_MONTHS) - _A_DAY, MONTH


def _month(said: Said, today: dt.date) -> _Days:
    month = dt.date(today.year, said.numbers["month"], 1).month - 1  # ValueError: there is no thirteenth
    year = today.year if month < today.month else today.year - 1
    return _month_of(year, month), _month_of(year, month + 1) - _A_DAY, MONTH


def _month_of(year: int, months: int) -> dt.date:
    """Return the first day of the month so many months after the year's January."""
    return dt.date(year + months // 12, months % 12 + 1, 1)


def _year(said: Said, today: dt.date) -> _Days:
    del today
    year = said.numbers["year"]
    return dt.date(year, 1, 1), dt.date(year, 12, 31), YEAR


def _years(said: Said, today: dt.date) -> _Days:
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


_MEANINGS: Final[dict[str, tuple[Callable[[Said, dt.date], _Days], Callable[[Said], bool]]]] = {
    # what a rule may mean -> how it is read, and whether what was said lacks its year (or, of a weekday, its week)
    "window": (_window, _never),
    "latest weekday": (_latest_weekday, _always),
    "quarter": (_quarter, _without_year),
    "month": (_month, _always),
    "year": (_year, _never),
    "years": (_years, _never),
}
