"""The time that a question asks about: "last week", "в марте", "지난주", "since May", "in the last three days".

It is for a soft preference: of documents that fit, those whose day lies inside come first. So it is read only when the
question surely asks about that time. Not read are dates of something else ("the budget for March", "born in 1990"),
what may as well be to come or holds at any time ("this week", "in March", unless a word of the past or of what is kept
in a memory stands beside it), two dates that are not meant together, seasons (which of them is where?), and times that
are told by an event: "before the launch" names no day; whoever knows the event's fact knows its day.

A month or day without a year is the latest one that has begun; with a word of what is to come, the nearest one.
Without any tense, or in the present, a day that comes again within three months is that one, and a month that comes
again sooner than it was. A window such as
"the last three days" ends today; "by Friday", where nothing was, begins today. Quarters are those of the calendar year.
"""

import datetime as dt
import re
from collections.abc import Iterable
from collections.abc import Sequence
from typing import NamedTuple

from engram.language.dates.dates import DAY
from engram.language.dates.dates import MONTH
from engram.language.dates.dates import WEEK
from engram.language.dates.dates import YEAR
from engram.language.dates.dates import FoundDate
from engram.language.dates.dates import find_dates
from engram.language.dates.dates import lacks_year
from engram.language.dates.question_time_meanings import MEANINGS
from engram.language.dates.question_time_meanings import NAMED
from engram.language.dates.question_time_rules import AskedRules
from engram.language.dates.question_time_rules import load_asked_rules

_MAX_CHARS = 2_000  # what is read of a question
_UNITS = (DAY, WEEK, MONTH, YEAR)  # finer to coarser
_ANCHOR_DAYS = (110, 220, 330)  # days back from which a date without a year is nearest: all of the year behind us
_LONG_AGO = dt.timedelta(days=270)  # that a day or month began, when it comes again soon
_PREPOSITION = 3  # letters beside a time that say nothing else, or one syllable of scripts that write in such
_FIRST_EASTERN = "\u1100"
_AHEAD = "coming weekday"
_SIGNS = re.compile(r"[\W_]+")
_A_DAY = dt.timedelta(days=1)


class AskedTime(NamedTuple):
    """The days that a question asks about, both ends included."""

    first: dt.date | None  # None: no beginning
    last: dt.date | None  # None: no end
    words: str  # of the question, that say so
    precision: str  # day, week, month, year: the unit in which it was said
    is_all: bool = False  # whether the question asks for whatever was then, and for nothing else

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
    is_named: bool = False  # a day or a month by its name
    holds_today: bool = False  # it has begun, and is not over

    @property
    def needs_past(self) -> bool:
        """Whether it may be meant otherwise, unless the question asks for what was."""
        return self.lacks_year or self.holds_today


def asked_time(query: str, today: dt.date) -> AskedTime | None:
    """Return the time that a question, asked on that day, asks about; None when it asks about none, or not surely."""
    query = query[:_MAX_CHARS]
    rules = [one for one in load_asked_rules() if one.are_for(query)]
    if (ahead := _ahead(query, today, rules)) is not None:
        return ahead
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
    if one.needs_past:
        if to_come and one.first <= today:
            return None
        if not any(rule.asks_for("past", query) for rule in rules):
            meant = _to_come(one, today) if to_come else _without_tense(query, one, rules, today)
            if meant is None:
                return None
            one = meant
    bound = next(filter(None, (rule.bound(query, one.start, one.end) for rule in rules)), "")
    try:
        first, last = _bounded(one, bound)
    except OverflowError:  # before the first day, or after the last, that a calendar has
        return None
    if first is None and (last is None or last >= today):
        return None  # whatever was said
    rest = _SIGNS.sub(" ", f"{query[: one.start]} {query[one.end :]}").strip().casefold()
    is_all = any(rule.asks_for_all(rest) for rule in rules)
    return AskedTime(first, last, query[one.start : one.end], one.precision, is_all)


def _without_tense(query: str, one: _Read, rules: Sequence[AskedRules], today: dt.date) -> _Read | None:
    """Return what is meant in a question that tells neither of what was nor of what is to come, if that is sure."""
    asks_now = _is_all(query, one) or any(rule.asks_memory(query, now=True) for rule in rules)
    if not one.is_named:
        return one if asks_now and not one.lacks_year else None
    comes_soon = today - one.first > _LONG_AGO
    if one.precision == DAY:
        try:
            return _moved(one, 1) if comes_soon else one
        except ValueError:  # there is no such day in that year
            return None
    asks = any(rule.asks_memory(query, now=False) for rule in rules)
    coming = _month_to_come(one, today)
    if coming is None:
        return one if asks or asks_now else None
    has_bound = any(rule.bound(query, one.start, one.end) for rule in rules)
    return coming if asks and not has_bound else None


def _to_come(one: _Read, today: dt.date) -> _Read | None:
    """Return what is meant in a question that tells of what is to come: a month that has not begun."""
    return one if one.is_named and one.precision == MONTH and one.first > today else None


def _month_to_come(one: _Read, today: dt.date) -> _Read | None:
    """Return a month that is over as the one that comes next, where that is nearer."""
    if one.first.year + 1 >= dt.MAXYEAR:
        return None
    first = one.first.replace(year=one.first.year + 1)
    if first - today >= today - one.last:
        return None
    return one._replace(first=first, last=(first + 31 * _A_DAY).replace(day=1) - _A_DAY)


def _is_all(query: str, one: _Read) -> bool:
    """Tell whether a question says nothing but a time, perhaps behind a preposition."""
    beside = [ch for ch in query[: one.start] + query[one.end :] if ch.isalnum()]
    return sum(_PREPOSITION if ch >= _FIRST_EASTERN else 1 for ch in beside) <= _PREPOSITION


def _ahead(query: str, today: dt.date, rules: Sequence[AskedRules]) -> AskedTime | None:
    """Return the days up to a weekday by which something is to be; None when the question asks for what was."""
    if any(rule.asks_for("past", query) for rule in rules):
        return None
    low = query.lower()
    found = [match for one in rules for rule in one.rules if rule.means == _AHEAD for match in rule.find(query, low)]
    if not found:
        return None
    match = found[0]
    try:
        last = today + dt.timedelta(days=(match.said.numbers["weekday"] - today.isoweekday()) % 7)
    except OverflowError:  # after the last day of the calendar
        return None
    return AskedTime(today, last, query[match.start : match.end], DAY)


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
    is_open = {place for place, date in found.items() if lacks_year(query, date)}
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
            if lacks_year(query, date) and date.first <= today:
                known = latest.get((date.start, date.end), date)
                latest[date.start, date.end] = max(known, date, key=lambda one: one.first)
    return latest


def _read(date: FoundDate, today: dt.date, *, is_open: bool) -> _Read:
    return _Read(*date[:5], is_open, is_open, date.first <= today <= date.last)


# --- what only questions say -------------------------------------------------------------------------------------


def _own(query: str, today: dt.date, rules: Iterable[AskedRules], *, to_come: bool) -> list[_Read]:
    low = query.lower()
    matches = (match for one in rules for rule in one.rules for match in rule.find(query, low) if match.means != _AHEAD)
    found: list[_Read] = []
    for match in matches:
        means, lacks_year = MEANINGS[match.means]
        if to_come and lacks_year(match.said):
            continue
        try:
            days = means(match.said, today)
        except (ValueError, OverflowError):
            continue
        if days is None:
            continue
        holds_today = match.means != "window" and days[0] <= today <= days[1]
        is_named = match.means in NAMED and lacks_year(match.said)
        found.append(_Read(match.start, match.end, *days, lacks_year(match.said), is_named, holds_today))
    return found
