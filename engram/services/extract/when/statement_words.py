"""What the words of a statement say beside a day that it names: what was, what is so, or what is to come. Pure."""

import datetime as dt
from collections.abc import Sequence
from typing import Final

from engram.language.dates.dates import DAY
from engram.language.dates.dates import YEAR
from engram.language.dates.named_days import NamedDays
from engram.language.dates.validity_rules import THROUGH
from engram.language.dates.validity_rules import UNTIL
from engram.language.dates.validity_rules import ValidityRules
from engram.model.vocabulary import Category
from engram.services.extract.when.standing_parts import StandingParts
from engram.services.extract.when.statement_parts import FUTURE
from engram.services.extract.when.statement_parts import PAST
from engram.services.extract.when.statement_parts import PRESENT
from engram.services.extract.when.statement_parts import clause_around
from engram.services.extract.when.statement_parts import is_so_now
from engram.services.extract.when.statement_parts import last_tense
from engram.services.extract.when.statement_parts import sentence_ends
from engram.services.extract.when.statement_parts import tenses

DUE: Final = frozenset({Category.COMMITMENT, Category.INSTRUCTION})  # a day to come is when it is due


class StatementWords:
    """One statement, and what its words say beside each of its days."""

    def __init__(self, text: str, category: str, said_on: dt.date, rules: Sequence[ValidityRules]) -> None:
        """Take the statement, without code, and the rules of the languages that it is in."""
        self._text = text
        self._category = category
        self._said_on = said_on
        self._rules = rules
        self._ends = sentence_ends(text)
        self.parts = StandingParts(text, rules)

    def nearer(self, one: NamedDays) -> str:
        """Return the direction of a beginning that may be meant either way: the nearer month; a day is to come."""
        if one.past is None or one.future is None or one.nearest is not None or one.past.precision == DAY:
            return ""
        if one.past.precision == YEAR or self.says("lasting", one):  # a season; "работает с мая"
            return PAST
        return PAST if self._said_on - one.past.first < one.future.first - self._said_on else FUTURE

    def direction(self, one: NamedDays) -> str:
        """Return whether the words around a date speak of what was or of what is to come; "" when they do not say."""
        if self.says("moved", one) and any(rules.moves_to(self._text, one.start, one.end) for rules in self._rules):
            return FUTURE
        if self.says("fixed", one) and any(rules.fixes_on(self._text, one.start, one.end) for rules in self._rules):
            return FUTURE
        whole = () if one.is_bare else (self.sentence(one),)  # "the advance is on the 20th, they decided so"
        begin, finish = clause = self.clause(one)
        last = last_tense(self._rules, self._text[begin : one.start])
        if last == PRESENT and self.bound(one) in {UNTIL, THROUGH}:
            return FUTURE
        for start, end in (*whole, clause):
            was, will = self.tenses(start, end)
            if was != will:
                return PAST if was else FUTURE
        if was:  # and will
            is_told_of = last == FUTURE and not self.tenses(one.end, finish)[0]
            return FUTURE if self._category in DUE or is_told_of else PAST
        return ""

    def direction_of_start(self, one: NamedDays) -> str:
        """Return the same of a beginning ("from 20 July"): what is told beside it, as of a deal done, says nothing."""
        if one.comes_soon(self._said_on):
            return FUTURE
        if self.is_so_now(*self.clause(one)):
            return ""
        if self.tenses(*self.clause(one)) == (False, False) and self.tenses(*self.sentence(one)) == (True, False):
            return ""
        return self.told_direction(one)

    def told_direction(self, one: NamedDays) -> str:
        """Return the direction; to come, where only other clauses tell what was and the days to come are nearer.

        "Ann signed at 32,000, first day 1 June", said in April, is of the June to come.
        """
        direction = self.direction(one)
        is_of_year = not (one.is_bare or one.is_weekday)
        is_beside = direction == PAST and is_of_year and not self.parts.tenses(one)[0]
        return FUTURE if is_beside and one.is_nearer_to_come(self._said_on) else direction

    def direction_of_end(self, one: NamedDays) -> str:
        """Return the same of an end: one that is to come, unless its clause tells what was.

        An end that is taken for a past one hides the statement from the day on which it was made: of a time that lasts
        ("leased till 30 September") the nearer end is meant.
        """
        clause = self.clause(one)
        if self.is_so_now(*clause) or not self.tenses(*clause)[0] or self.direction(one) != PAST:
            return FUTURE
        if self.lasts_until(one):
            return FUTURE if one.is_nearer_to_come(self._said_on) else PAST
        return FUTURE if one.is_bare or one.is_weekday else PAST

    def lasts_until(self, one: NamedDays) -> bool:
        """Tell whether the words beside an end say that something lasts until then, and is not due by then."""
        return any(rules.stays_until(self._text, one.start, one.end) for rules in self._rules)

    def is_so_now(self, start: int, end: int) -> bool:
        """Tell whether a stretch of the statement says what is so when it is said."""
        return is_so_now(self._rules, self._text[start:end])

    def tenses(self, start: int, end: int) -> tuple[bool, bool]:
        """Return whether a stretch of the statement has words of what was, and of what is to come."""
        return tenses(self._rules, self._text[start:end])

    def says(self, what: str, one: NamedDays) -> bool:
        """Tell whether the sentence of a day has words of a section of the rules: moved, open, ends and so on."""
        start, end = self.sentence(one)
        return any(rules.says(what, self._text[start:end]) for rules in self._rules)

    def sentence(self, one: NamedDays) -> tuple[int, int]:
        """Return where the sentence of a day begins and ends."""
        start = max(end for end in self._ends if end <= one.start)
        return start, min(end for end in self._ends if end >= one.end)

    def clause(self, one: NamedDays) -> tuple[int, int]:
        """Return where the clause of a day begins and ends."""
        return clause_around(self._text, one.start, one.end, self.sentence(one))

    def bound(self, one: NamedDays) -> str:
        """Return which end of a time the words beside a day make of it: since, start, until, through; "" for none."""
        return next(filter(None, (rules.bound(self._text, one.start, one.end) for rules in self._rules)), "")
