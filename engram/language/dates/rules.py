"""The rules by which dates are found in text, one file a language in `patterns/dates`, read when a text needs them.

A file says in `script` (an expression) which texts it is for, in `not_script` which not, and in `edges` whether its
words stand between spaces and marks. `[words.NAME]` gives words (expressions) their meaning: a number, or a unit.
`[[rule]]` has

* `pattern`: an expression in which `<NAME>` is a group of that name for the words of `[words.NAME]`, `<GROUP:NAME>` one
  of another name, and a group called `date` (`date2` in another form) is what is returned when it is not the whole
  match;
* `near`: words of which one stands, in lower case, in every text that the pattern can match;
* `means`: the name of one of the readings in dates.py; values that the words do not give (`offset`, `sign`, `unit`,
  `month`) stand beside it;
* `not_after`, `after`: what must not, or must, stand right before the match.

`[not_event]` has expressions for what, `before` or `behind` a date or among the `words` of its statement, says that the
date is not the day on which the statement came true: `by Friday`, `the log of 2026-02-24`, `the deadline`.
"""

from collections import Counter
from collections.abc import Iterable
from collections.abc import Mapping
from functools import cache
from typing import Final

from engram.language.matching.language_files import Table
from engram.language.matching.language_files import find_language
from engram.language.matching.language_files import read_languages
from engram.language.matching.near_index import NearIndex
from engram.language.matching.patterns import Pattern
from engram.language.matching.patterns import ScriptRules
from engram.language.matching.prefilter import compiled

KIND: Final = "dates"

BEFORE_CHARS: Final = 80  # what is read of the text before a match
_GROUP = r"<(\w+)(?::(\w+))?>"
_NUMBERS = "number"  # the words that are looked up where a group names no others
_GIVEN = ("offset", "sign", "which", "number", "month", "day", "weekday")  # values that a rule itself may give
# A date is no part of a path, an address, a version or a longer number.
_JOINED_BEFORE = frozenset("/\\@=._-:#&+")
_JOINED_AFTER = frozenset("/\\@=_")
_FIRST_EASTERN = "\u1100"  # from here on scripts write without spaces, or put them as they like
_JOINED_IN_WORD = frozenset(".-:'’")  # only when a letter or digit follows


Words = dict[str, dict[str, int | str]]  # name of a list -> expression of a word -> number or unit


class Said:
    """What the words of a date say: numbers by name (year, month, day, number, which, ...), and a unit."""

    __slots__ = ("numbers", "unit")

    def __init__(self, numbers: dict[str, int], unit: str) -> None:
        """Keep the values."""
        self.numbers = numbers
        self.unit = unit  # day, week, weekend, month, year, or "" when none is said


class Match:
    """One place where a rule speaks: `text[start:end]` is the date."""

    __slots__ = ("end", "means", "said", "start")

    def __init__(self, start: int, end: int, means: str, said: Said) -> None:
        """Keep the place and what is said there."""
        self.start = start
        self.end = end
        self.means = means
        self.said = said


class DateRule(Pattern):
    """One pattern and how what it finds is read."""

    __slots__ = ("_expression", "_tables", "_words", "after", "edges", "given", "means", "not_after", "unit")

    def __init__(self, entry: Table, words: Words, *, edges: bool) -> None:
        """Read one entry of a file; the file's words are put into its pattern when it is first tried."""
        super().__init__(entry)
        self._words = words
        self._expression = ""  # with the words
        self.means: str = entry["means"]
        self.after: str = entry.get("after", "")
        self.not_after: str = entry.get("not_after", "")
        self.edges = edges
        self.unit: str = entry.get("unit", "")
        self.given = {name: int(entry[name]) for name in _GIVEN if name in entry}
        self._tables = {"": words.get(_NUMBERS, {})}  # the words of each group

    def find(self, text: str, low: str) -> list[Match]:
        """Return the places in a text; `low` is the same text in lower case."""
        return self.matches(text) if self.is_near(low) else []

    def matches(self, text: str) -> list[Match]:
        """Return the places in a text that holds one of the words near them."""
        found = []
        if not self._expression:
            self._expression = self._with_words(self.source, self._words)
        for match in compiled(self._expression).finditer(text):
            said = match.groupdict()
            own = next((name for name, words in said.items() if words and name.rstrip("0123456789") == "date"), 0)
            start, end = match.span(own)
            if self._stands_free(text, match.start(), match.end()):
                found.append(Match(start, end, self.means, self._said(said)))
        return found

    def _with_words(self, pattern: str, words: Words) -> str:
        used: Counter[str] = Counter()

        def fill(name: str, table: str) -> str:
            used[name] += 1
            group = name if used[name] == 1 else f"{name}{used[name]}"
            self._tables[group] = words[table]
            return f"(?P<{group}>{'|'.join(words[table])})"

        # Groups of the expression syntax, as in (?P<day>...) and (?P=mark), are left as they are.
        pieces = compiled(rf"(?<!\(\?P){_GROUP}").split(pattern)
        filled = [pieces[0]]
        for place in range(1, len(pieces), 3):
            name, table, rest = pieces[place : place + 3]
            filled += [fill(name, table or name), rest]
        return "".join(filled)

    def _stands_free(self, text: str, start: int, end: int) -> bool:
        before = text[max(0, start - BEFORE_CHARS) : start]
        if self.edges and not (_may_begin(before) and _may_end(text, end)):
            return False
        if self.not_after and compiled(self.not_after).search(before):
            return False
        return not self.after or compiled(self.after).search(before) is not None

    def _said(self, groups: dict[str, str | None]) -> Said:
        numbers = dict(self.given)
        unit = self.unit
        for group, words in groups.items():
            name = group.rstrip("0123456789")
            if words is None or name in {"date", "mark"}:
                continue
            value = int(words) if words.isdecimal() else _meaning(words, self._tables.get(group, self._tables[""]))
            if isinstance(value, str):
                unit = value
            else:
                numbers[name] = value
        return Said(numbers, unit)


class DateRules(ScriptRules):
    """The rules of one file."""

    __slots__ = ("_near", "_rules", "near", "not_event")

    def __init__(self, data: Table) -> None:
        """Read a file."""
        super().__init__(data)
        edges = bool(data["edges"])
        self.not_event: dict[str, str] = data.get("not_event", {})
        self._rules = tuple(DateRule(entry, data.get("words", {}), edges=edges) for entry in data["rule"])
        self.near = tuple(rule.near for rule in self._rules)
        self._near = NearIndex(self.near)

    def find(self, text: str, low: str) -> list[Match]:
        """Return the places where a rule speaks, rule by rule; `low` is the text in lower case."""
        return [match for place in self._near.places_in(low) for match in self._rules[place].matches(text)]

    def denies_event(self, text: str, places: Iterable[tuple[int, int]]) -> bool:
        """Tell whether the words say that a date at one of the places is not the day on which the text came true."""
        if not self.not_event:
            return False
        if compiled(self.not_event["words"]).search(text):
            return True
        return any(stands_beside(self.not_event, text, start, end) for start, end in places)


@cache
def load_date_rules() -> tuple[DateRules, ...]:
    """Read the file of every language, in the order of their names."""
    return tuple(map(DateRules, read_languages(KIND).values()))


def may_speak(low: str) -> bool:
    """Tell whether a rule of any language may speak in a text in lower case: by one look at all their words."""
    return bool(_near_all().places_in(low))


@cache
def _near_all() -> NearIndex:
    return NearIndex([words for rules in load_date_rules() for words in rules.near])


def date_words(code: str) -> Words:
    """Return the words of a language's file of dates; none when there is no such file."""
    words: Words = (find_language(KIND, code) or {}).get("words", {})
    return words


def stands_beside(words: Mapping[str, str], text: str, start: int, end: int, most: int = BEFORE_CHARS) -> bool:
    """Tell whether the expression `before`, or `behind` if there is one, fits beside a date.

    Of the text before it `most` characters are read.
    """
    if compiled(words["before"]).search(text[max(0, start - most) : start]):
        return True
    return "behind" in words and compiled(words["behind"]).match(text, end) is not None


def _meaning(words: str, table: dict[str, int | str]) -> int | str:
    return next(value for word, value in table.items() if compiled(f"(?i:{word})").fullmatch(words))


def _may_begin(before: str) -> bool:
    return not before or not (_is_of_word(before[-1]) or before[-1] in _JOINED_BEFORE)


def _may_end(text: str, end: int) -> bool:
    after = text[end : end + 2]
    if not after or not (_is_of_word(after[0]) or after[0] in _JOINED_AFTER or after[0] in _JOINED_IN_WORD):
        return True
    return after[0] in _JOINED_IN_WORD and (not after[1:].isalnum() or after in {"'s", "’s"})


def _is_of_word(ch: str) -> bool:
    """Tell whether a word would go on with this character: Chinese and Korean ones begin a word of their own."""
    return ch.isalnum() and ch < _FIRST_EASTERN
