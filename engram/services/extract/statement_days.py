"""How the days that one statement names are meant: when it happened, from when, until when it holds. Pure."""

import datetime as dt
import itertools
import re
from collections.abc import Sequence
from typing import Final

from engram.language.dates.dates import DAY
from engram.language.dates.dates import YEAR
from engram.language.dates.named_days import NamedDays
from engram.language.dates.note_days import closes
from engram.language.dates.note_days import is_aside
from engram.language.dates.open_days import Days
from engram.language.dates.rules import load_date_rules
from engram.language.dates.validity_rules import SINCE
from engram.language.dates.validity_rules import START
from engram.language.dates.validity_rules import THROUGH
from engram.language.dates.validity_rules import UNTIL
from engram.language.dates.validity_rules import ValidityRules
from engram.model.validity import Validity
from engram.model.vocabulary import Category
from engram.services.extract.statement_parts import FUTURE
from engram.services.extract.statement_parts import PAST
from engram.services.extract.statement_parts import PRESENT
from engram.services.extract.statement_parts import clause_around
from engram.services.extract.statement_parts import clause_ends
from engram.services.extract.statement_parts import is_so_now
from engram.services.extract.statement_parts import last_tense
from engram.services.extract.statement_parts import sentence_ends
from engram.services.extract.statement_parts import tenses

_PROMISE: Final = "commitment"  # of a day to come, whatever else is told of it: "I promised it for Thursday"
DUE: Final = frozenset({_PROMISE, "instruction"})  # a day to come is when it is due
_TIMELESS: Final = frozenset({"preference", "lesson", "instruction"})  # a past day is about it, not of it
_EVENTS: Final = DUE | {"milestone", "decision", "correction"}  # where a weekday is a certain day, not a habit

_JUST_NOW: Final = dt.timedelta(days=31)
_NEARLY_A_YEAR: Final = dt.timedelta(days=300)
_WORD = re.compile(r"\w+")
_MOST_OF_ASIDE: Final = 3  # words beside a day that say nothing but how it is meant: "with effect from 1 March"


class StatementReader:
    """One statement, and how the days that it names are meant."""

    def __init__(self, text: str, category: str, said_on: dt.date, rules: Sequence[ValidityRules]) -> None:
        """Take the statement, without code, and the rules of the languages that it is in."""
        self._text = text
        self._category = category
        self._said_on = said_on
        self._rules = rules
        self._ends = sentence_ends(text)

    def is_content(self, one: NamedDays) -> bool:
        """Tell whether the days are only part of what the statement is about."""
        days = one.nearest or one.future or one.past
        is_period = days is not None and days.precision != DAY
        beside = (rules.is_content(self._text, one.start, one.end, is_period=is_period) for rules in self._rules)
        start, end = self._sentence(one)
        around = self._text[start : one.start] + " " + self._text[one.end : end]  # "two Sundays ago" is no habit
        is_of_habit = any(rules.says("content", around) for rules in self._rules) and self._bound(one) != SINCE
        return any(beside) or is_of_habit or self._is_of_each_time(one) or self._is_of_its_clause(one)

    def _is_of_its_clause(self, one: NamedDays) -> bool:
        """Tell whether a beginning is one of its clause alone, for a clause before it says what is so now.

        "Our head nurse is Ms. Okafor, she approves every change after the 20th" holds today.
        """
        if self._bound(one) != START:
            return False
        start, end = self._clause(one)
        besides = len(_WORD.findall(self._text, start, one.start)) + len(_WORD.findall(self._text, one.end, end))
        if besides <= _MOST_OF_ASIDE:
            return False
        return any(self._is_so_now(*clause) for clause in itertools.pairwise(clause_ends(self._text, start)))

    def _is_of_each_time(self, one: NamedDays) -> bool:
        """Tell whether the day of an order is when something is due each time."""
        if self._category != Category.INSTRUCTION or one.is_range or self._bound(one) in {SINCE, START}:
            return False
        start, end = self._sentence(one)
        sentence = self._text[start:end]
        return any(rules.is_of_each_time(self._text, one.start, one.end, sentence) for rules in self._rules)

    def without_former(self, named: list[NamedDays]) -> list[NamedDays]:
        """Return the days without the one from which something was moved to another."""
        if len(named) != 2 or not self._says("moved", named[1]):
            return named
        between = self._text[named[0].end : named[1].start]
        is_former = self._bound(named[0]) == START or any(rules.joins(between) for rules in self._rules)
        return named[1:] if is_former else named

    # --- an end that the words name --------------------------------------------------------------------------------

    def bounded(self, named: Sequence[NamedDays]) -> Validity | None:
        """Return what "from", "since", "until" and the like make of the days; None when no such word stands there."""
        bounds = [self._bound(one) for one in named]
        for place in range(len(named) - 1):
            between = self._text[named[place].end : named[place + 1].start]
            if bounds[place] in {"", START} and any(rules.joins(between) for rules in self._rules):
                bounds[place], bounds[place + 1] = START, THROUGH
            is_habit = named[place].is_weekday and named[place + 1].is_weekday and self._category not in DUE
            if bounds[place + 1] == THROUGH and is_habit and not self._direction(named[place]):
                return Validity(self._said_on)
        begins = next((one for one, bound in zip(named, bounds, strict=True) if bound in {SINCE, START}), None)
        ends = next((place for place, bound in enumerate(bounds) if bound in {UNTIL, THROUGH}), None)
        if begins is None and ends is None:
            return None
        start = self._start(begins, bounds[named.index(begins)]) if begins is not None else None
        end = None
        if ends is not None:
            last = named[ends]
            is_so_now = self._is_so_now(*self._clause(last))
            end = self._settled(last, FUTURE if is_so_now else self._direction(last) or FUTURE, is_end=True)
            if start and end and end.last < start.first:
                end = last.future
            end = end and self._end(end, last, through=bounds[ends] == THROUGH)
        found = self._together(start, begins, end)
        if found is None or begins is not None:
            return found
        event = self.unbounded([one for one, bound in zip(named, bounds, strict=True) if not bound])
        if event is None or found.valid_to is None or event.valid_from > found.valid_to:
            return found
        if event.valid_to is not None and event.valid_from <= self._said_on:
            return found
        return found._replace(valid_from=event.valid_from, from_precision=event.from_precision)

    def _start(self, one: NamedDays, bound: str) -> Days | None:
        return self._settled(one, PAST if bound == SINCE else self._direction_of_start(one) or self._nearer(one))

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
        if self._category in DUE and all(days.first >= self._said_on for _, days in settled):
            return self._of_one(*max(settled, key=lambda one: one[1].last))
        return None

    def _alone(self, one: NamedDays) -> Days | None:
        """Return the days of a place, but none of a weekday of which nothing says that it is one certain day."""
        direction = self._direction(one)
        if one.is_span and self._category not in DUE and not direction:
            return None
        return None if one.is_weekday and not self._is_certain(one) else self._settled(one, direction)

    def _is_certain(self, one: NamedDays) -> bool:
        """Tell whether a weekday is one certain day and not a habit."""
        if self._category == "instruction" and self._says("habit", one):
            return False
        return self._category in _EVENTS or bool(self._direction(one)) or self._says("ends", one)

    def _of_one(self, one: NamedDays, days: Days) -> Validity | None:
        if days.last < self._said_on:
            return self._of_past(one, days)
        if (
            days.last == self._said_on
            and self._category == Category.INSTRUCTION
            and is_aside(self._text, one.start, one.end)
        ):
            return None  # when it was given: an order for one day does not put the day aside
        if self._category in DUE or self._says("ends", one):
            if one.is_range:
                return Validity(days.first, days.last)
            return Validity(self._said_on, days.last, DAY, DAY if one.is_end else days.precision)
        if days.first > self._said_on:
            first = days.last if one.is_end else days.first
            is_over = one.is_range or self._says("passing", one)
            return Validity(first, days.last if is_over else None, days.precision, days.precision if is_over else DAY)
        return None

    def _of_past(self, one: NamedDays, days: Days) -> Validity | None:
        if self._category == _PROMISE and self._direction(one) == FUTURE:  # written down after it was due
            return Validity(days.first, days.last, days.precision, days.precision)
        start, end = self._sentence(one)
        sentence, places = self._text[start:end], [(one.start - start, one.end - start)]
        denied = (rules.denies_event(sentence, places) for rules in load_date_rules() if rules.are_for(sentence))
        if not closes(self._text, one.start, one.end) and (self._category in _TIMELESS or any(denied)):
            return None
        return Validity(days.last if one.is_end else days.first, days.last if one.is_range else None, days.precision)

    # --- what was, and what is to come -----------------------------------------------------------------------------

    def _settled(self, one: NamedDays, direction: str, *, is_end: bool = False) -> Days | None:
        """Return the days that are meant, where the words tell."""
        is_of_that_day = self._category == _PROMISE or (is_end and self._category == Category.DECISION)
        if is_of_that_day and self._has_just_passed(one):
            return one.past
        if one.nearest is None:
            is_past = self._category != _PROMISE and (direction or self._usual()) == PAST
            return one.past if is_past else one.future
        is_due = self._category in {_PROMISE, Category.DECISION} or self._says("ends", one) or self._comes_soon(one)
        if direction == PAST and one.nearest.first > self._said_on and not is_due:
            return one.past
        is_promised = self._category == _PROMISE and direction != PAST
        if (is_promised or direction == FUTURE) and one.nearest.last < self._said_on:
            return one.future
        return one.nearest

    def _has_just_passed(self, one: NamedDays) -> bool:
        """Tell whether a day was not long ago that comes again in nearly a year: of that one would say the year.

        "I'll send it by 24 November", noted on the 25th, is a day late, not a year early.
        """
        if one.past is None or one.future is None or one.past.precision != DAY or one.past == one.future:
            return False
        return self._said_on - one.past.last <= _JUST_NOW and one.future.first - self._said_on >= _NEARLY_A_YEAR

    def _comes_soon(self, one: NamedDays) -> bool:
        """Tell whether a day is soon that was nearly a year ago: of last year's one would say the year.

        "She quit, and moves on 6 March", said in February, is no tale of the March before.
        """
        if one.past is None or one.future is None or one.future.precision != DAY or one.past == one.future:
            return False
        return one.future.first - self._said_on <= _JUST_NOW and self._said_on - one.past.last >= _NEARLY_A_YEAR

    def _usual(self) -> str:
        return PAST if self._category == Category.MILESTONE else FUTURE

    def _nearer(self, one: NamedDays) -> str:
        """Return the direction of a beginning that may be meant either way: the nearer month; a day is to come."""
        if one.past is None or one.future is None or one.nearest is not None or one.past.precision == DAY:
            return ""
        if one.past.precision == YEAR or self._says("lasting", one):  # a season; "работает с мая"
            return PAST
        return PAST if self._said_on - one.past.first < one.future.first - self._said_on else FUTURE

    def _direction(self, one: NamedDays) -> str:
        """Return whether the words around a date speak of what was or of what is to come; "" when they do not say."""
        if self._says("moved", one) and any(rules.moves_to(self._text, one.start, one.end) for rules in self._rules):
            return FUTURE
        if self._says("fixed", one) and any(rules.fixes_on(self._text, one.start, one.end) for rules in self._rules):
            return FUTURE
        whole = () if one.is_bare else (self._sentence(one),)  # "the advance is on the 20th, they decided so"
        begin, finish = clause = self._clause(one)
        last = last_tense(self._rules, self._text[begin : one.start])
        if last == PRESENT and self._bound(one) in {UNTIL, THROUGH}:
            return FUTURE
        for start, end in (*whole, clause):
            was, will = self._tenses(start, end)
            if was != will:
                return PAST if was else FUTURE
        if was:  # and will
            is_told_of = last == FUTURE and not self._tenses(one.end, finish)[0]
            return FUTURE if self._category in DUE or is_told_of else PAST
        return ""

    def _direction_of_start(self, one: NamedDays) -> str:
        """Return the same of a beginning ("from 20 July"): what is told beside it, as of a deal done, says nothing."""
        if self._is_so_now(*self._clause(one)):
            return ""
        if self._tenses(*self._clause(one)) == (False, False) and self._tenses(*self._sentence(one)) == (True, False):
            return ""
        return self._direction(one)

    def _is_so_now(self, start: int, end: int) -> bool:
        return is_so_now(self._rules, self._text[start:end])

    def _tenses(self, start: int, end: int) -> tuple[bool, bool]:
        return tenses(self._rules, self._text[start:end])

    def _says(self, what: str, one: NamedDays) -> bool:
        start, end = self._sentence(one)
        return any(rules.says(what, self._text[start:end]) for rules in self._rules)

    def _sentence(self, one: NamedDays) -> tuple[int, int]:
        start = max(end for end in self._ends if end <= one.start)
        return start, min(end for end in self._ends if end >= one.end)

    def _clause(self, one: NamedDays) -> tuple[int, int]:
        return clause_around(self._text, one.start, one.end, self._sentence(one))
