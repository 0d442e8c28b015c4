"""On what a standing order depends: the case in which it holds, and the event that ends it, in its own words. Pure.

One file a language in `patterns/orders`, of which the expressions see a text in small letters without emphasis:

* `when`: expressions with a group `when`, the case; `until`: with a group `until`, the event that ends it;
* `light`: words of a case that name nothing by which it could be known again; `weekdays`: days, 0 is Monday;
* `happens`: words of an event that only say that it is to happen: "until the release is out";
* `always`: what makes an order one that holds each time: "never merge until the tests pass" is ended by nothing;
* `after`, `before`, `past`: what stands behind or before the words of an event where it has happened, and the form of
  its own word; `open`: beside what it has not;
* `next`: where another order begins behind a case, which is no part of it: "before you commit, and never ..."; absent:
  a case stands before its order;
* `led`, `followed`: what may stand before and behind the words of an event that are no part of another name; absent:
  anything.

An end that is a day is none of these: rules of dates read it.
"""

import datetime as dt
import math
from collections.abc import Iterable
from collections.abc import Iterator
from functools import cache
from functools import lru_cache
from typing import Final
from typing import NamedTuple

from engram.language.matching.language_files import Table
from engram.language.matching.language_files import read_languages
from engram.language.matching.patterns import NOTHING
from engram.language.matching.patterns import Pattern
from engram.language.matching.patterns import ScriptRules
from engram.language.matching.prefilter import compiled
from engram.language.signal.user_statements import normalize
from engram.language.terms.terms import terms

_KIND: Final = "orders"
_MOST_CHARS: Final = 400  # what is read of an order: the beginning of a longer one says when it holds
_MOST_EVENT_TERMS: Final = 6  # an event of more words is a story
_SHARE: Final = 2 / 3  # of the words of a case that a text has to have for the case to be met
_WORD: Final = r"[^\W_]+(?:[-'.][^\W_]+)*"
_SIGNS: Final = "[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]"  # scripts in which a word does not end at a space
_WHOLE: Final = "*"  # ends the term of a whole Korean word


class OrderTerms(NamedTuple):
    """On what an order depends."""

    when: str = ""  # the case in which it holds; "": always
    until: str = ""  # the event that ends it; "": none, or a day
    is_of_part: bool = False  # another order stands beside the one for the case, and holds always


class _Orders(ScriptRules):
    """What the file of one language says."""

    __slots__ = (
        *("after", "always", "before", "followed", "happens", "led", "light", "next", "past"),
        *("undone", "until", "weekdays", "when"),
    )

    def __init__(self, data: Table) -> None:
        super().__init__(data)
        self.when, self.until, self.after, self.before, self.past = (
            [Pattern(entry) for entry in data.get(name, [])] for name in ("when", "until", "after", "before", "past")
        )
        self.always: str = data["always"]
        self.undone: str = data["open"]
        self.led: str = data.get("led", "")
        self.followed: str = data.get("followed", "")
        self.next: str = data.get("next", NOTHING)
        self.light: str = data["light"]
        self.happens: str = data["happens"]
        self.weekdays: dict[str, int] = data["weekdays"]


@lru_cache(maxsize=4096)  # a start block and every prompt read the same orders
def read_order(text: str) -> OrderTerms:
    """Return on what an order depends; nothing for one that always holds, and for a text that is no order."""
    said = normalize(text[:_MOST_CHARS]).strip(" .!。！")
    for rules in _rules_for(said):
        until = _first(rules.until, said, "until")
        if until and not compiled(rules.always).search(said):
            return OrderTerms("", until)
        if not until and (when := _first(rules.when, said, "when")):
            case = compiled(rules.next).split(when, maxsplit=1)[0].strip()
            return OrderTerms(case, "", case != when) if _names_something(case) else OrderTerms()
    return OrderTerms()


def is_met(when: str, said: Iterable[str], day: dt.date) -> bool:
    """Tell whether the case of an order is met: by what is said, or by the day when it names a day of the week.

    Args:
        when: the case, as `read_order` returns it.
        said: the terms of what is said.
        day: today.
    """
    if (days := weekdays_of(when)) and day.weekday() in days:
        return True
    named = case_terms(when)
    return bool(named) and len(named & frozenset(said)) >= math.ceil(len(named) * _SHARE)


def weekdays_of(when: str) -> frozenset[int]:
    """Return the days of the week that a case is about, 0 is Monday."""
    named = (
        day for rules in _rules_for(when) for source, day in rules.weekdays.items() if compiled(source).search(when)
    )
    return frozenset(named)


def case_terms(when: str) -> frozenset[str]:
    """Return the terms by which a case is known again, without what any case could say."""
    left = when
    for rules in _rules_for(when):
        if compiled(_SIGNS).search(rules.light):
            for word in sorted(rules.light.split(), key=len, reverse=True):
                left = left.replace(word, " ")
    return frozenset(_telling(terms(left))) - _terms_of("light")


def says_it_happened(text: str, event: str) -> bool:
    """Tell whether a statement says that an event has happened, which some order calls by these words."""
    said = normalize(text[:_MOST_CHARS])
    wanted = _event_terms(event)
    if not wanted or not wanted <= frozenset(_telling(terms(said))):
        return False
    rules = list(_rules_for(said))
    if "?" in said or "？" in said or any(compiled(one.undone).search(said) for one in rules):
        return False
    places = list(_places(said, event, wanted))
    return any(_has_happened(one, said, place, wanted) for one in rules for place in places)


def _has_happened(rules: _Orders, said: str, place: tuple[int, int], wanted: frozenset[str]) -> bool:
    start, end = place
    before, behind = said[:start], said[end:]
    if any(one.search(behind) for one in rules.after):
        led = before.rstrip().rpartition(" ")[2]  # another word of the event itself: "the shop release"
        return bool(wanted.intersection(terms(led))) or compiled(rules.led).search(before) is not None
    is_told = any(one.search(said[:end]) for one in rules.past) or any(one.search(before) for one in rules.before)
    return is_told and compiled(rules.followed).search(behind) is not None


def _places(said: str, event: str, wanted: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Yield the places of the event's words in a statement: of each word that means one of its terms."""
    if compiled(_SIGNS).search(event):
        for signs in _signs_of(event):
            at = said.find(signs)
            if at >= 0:
                yield at, at + len(signs)
        return
    for word in compiled(_WORD).finditer(said):
        if wanted & frozenset(_telling(terms(word[0]))):
            yield word.start(), word.end()


def _signs_of(event: str) -> list[str]:
    """Return the words of an event in a script without reliable spaces, without what is light."""
    left = event
    for rules in _rules_for(event):
        for word in sorted(rules.light.split(), key=len, reverse=True):
            left = left.replace(word, " ")
    return left.split()


@lru_cache(maxsize=1024)
def _event_terms(event: str) -> frozenset[str]:
    """Return the terms of an event; none for one that is told as a story."""
    named = case_terms(event)
    named = (named - _terms_of("happens")) or named
    return named if len(named) <= _MOST_EVENT_TERMS else frozenset()


def _first(patterns: Iterable[Pattern], said: str, group: str) -> str:
    for pattern in patterns:
        found = pattern.search(said)
        if found is not None:
            return found[group].strip()
    return ""


def _names_something(when: str) -> bool:
    """Tell whether a case can be known again; "when you answer" holds always."""
    return bool(case_terms(when) or weekdays_of(when))


def _telling(found: Iterable[str]) -> list[str]:
    """Return terms, of Korean words the whole stems alone: their syllables stand in many others."""
    listed = list(found)
    return [one for one in listed if one.endswith(_WHOLE) or not compiled("[\uac00-\ud7a3]").search(one)]


def _rules_for(text: str) -> Iterator[_Orders]:
    return (one for one in _load() if one.are_for(text))


@cache
def _terms_of(name: str) -> frozenset[str]:
    """Return the terms of the words that the files have under a name."""
    return frozenset(_telling(term for one in _load() for term in terms(getattr(one, name))))


@cache
def _load() -> tuple[_Orders, ...]:
    return tuple(_Orders(data) for data in read_languages(_KIND).values())
