"""Whether the day of a promise ends it, as its words say, or is the day on which it is due. Pure.

"I cover Anna's shifts until Friday" is over on Saturday; "I'll send the draft by Friday" is owed on. Where a language
has one word for both (`до`, `까지`, `到`), other words have to tell. Where nothing tells, the day is when it is due: a
promise that is asked about once too often costs less than one that is lost.
"""

import datetime as dt
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from engram.language.dates.day_hints import may_name_days
from engram.language.dates.named_days import NamedDays
from engram.language.dates.named_days import name_days
from engram.language.dates.validity_rules import SINCE
from engram.language.dates.validity_rules import START
from engram.language.dates.validity_rules import THROUGH
from engram.language.dates.validity_rules import UNTIL
from engram.language.dates.validity_rules import ValidityRules
from engram.language.dates.validity_rules import load_validity_rules

_MOST_CHARS: Final = 4_000  # what is read of a statement
_ANY_DAY: Final = dt.date(2026, 2, 24)  # where days are named does not depend on the day on which it is said


@lru_cache(maxsize=4096)  # every door asks it of the same promises
def lasts_until_its_day(text: str) -> bool:
    """Tell whether the words of a promise say that it lasts until the day that they name, and is over then.

    So do "until Friday", and a first and a last day. The first end that the words name decides. Never raises.
    """
    said = text[:_MOST_CHARS]
    low = said.lower()
    rules = [one for one in load_validity_rules() if one.are_for(said) and one.may_stay(low)]
    if not rules or not may_name_days(said):
        return False
    named = [one for one in name_days(said, _ANY_DAY) if not any(_is_content(rule, said, one) for rule in rules)]
    for place, one in enumerate(named):
        if one.is_range or any(rule.stays_until(said, one.start, one.end) for rule in rules):
            return True
        if place and _is_last_day(rules, said, named[place - 1], one):
            return True
        if _bound(rules, said, one) in {UNTIL, THROUGH}:
            return False
    return False


def _is_last_day(rules: Sequence[ValidityRules], text: str, first: NamedDays, last: NamedDays) -> bool:
    """Tell whether two days that follow each other are the first and the last one of a time."""
    between = text[first.end : last.start]
    if _bound(rules, text, first) not in {"", START, SINCE}:
        return False
    is_of_time = any(rule.joins(between) for rule in rules)
    return is_of_time or (_bound(rules, text, first) == START and _bound(rules, text, last) == THROUGH)


def _bound(rules: Sequence[ValidityRules], text: str, one: NamedDays) -> str:
    return next(filter(None, (rule.bound(text, one.start, one.end) for rule in rules)), "")


def _is_content(rules: ValidityRules, text: str, one: NamedDays) -> bool:
    return rules.is_content(text, one.start, one.end)
