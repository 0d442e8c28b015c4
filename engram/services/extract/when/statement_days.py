"""How the days that one statement names are meant: when it happened, from when, until when it holds. Pure."""

import datetime as dt
import itertools
import re
from collections.abc import Sequence
from typing import Final

from engram.language.dates.dates import DAY
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
from engram.services.extract.when.statement_parts import FUTURE
from engram.services.extract.when.statement_parts import PAST
from engram.services.extract.when.statement_parts import clause_ends
from engram.services.extract.when.statement_words import DUE
from engram.services.extract.when.statement_words import StatementWords

_PROMISE: Final = "commitment"  # of a day to come, whatever else is told of it: "I promised it for Thursday"
_TIMELESS: Final = frozenset({"preference", "lesson", "instruction"})  # a past day is about it, not of it
_EVENTS: Final = DUE | {"milestone", "decision", "correction"}  # where a weekday is a certain day, not a habit

_A_YEAR: Final = dt.timedelta(days=366)
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
        self._words = StatementWords(text, category, said_on, rules)
        self._parts = self._words.parts

    def is_content(self, one: NamedDays) -> bool:
        """Tell whether the days are only part of what the statement is about."""
        days = one.nearest or one.future or one.past
        is_period = days is not None and days.precision != DAY
        beside = (rules.is_content(self._text, one.start, one.end, is_period=is_period) for rules in self._rules)
        start, end = self._words.sentence(one)
        around = self._text[start : one.start] + " " + self._text[one.end : end]  # "two Sundays ago" is no habit
        is_from = self._words.bound(one) == SINCE or (self._words.bound(one) == START and not one.is_weekday)
        is_of_habit = not is_from and any(rules.says("content", around) for rules in self._rules)
        if any(beside) or is_of_habit or self._is_long_over(one):
            return True
        return self._is_of_each_time(one) or self._is_of_its_clause(one)

    def _is_long_over(self, one: NamedDays) -> bool:
        """Tell whether an end was over when the statement was made: then it ends something else that it tells of.

        "The field is blank for those who came before 2019" holds today.
        """
        if (
            one.past is None
            or one.past != one.future
            or one.past.last >= self._said_on
            or self._words.bound(one) != UNTIL
        ):
            return False
        if self._category in DUE or self._words.lasts_until(one) or self._words.says("ends", one):
            return False
        return not self._words.tenses(*self._words.sentence(one))[1]

    def _is_of_its_clause(self, one: NamedDays) -> bool:
        """Tell whether a beginning is one of its clause alone, for a clause before it says what is so now.

        "Our head nurse is Ms. Okafor, she approves every change after the 20th" holds today.
        """
        if self._words.bound(one) != START:
            return False
        start, end = self._words.clause(one)
        besides = len(_WORD.findall(self._text, start, one.start)) + len(_WORD.findall(self._text, one.end, end))
        if besides <= _MOST_OF_ASIDE:
            return False
        clauses = itertools.pairwise(clause_ends(self._text, start))
        return any(self._words.is_so_now(*clause) and self._parts.stands(*clause) for clause in clauses)

    def _is_of_each_time(self, one: NamedDays) -> bool:
        """Tell whether the day of an order, or a weekday, is when something is due each time: "always by Thursday"."""
        is_order = self._category == Category.INSTRUCTION
        if not (is_order or one.is_weekday) or one.is_range or self._words.bound(one) in {SINCE, START}:
            return False
        start, end = self._words.sentence(one) if is_order else self._words.clause(one)
        sentence = self._text[start:end]
        return any(rules.is_of_each_time(self._text, one.start, one.end, sentence) for rules in self._rules)

    def without_former(self, named: list[NamedDays]) -> list[NamedDays]:
        """Return the days without the one from which something was moved to another."""
        if len(named) != 2 or not self._words.says("moved", named[1]):
            return named
        between = self._text[named[0].end : named[1].start]
        is_former = self._words.bound(named[0]) == START or any(rules.joins(between) for rules in self._rules)
        return named[1:] if is_former else named

    def held(self, found: Validity, named: Sequence[NamedDays]) -> Validity:
        """Return when the whole statement holds: now, where a part of it does that is not about the days of the others.

        A promise is due on its day, whatever is told beside it.
        """
        is_planned = found.valid_from > self._said_on
        if self._category == _PROMISE or not (is_planned or found.valid_to):
            return found
        is_time = is_planned and found.valid_to is not None  # what is told behind it is of that time
        opening = [one for one in named if is_time or self._words.bound(one) == START]
        if not self._parts.stand_beside(named, opening, self._category):
            return found
        is_over = found.valid_to is not None and found.valid_to < self._said_on
        return Validity(self._said_on) if is_planned or is_over else found._replace(valid_to=None, to_precision=DAY)

    # --- an end that the words name --------------------------------------------------------------------------------

    def bounded(self, named: Sequence[NamedDays]) -> Validity | None:
        """Return what "from", "since", "until" and the like make of the days; None when no such word stands there."""
        bounds = [self._words.bound(one) for one in named]
        for place in range(len(named) - 1):
            between = self._text[named[place].end : named[place + 1].start]
            if bounds[place] in {"", START} and any(rules.joins(between) for rules in self._rules):
                bounds[place], bounds[place + 1] = START, THROUGH
            is_habit = named[place].is_weekday and named[place + 1].is_weekday and self._category not in DUE
            if bounds[place + 1] == THROUGH and is_habit and not self._words.direction(named[place]):
                return Validity(self._said_on)
        begins = next((place for place, bound in enumerate(bounds) if bound in {SINCE, START}), None)
        ends = next((place for place, bound in enumerate(bounds) if bound in {UNTIL, THROUGH}), None)
        if begins is None and ends is None:
            return None
        if begins is not None and ends is not None and ends < begins:
            begins = None if self._parts.are_apart(named[ends], named[begins]) else begins
        first = named[begins] if begins is not None else None
        start = self._start(first, bounds[begins]) if first is not None and begins is not None else None
        end = None
        if ends is not None:
            is_from = first is not None and bounds[begins or 0] == START
            start, end = self._apart(start, first if is_from else None, named[ends])
            end = end and self._end(end, named[ends], through=bounds[ends] == THROUGH)
        found = self._together(start, first, end)
        if found is None or first is not None:
            return found
        last = named[ends or 0]  # what begins in a clause behind an end is another thing
        beside = [one for one, bound in zip(named, bounds, strict=True) if not bound]
        event = self.unbounded([one for one in beside if not self._parts.are_apart(last, one)])
        return self._from_event(found, event)

    def _from_event(self, found: Validity, event: Validity | None) -> Validity:
        """Return the time up to an end, from the day of an event that is told beside it."""
        if event is None or found.valid_to is None or event.valid_from > found.valid_to:
            return found
        if event.valid_to is not None and event.valid_from <= self._said_on:
            return found
        return found._replace(valid_from=event.valid_from, from_precision=event.from_precision)

    def _apart(self, start: Days | None, first: NamedDays | None, last: NamedDays) -> tuple[Days | None, Days | None]:
        """Return the beginning and the end of a time; `first` is where the beginning is named, if it is a bare one.

        What is named without a year lasts less than one: of two readings those that are near each other are meant.
        """
        end = self._settled(last, self._words.direction_of_end(last), is_end=True)
        if start and end and end.last < start.first:
            end = last.future
        if start and first and end and end.first - start.first > _A_YEAR:
            return first.future, end
        return start, end

    def _start(self, one: NamedDays, bound: str) -> Days | None:
        return self._settled(
            one, PAST if bound == SINCE else self._words.direction_of_start(one) or self._words.nearer(one)
        )

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
        if not settled or any(self._words.says("open", one) for one, _ in settled):
            return None
        if len({(days.first, days.last) for _, days in settled}) == 1:
            return self._of_one(*settled[0])
        if self._category in DUE and all(days.first >= self._said_on for _, days in settled):
            return self._of_one(*max(settled, key=lambda one: one[1].last))
        return self._to_come_beside(settled)

    def _to_come_beside(self, settled: Sequence[tuple[NamedDays, Days]]) -> Validity | None:
        """Return what the one day to come says where the others tell only what was: it broke on Tuesday, so ..."""
        to_come = [one for one in settled if one[1].first > self._said_on]
        if self._category == Category.MILESTONE or len({days for _, days in to_come}) != 1:
            return None
        (one, days), *_ = to_come
        told = [other for other in settled if other not in to_come]
        if self._parts.tenses(one)[0] or any(other.last >= self._said_on for _, other in told):
            return None
        is_told = all(self._is_told_apart(past, one) for past, _ in told)
        return self._of_one(one, days) if is_told else None

    def _is_told_apart(self, past: NamedDays, one: NamedDays) -> bool:
        """Tell whether a clause or sentence that does not name the other day tells what was on a day."""
        if self._parts.part(past) == self._parts.part(one):
            return False
        sentence = self._words.sentence(past)
        is_apart = sentence != self._words.sentence(one)
        return self._parts.tenses(past)[0] or (is_apart and self._words.tenses(*sentence)[0])

    def _alone(self, one: NamedDays) -> Days | None:
        """Return the days of a place, but none of a weekday of which nothing says that it is one certain day."""
        direction = self._words.told_direction(one)
        if one.is_span and self._category not in DUE and not direction:
            return None
        if one.is_weekend and self._category not in DUE and not any(self._parts.tenses(one)):
            return None  # a habit: "she reads it over the weekend"
        return None if one.is_weekday and not self._is_certain(one) else self._settled(one, direction)

    def _is_certain(self, one: NamedDays) -> bool:
        """Tell whether a weekday is one certain day and not a habit."""
        if self._category == "instruction" and self._words.says("habit", one):
            return False
        return self._category in _EVENTS or bool(self._words.direction(one)) or self._words.says("ends", one)

    def _of_one(self, one: NamedDays, days: Days) -> Validity | None:
        if days.last < self._said_on:
            return self._of_past(one, days)
        if (
            days.last == self._said_on
            and self._category == Category.INSTRUCTION
            and is_aside(self._text, one.start, one.end)
        ):
            return None  # when it was given: an order for one day does not put the day aside
        if self._category in DUE or self._words.says("ends", one):
            if one.is_range:
                return Validity(days.first, days.last)
            return Validity(self._said_on, days.last, DAY, DAY if one.is_end else days.precision)
        if days.first > self._said_on:
            first = days.last if one.is_end else days.first
            is_over = one.is_range or self._words.says("passing", one)
            return Validity(first, days.last if is_over else None, days.precision, days.precision if is_over else DAY)
        return None

    def _of_past(self, one: NamedDays, days: Days) -> Validity | None:
        if self._category == _PROMISE and self._words.direction(one) == FUTURE:  # written down after it was due
            return Validity(days.first, days.last, days.precision, days.precision)
        start, end = self._words.sentence(one)
        sentence, places = self._text[start:end], [(one.start - start, one.end - start)]
        denied = (rules.denies_event(sentence, places) for rules in load_date_rules() if rules.are_for(sentence))
        if not closes(self._text, one.start, one.end) and (self._category in _TIMELESS or any(denied)):
            return None
        return Validity(days.last if one.is_end else days.first, days.last if one.is_range else None, days.precision)

    # --- what was, and what is to come -----------------------------------------------------------------------------

    def _settled(self, one: NamedDays, direction: str, *, is_end: bool = False) -> Days | None:
        """Return the days that are meant, where the words tell."""
        is_of_that_day = self._category == _PROMISE or (is_end and self._category == Category.DECISION)
        if is_of_that_day and one.has_just_passed(self._said_on):
            return one.past
        if one.nearest is None:
            is_past = self._category != _PROMISE and (direction or self._usual()) == PAST
            return one.past if is_past else one.future
        is_due = self._category in {_PROMISE, Category.DECISION} or self._words.says("ends", one)
        is_soon = one.nearest.precision == DAY and one.comes_soon(self._said_on)
        if direction == PAST and one.nearest.first > self._said_on and not (is_due or is_soon):
            return one.past
        is_promised = self._category == _PROMISE and direction != PAST
        if (is_promised or direction == FUTURE) and one.nearest.last < self._said_on:
            return one.future
        return one.nearest

    def _usual(self) -> str:
        return PAST if self._category == Category.MILESTONE else FUTURE
