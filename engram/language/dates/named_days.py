"""The days that a statement names, each as it is read of what was and of what is to come.

`on Thursday` is last Thursday of what happened and next Thursday of what is planned, `the 29th` and `in March`
likewise; what leaves no choice (`yesterday`, `8 May 2023`) is the same in both. dates.py returns only what has one
reading.
"""

import datetime as dt
import functools
from collections.abc import Iterable
from collections.abc import Sequence
from typing import NamedTuple

from engram.language.dates.dates import ABSOLUTE
from engram.language.dates.dates import DAY
from engram.language.dates.dates import WEEK
from engram.language.dates.dates import FoundDate
from engram.language.dates.dates import lacks_year
from engram.language.dates.dates import match_dates
from engram.language.dates.dates import resolve_dates
from engram.language.dates.day_hints import is_of_days
from engram.language.dates.days_beside import day_of_number
from engram.language.dates.days_beside import on_weekday
from engram.language.dates.days_beside import weekday_beside
from engram.language.dates.open_days import Days
from engram.language.dates.open_days import read_open
from engram.language.dates.rules import Match
from engram.language.dates.validity_rules import load_validity_rules
from engram.language.dates.validity_rules import may_say_when
from engram.language.matching.patterns import joined
from engram.language.matching.prefilter import compiled

_ANCHOR_DAYS = (110, 220, 330)  # days away from which a date without a year is nearest: all of the year around us
_NEAR_DAYS = 125  # the same as in dates.py
_A_DAY = dt.timedelta(days=1)
_SHORT_TIME = dt.timedelta(days=31)
_NEARLY_A_YEAR = dt.timedelta(days=300)
_ANY_DAY = dt.date(2026, 1, 1)  # whether words name a day does not hang on when they were said
_MOST_CHARS = 200  # of a heading
_CLAUSE_END = r"\s*(?:[,，.。;；!！)）]|$)"
_FEW_WORDS = r"(?:\s?[^\s\d,，.。;；!?]{1,12}){0,4}"
_WITHOUT_YEAR = frozenset({"date", "days", "easter", "weekday of month"})  # once a year


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
    is_bare: bool = False  # a day of a month that is not named
    is_span: bool = False  # a quarter, or so many days from then: when it is due, what it is for, or how long it takes
    is_weekend: bool = False  # a weekend and nothing more
    counted: int = 0  # a weekday that is the last one before another day (-1), or the next one after it (1)

    def has_just_passed(self, said_on: dt.date) -> bool:
        """Tell whether a day was not long ago that comes again in nearly a year: of that one would say the year.

        "I'll send it by 24 November", noted on the 25th, is a day late, not a year early.
        """
        if self.past is None or self.future is None or self.past.precision != DAY or self.past == self.future:
            return False
        return said_on - self.past.last <= _SHORT_TIME and self.future.first - said_on >= _NEARLY_A_YEAR

    def comes_soon(self, said_on: dt.date) -> bool:
        """Tell whether the days are soon that were nearly a year ago: of last year's one would say the year.

        "She quit, and moves on 6 March", said in February, is no tale of the March before.
        """
        if self.past is None or self.future is None or self.past == self.future:
            return False
        soon = 2 * _SHORT_TIME if self.is_range else _SHORT_TIME
        return self.future.first - said_on <= soon and said_on - self.past.last >= _NEARLY_A_YEAR

    def is_nearer_to_come(self, said_on: dt.date) -> bool:
        """Tell whether the days to come are nearer than those that were."""
        if self.past is None or self.future is None:
            return False
        return self.future.first - said_on < said_on - self.past.first


def name_days(text: str, said_on: dt.date) -> list[NamedDays]:
    """Return the days that a text said on that day names, in order, without overlap; of two places the longer one.

    Linear in the length of the text.
    """
    found = [*_own(text, said_on), *_dates(text, said_on)]
    apart: list[NamedDays] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if not apart or one.start >= apart[-1].end:
            apart.append(one)
    return _counted_from_dates(_in_named_month(_without_weekdays_of_dates(text, apart)))


@functools.lru_cache(maxsize=4096)  # all the entries of a section ask for the same headings
def names_only_days(heading: str) -> bool:
    """Tell whether a heading is a day, a month or a year and nothing more: "25 November", "Friday, 3 May"."""
    head = heading[:_MOST_CHARS]
    found = [*_own(head, _ANY_DAY), *_dates(head, _ANY_DAY)]
    said = {place for one in found for place in range(one.start, one.end)}
    rest = "".join(" " if place in said else ch for place, ch in enumerate(heading))
    return bool(found) and all(is_of_days(word) for word in rest.split() if any(map(str.isalpha, word)))


def _without_weekdays_of_dates(text: str, named: list[NamedDays]) -> list[NamedDays]:
    """Return the days without the weekdays that stand beside a date: the date counts, even where they disagree.

    Of a date without a year the weekday tells which one is meant.
    """
    kept: list[NamedDays] = []
    beside: NamedDays | None = None  # the weekday before a date
    for place, one in enumerate(named):
        behind = named[place + 1] if place + 1 < len(named) else None
        if one.is_weekday:
            is_of_last = bool(kept) and not kept[-1].is_weekday and _are_beside(text, one, kept[-1])
            if is_of_last and not one.counted:
                kept[-1] = _on_weekday(kept[-1], one)
            is_of_next = behind is not None and not behind.is_weekday and _are_beside(text, one, behind)
            beside = one if is_of_next and not one.counted else None
            if one.counted or not (is_of_last or beside):
                kept.append(one)
        else:
            kept.append(_on_weekday(one, beside) if beside else one)
            beside = None
    return kept


def _on_weekday(date: NamedDays, weekday: NamedDays) -> NamedDays:
    """Return a date as the one of its readings that falls on a weekday.

    All of them are left where that tells nothing, or speaks for one that is not the nearest: people err in weekdays.
    """
    on = weekday.past or weekday.future
    both = {one for one in (date.past, date.future) if one is not None and one.precision == DAY}
    if date.is_bare and on is not None:
        found = on_weekday(date.future, date.past, on.first.isoweekday())
        return date._replace(past=found, future=found, nearest=found) if found else date
    fitting = [one for one in both if on is not None and one.first.isoweekday() == on.first.isoweekday()]
    if len(both) < 2 or len(fitting) != 1 or date.nearest not in {None, fitting[0]}:
        return date
    return date._replace(past=fitting[0], future=fitting[0], nearest=fitting[0])


def _counted_from_dates(named: list[NamedDays]) -> list[NamedDays]:
    """Return the days with the weekdays that are counted from another day: "the Wednesday before".

    Without a day before them from which to count nobody knows which they are: then they name none.
    """
    found: list[NamedDays] = []
    whole: NamedDays | None = None
    for one in named:
        if one.counted and whole is None:
            continue
        found.append(_counted_from(whole, one) if one.counted and whole else one)
        whole = whole if one.counted or one.is_span or one.is_weekend else one
    return found


def _counted_from(whole: NamedDays, one: NamedDays) -> NamedDays:
    on = one.past or one.future
    if on is None:
        return one
    weekday = on.first.isoweekday()
    read = (weekday_beside(days, weekday, one.counted) for days in (whole.past, whole.future, whole.nearest))
    past, future, nearest = read
    return one._replace(past=past, future=future, nearest=nearest, is_weekday=False)


def _in_named_month(named: list[NamedDays]) -> list[NamedDays]:
    """Return the days with those that name no month read near the one day beside them that does.

    "She moves on 5 January, so plan her until the 4th" means 4 January.
    """
    whole = [one for one in named if not (one.is_bare or one.is_weekday or one.is_span or one.is_range or one.is_end)]
    days = next((one.past or one.future for one in whole), None)
    if len(whole) != 1 or days is None or days.precision != DAY:
        return named
    return [_near(one, whole[0]) if one.is_bare else one for one in named]


def _near(bare: NamedDays, whole: NamedDays) -> NamedDays:
    said = bare.past or bare.future
    if said is None:
        return bare
    read = (day_of_number(said.first.day, days) for days in (whole.past, whole.future, whole.nearest))
    past, future, nearest = read
    return bare._replace(past=past, future=future, nearest=nearest)


def _are_beside(text: str, one: NamedDays, other: NamedDays) -> bool:
    left, right = sorted((one, other))
    link = rf"(?:(?i:{joined('values', 'beside_date')})\s*)?"
    if compiled(rf"[\s,(，（]{{0,3}}{link}").fullmatch(text, left.end, right.start):
        return True
    is_last = right.is_weekday and compiled(_CLAUSE_END).match(text, right.end)  # "on the 5th by van, a Saturday"
    return bool(is_last) and compiled(rf"{_FEW_WORDS}[,，]\s?{link}").fullmatch(text, left.end, right.start) is not None


# --- dates that are the nearest ones -----------------------------------------------------------------------------


def _dates(text: str, said_on: dt.date) -> list[NamedDays]:
    places = match_dates(text)
    if not places:
        return []
    found = {(date.start, date.end): date for date in resolve_dates(places, said_on)}
    sure = {place: date for place, date in found.items() if not lacks_year(text, date)}
    open_dates = _around(text, places, said_on, sure)
    named = [_sure(date) for date in sure.values()]
    for place, dates in open_dates.items():
        past = max((one for one in dates if one.first <= said_on), default=None, key=lambda one: one.first)
        future = min((one for one in dates if one.last >= said_on), default=None, key=lambda one: one.first)
        nearest = found.get(place)
        is_range = any(_is_range(one) for one in dates)
        named.append(NamedDays(place[0], place[1], _days(past), _days(future), _days(nearest), is_range=is_range))
    return named


def _around(
    text: str, places: Sequence[Match], said_on: dt.date, sure: Iterable[tuple[int, int]]
) -> dict[tuple[int, int], set[FoundDate]]:
    """Return the dates without a year as they are read in the year before and the year behind the day."""
    taken = set(sure)
    around: dict[tuple[int, int], set[FoundDate]] = {}
    for days in (*(-days for days in _ANCHOR_DAYS), 0, *_ANCHOR_DAYS):
        try:
            anchor = said_on + dt.timedelta(days=days)
        except OverflowError:  # no calendar has it
            continue
        for date in resolve_dates(places, anchor):
            place = (date.start, date.end)
            if place not in taken and lacks_year(text, date):
                around.setdefault(place, set()).add(date)
    return around


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
    for rules in load_validity_rules() if may_say_when(text.lower()) else ():
        if not rules.are_for(text):
            continue
        for match in rules.find(text):
            past, future = (
                read_open(match.means, match.said, said_on, -1),
                read_open(match.means, match.said, said_on, 1),
            )
            if past is None and future is None:
                continue
            same = past if past == future else _nearest(match.means, past, future, said_on)
            is_end, is_weekday = match.means.startswith("end"), match.means == "weekday"
            is_range, is_span = match.means == "days", match.means in {"in", "quarter"}
            counted = rules.counted(text, match.start, match.end) if is_weekday else 0
            is_bare, is_weekend = match.means == "day of month", match.means == "weekend"
            flags = (is_end, is_range, is_weekday, is_bare, is_span, is_weekend, counted)
            named.append(NamedDays(match.start, match.end, past, future, same, *flags))
    return named


def _nearest(means: str, past: Days | None, future: Days | None, said_on: dt.date) -> Days | None:
    """Return the nearer one of dates without a year, as dates.py does: None when both are far."""
    if means not in _WITHOUT_YEAR:
        return None
    both = [days for days in (past, future) if days is not None]
    nearest = min(both, key=lambda days: abs((days.first - said_on).days))
    return nearest if abs((nearest.first - said_on).days) <= _NEAR_DAYS else None
