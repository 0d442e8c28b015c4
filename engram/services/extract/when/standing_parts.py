"""The parts of a statement that hold when it is said, whatever day another part of it names. Pure.

"I'm vegetarian, and the party is on 11 December": the day is that of the party. A part holds by itself when it says
what is so, names no day, and is about more than what the dated part tells of ("it's in the old mill").
"""

import itertools
import re
from collections.abc import Sequence
from typing import Final

from engram.language.dates.named_days import NamedDays
from engram.language.dates.validity_rules import ValidityRules
from engram.model.vocabulary import Category
from engram.services.extract.when.statement_parts import FUTURE
from engram.services.extract.when.statement_parts import PAST
from engram.services.extract.when.statement_parts import sentence_ends

_PAUSE = re.compile(  # not in 4,200 and 10:30, nor in "am 9. Mai" and "the 9. floor"
    r"(?:(?<!\d)\.|[!?…])+(?=\s)|(?<=\d)\.(?=\s+[^\W\d_a-zäöüß])|[。！？；;\n，、：()（）]|[,:](?!\d)"
)
_WORD = re.compile(r"\w+")
_MOST_BEFORE: Final = 4  # words before a day that opens its part: "and with effect from the 1st"

Place = tuple[int, int]


class StandingParts:
    """A statement, and which of its parts hold when it is said."""

    def __init__(self, text: str, rules: Sequence[ValidityRules]) -> None:
        """Take the statement, without code, and the rules of the languages that it is in."""
        self._text = text
        self._rules = rules
        joints = {place for one in rules for place in one.joints(text)}
        cuts = {0, len(text), *joints, *(pause.end() for pause in _PAUSE.finditer(text))}
        self._parts = list(itertools.pairwise(sorted(cuts)))

    def part(self, one: NamedDays) -> Place:
        """Return where the part begins and ends in which a day is named."""
        around = [part for part in self._parts if part[0] < one.end and part[1] > one.start]
        return around[0][0], around[-1][1]

    def are_apart(self, one: NamedDays, other: NamedDays) -> bool:
        """Tell whether two days stand in parts of which the second says something of its own."""
        return self.part(one)[1] <= self.part(other)[0] and self._says_something(other)

    def tenses(self, one: NamedDays) -> tuple[bool, bool]:
        """Return whether the part of a day has words of what was, and of what is to come."""
        words = self._words(self.part(one))
        was, will = (any(rules.says(tense, words) for rules in self._rules) for tense in (PAST, FUTURE))
        return was, will

    def stand_beside(self, named: Sequence[NamedDays], opening: Sequence[NamedDays], category: str) -> bool:
        """Tell whether a part without a day holds when the statement is made.

        A day that is `opening` counts for what stands behind it in its sentence. Of an order with a day such a part is
        one that holds each time: what is so is told to carry it out.
        """
        dated = [self.part(one) for one in named]
        if not any(map(self._says_something, named)) or any(map(self._shares_subject, dated)):
            return False
        taken = [*dated, *map(self._opened, opening)]
        beside = [part for part in self._parts if not any(part[0] < end and part[1] > start for start, end in taken)]
        if category == Category.INSTRUCTION:
            return any(rules.says("each", self._words(part)) for part in beside for rules in self._rules)
        return any(self.stands(*part) and not self._is_of_that(part, behind=dated[0][0]) for part in beside)

    def stands(self, start: int, end: int) -> bool:
        """Tell whether a stretch of the statement says by itself what is so when it is made."""
        words = self._words((start, end))
        return any(rules.stands(words) for rules in self._rules)

    def _is_of_that(self, part: Place, *, behind: int) -> bool:
        """Tell whether a part behind the first day is about what that day is told of."""
        words = self._words(part)
        return part[0] >= behind and any(rules.is_of_that(words) for rules in self._rules)

    def _shares_subject(self, part: Place) -> bool:
        words = self._words(part)
        return any(rules.shares_subject(words) for rules in self._rules)

    def _says_something(self, one: NamedDays) -> bool:
        """Tell whether the part of a day says more than how the day is meant: "as of 1 March"."""
        start, end = self.part(one)
        rest = self._text[start : one.start] + " " + self._text[one.end : end]
        return any(rules.tells(rest) for rules in self._rules)

    def _opened(self, one: NamedDays) -> Place:
        """Return what a day that opens its part counts for: from it to the end of its sentence."""
        start, end = self.part(one)
        if len(_WORD.findall(self._text, start, one.start)) > _MOST_BEFORE:
            return start, end
        return start, min(stop for stop in sentence_ends(self._text) if stop >= end)

    def _words(self, part: Place) -> str:
        return self._text[slice(*part)].strip(" ,;:.!?()\n，。；：、—–-")
