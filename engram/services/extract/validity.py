"""From when and until when a statement holds, as its words say. Pure.

The rules of meaning: what happened on a day holds from that day; a deadline, "until" and "by" give the last day; what
is to begin on a day holds from that day; a range gives both. A commitment or an instruction that names a day to come is
due on it. What names no day holds from the day it was said. A day that is only part of the content (a report of March,
a birthday, a version) says nothing.
"""

import datetime as dt
import re
from collections.abc import Sequence
from typing import Final
from typing import NamedTuple

from engram.base.clock import local_day
from engram.base.clock import to_iso
from engram.language.date_rules import load_date_rules
from engram.language.dates import DAY
from engram.language.day_hints import may_name_days
from engram.language.named_days import Days
from engram.language.named_days import NamedDays
from engram.language.named_days import name_days
from engram.language.note_days import is_stamp
from engram.language.validity_rules import SINCE
from engram.language.validity_rules import START
from engram.language.validity_rules import THROUGH
from engram.language.validity_rules import UNTIL
from engram.language.validity_rules import ValidityRules
from engram.language.validity_rules import load_validity_rules
from engram.model.vocabulary import Category

_DUE: Final = frozenset({"commitment", "instruction"})  # a day to come is when it is due
_TIMELESS: Final = frozenset({"preference", "lesson", "identity", "instruction"})  # a past day is about it, not of it
_EVENTS: Final = _DUE | {"milestone", "decision"}  # in these a weekday is a certain day, in others perhaps a habit
_MOST_CHARS = 4_000  # what is read of a statement
_MOST_DAYS = 6  # a statement that names more of them is a list or a log
_PAST, _FUTURE = "past", "future"

_FIRST_YEAR, _LAST_YEAR = 1900, 2199  # nothing that is said holds from or to another time
_LAST_SECOND = dt.time(23, 59, 59)
_CODE = re.compile(r"`[^`\n]*`")
_SENTENCE_END = re.compile(r"[.!?…]+(?=\s)|[。！？；;\n]")
_CLAUSE_END = re.compile(r"[,，、:：—–()]")


class Validity(NamedTuple):
    """The days from which and to which a statement holds, and the unit in which each was said."""

    valid_from: dt.date
    valid_to: dt.date | None = None  # the last day, included; None: no end was said
    from_precision: str = DAY  # day, week, month, year
    to_precision: str = DAY


def find_validity(quote: str, category: Category | str, said_on: dt.date) -> Validity:
    """Return from when and until when a statement made on that day holds.

    `quote` is the statement as it was said. Never raises, and `valid_from` is never later than `valid_to`. Of a very
    long text only the beginning is read.
    """
    if not may_name_days(quote[:_MOST_CHARS]):
        return Validity(said_on)
    text = _CODE.sub(lambda code: " " * len(code[0]), quote[:_MOST_CHARS])
    named = name_days(text, said_on)
    stamp = _stamp(text, named)
    if stamp is not None and stamp.nearest is not None and stamp.nearest.first <= said_on:
        rest = " " * stamp.end + text[stamp.end :]
        return find_validity(rest, category, stamp.nearest.first)
    reader = _Reader(text, str(category), said_on, [rules for rules in load_validity_rules() if rules.are_for(text)])
    kept = [one for one in named if not reader.is_content(one)]
    if not 0 < len(kept) <= _MOST_DAYS:
        return Validity(said_on)
    found = reader.bounded(kept) or reader.unbounded(kept)
    return found if found is not None and _is_likely(found) else Validity(said_on)


def validity_fields(validity: Validity, zone: dt.tzinfo) -> dict[str, str]:
    """Return a validity as the fields of `write`; the last day ends with its last second in that zone."""
    fields = {"valid_from": validity.valid_from.isoformat()}
    if validity.from_precision != DAY:
        fields["valid_from_precision"] = validity.from_precision
    if validity.valid_to is not None:
        fields["valid_to"] = to_iso(dt.datetime.combine(validity.valid_to, _LAST_SECOND, tzinfo=zone))
        if validity.to_precision != DAY:
            fields["valid_to_precision"] = validity.to_precision
    return fields


def dated_fields(quote: str, category: Category | str, at: dt.datetime, zone: dt.tzinfo) -> dict[str, str]:
    """Return what the words of a statement made at that instant say of when it holds, as fields of `write`.

    A beginning is absent when the words name none: it holds from that instant.
    """
    said_on = local_day(at, zone)
    fields = validity_fields(find_validity(quote, category, said_on), zone)
    if fields["valid_from"] == said_on.isoformat():
        del fields["valid_from"]
    return fields


def _is_likely(found: Validity) -> bool:
    return all(day is None or _FIRST_YEAR <= day.year <= _LAST_YEAR for day in found[:2])


def _stamp(text: str, named: Sequence[NamedDays]) -> NamedDays | None:
    """Return the date that stands before a statement as its own: `2026-03-02: ...`, `[3 March] ...`."""
    if not named or named[0].is_range or named[0].nearest is None or named[0].nearest.precision != DAY:
        return None
    return named[0] if not named[0].is_weekday and is_stamp(text, named[0].start, named[0].end) else None


class _Reader:
    """One statement, and how the days that it names are meant."""

    def __init__(self, text: str, category: str, said_on: dt.date, rules: Sequence[ValidityRules]) -> None:
        self._text = text
        self._category = category
        self._said_on = said_on
        self._rules = rules
        self._ends = [0, *(end.end() for end in _SENTENCE_END.finditer(text)), len(text)]

    def is_content(self, one: NamedDays) -> bool:
        return any(rules.is_content(self._text, one.start, one.end) for rules in self._rules) or self._says(
            "content", one
        )

    # --- an end that the words name --------------------------------------------------------------------------------

    def bounded(self, named: Sequence[NamedDays]) -> Validity | None:
        """Return what "from", "since", "until" and the like make of the days; None when no such word stands there."""
        bounds = [self._bound(one) for one in named]
        for place in range(len(named) - 1):
            between = self._text[named[place].end : named[place + 1].start]
            if bounds[place] in {"", START} and any(rules.joins(between) for rules in self._rules):
                bounds[place], bounds[place + 1] = START, THROUGH
        begins = next((one for one, bound in zip(named, bounds, strict=True) if bound in {SINCE, START}), None)
        ends = next((place for place, bound in enumerate(bounds) if bound in {UNTIL, THROUGH}), None)
        if begins is None and ends is None:
            return None
        since = begins is not None and bounds[named.index(begins)] == SINCE
        start = (
            self._settled(begins, _PAST if since else self._direction(begins) or self._nearer(begins))
            if begins
            else None
        )
        end = None
        if ends is not None:
            last = named[ends]
            end = self._settled(last, self._direction(last) or _FUTURE)
            if start and end and end.last < start.first:
                end = last.future
            end = end and self._end(end, last, through=bounds[ends] == THROUGH)
        return self._together(start, begins, end)

    def _bound(self, one: NamedDays) -> str:
        return next(filter(None, (rules.bound(self._text, one.start, one.end) for rules in self._rules)), "")

    def _end(self, days: Days, one: NamedDays, *, through: bool) -> Days:
        """Return the last day: of a month or year named, "until" ends with its beginning, "through" with its end."""
        if one.is_end or one.is_range:
            return Days(days.last, days.last, DAY)
        return days if through else days._replace(last=days.first)

    def _together(self, start: Days | None, begins: NamedDays | None, end: Days | None) -> Validity | None:
        if start is not None and begins is not None and begins.is_end:
            start = start._replace(first=start.last)
        if start is None and end is None:
            return None
        if start is not None and begins is not None and begins.is_range and end is None:
            end = Days(start.last, start.last, DAY)
        if end is None:
            return Validity(start.first, None, start.precision) if start else None
        if start is not None and start.first <= end.last:
            return Validity(start.first, end.last, start.precision, end.precision)
        first = min(self._said_on, end.last)
        return Validity(first, end.last, end.precision if first < self._said_on else DAY, end.precision)

    # --- a day alone -----------------------------------------------------------------------------------------------

    def unbounded(self, named: Sequence[NamedDays]) -> Validity | None:
        """Return what the days say by themselves: when something happened, when it is due, when it will begin."""
        settled = [(one, days) for one in named if (days := self._alone(one)) is not None]
        if not settled or any(self._says("open", one) for one, _ in settled):
            return None
        if len({(days.first, days.last) for _, days in settled}) == 1:
            return self._of_one(*settled[0])
        if self._category in _DUE and all(days.first >= self._said_on for _, days in settled):
            return self._of_one(*max(settled, key=lambda one: one[1].last))
        return None

    def _alone(self, one: NamedDays) -> Days | None:
        """Return the days of a place, but none of a weekday of which nothing says that it is one certain day."""
        direction = self._direction(one)
        is_habit = one.is_weekday and not direction and self._category not in _EVENTS and not self._says("ends", one)
        return None if is_habit else self._settled(one, direction)

    def _of_one(self, one: NamedDays, days: Days) -> Validity | None:
        if days.last < self._said_on:
            return self._of_past(one, days)
        is_due = self._category in _DUE or self._says("ends", one)
        if is_due and self._direction(one) != _PAST:
            if one.is_range:
                return Validity(days.first, days.last)
            return Validity(self._said_on, days.last, DAY, DAY if one.is_end else days.precision)
        if days.first > self._said_on:
            first = days.last if one.is_end else days.first
            return Validity(first, days.last if one.is_range else None, days.precision)
        return None

    def _of_past(self, one: NamedDays, days: Days) -> Validity | None:
        places = [(one.start, one.end)]
        denied = (rules.denies_event(self._text, places) for rules in load_date_rules() if rules.are_for(self._text))
        if self._category in _TIMELESS or any(denied):
            return None
        return Validity(days.first, days.last if one.is_range else None, days.precision)

    # --- what was, and what is to come -----------------------------------------------------------------------------

    def _settled(self, one: NamedDays, direction: str) -> Days | None:
        """Return the days that are meant, where the words tell."""
        if one.nearest is None:
            return one.past if (direction or self._usual()) == _PAST else one.future
        if direction == _PAST and one.nearest.first > self._said_on:
            return one.past
        if direction == _FUTURE and one.nearest.last < self._said_on:
            return one.future
        return one.nearest

    def _usual(self) -> str:
        return _PAST if self._category == Category.MILESTONE else _FUTURE

    def _nearer(self, one: NamedDays) -> str:
        """Return the direction of a beginning that may be meant either way: the nearer one; a weekday is to come."""
        if one.is_weekday or one.past is None or one.future is None or one.nearest is not None:
            return ""
        return _PAST if self._said_on - one.past.first < one.future.first - self._said_on else _FUTURE

    def _direction(self, one: NamedDays) -> str:
        """Return whether the words around a date speak of what was or of what is to come; "" when they do not say."""
        for start, end in (self._sentence(one), self._clause(one)):
            around = self._text[start:end]
            was, will = (any(rules.says(tense, around) for rules in self._rules) for tense in (_PAST, _FUTURE))
            if was != will:
                return _PAST if was else _FUTURE
        if was:  # and will
            return _FUTURE if self._category in _DUE else _PAST
        return ""

    def _says(self, what: str, one: NamedDays) -> bool:
        start, end = self._sentence(one)
        return any(rules.says(what, self._text[start:end]) for rules in self._rules)

    def _sentence(self, one: NamedDays) -> tuple[int, int]:
        start = max(end for end in self._ends if end <= one.start)
        return start, min(end for end in self._ends if end >= one.end)

    def _clause(self, one: NamedDays) -> tuple[int, int]:
        start, end = self._sentence(one)
        before = [mark.end() for mark in _CLAUSE_END.finditer(self._text, start, one.start)]
        behind = _CLAUSE_END.search(self._text, one.end, end)
        return (before[-1] if before else start), (behind.start() if behind else end)
