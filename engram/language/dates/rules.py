"""The rules by which dates are found in text, one file a language in `patterns/dates`, read when a text needs them.

A file says in `script` (an expression) which texts it is for, in `not_script` which not, and in `edges` whether its
words stand between spaces and marks. `[words.NAME]` gives words (expressions) their meaning: a number, or a unit.
`[[rule]]` has

* `pattern`: an expression in which `<NAME>` is a group of that name for the words of `[words.NAME]`, `<GROUP:NAME>` one
  of another name, and a group called `date` is what is returned when it is not the whole match;
* `near`: words of which one stands, in lower case, in every text that the pattern can match;
* `means`: the name of one of the readings in dates.py; values that the words do not give (`offset`, `sign`, `unit`,
  `month`) stand beside it;
* `not_after`, `after`: what must not, or must, stand right before the match.

`[not_event]` has expressions for what, `before` or `behind` a date or among the `words` of its statement, says that the
date is not the day on which the statement came true: `by Friday`, `the log of 2026-02-24`, `the deadline`.
"""

from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any
from typing import Final

from engram.base.table_files import read_table
from engram.language import PATTERNS
from engram.language.matching.prefilter import compiled
from engram.language.matching.prefilter import stands_in

FOLDER: Final = Path(PATTERNS, "dates")

_BEFORE_CHARS = 80  # what is read of the text before a match
_GROUP = r"<(\w+)(?::(\w+))?>"
_NUMBERS = "number"  # the words that are looked up where a group names no others
_GIVEN = ("offset", "sign", "which", "number", "month", "day")  # values that a rule itself may give
# A date is no part of a path, an address, a version or a longer number.
_JOINED_BEFORE = frozenset("/\\@=._-:#&+")
_JOINED_AFTER = frozenset("/\\@=_")
_FIRST_EASTERN = "\u1100"  # from here on scripts write without spaces, or put them as they like
_JOINED_IN_WORD = frozenset(".-:'’")  # only when a letter or digit follows


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


class DateRule:
    """One pattern and how what it finds is read."""

    __slots__ = (
        "_entry",
        "_source",
        "_tables",
        "_words",
        "after",
        "edges",
        "given",
        "means",
        "near",
        "not_after",
        "unit",
    )

    def __init__(self, entry: dict[str, Any], words: dict[str, dict[str, int | str]], *, edges: bool) -> None:
        """Read one entry of a file; the file's words are put into its pattern when it is first tried."""
        self._entry = entry
        self._words = words
        self._source = ""
        self.means: str = entry["means"]
        self.near: tuple[str, ...] = tuple(entry["near"])
        self.after: str = entry.get("after", "")
        self.not_after: str = entry.get("not_after", "")
        self.edges = edges
        self.unit: str = entry.get("unit", "")
        self.given = {name: int(entry[name]) for name in _GIVEN if name in entry}
        self._tables = {"": words.get(_NUMBERS, {})}  # the words of each group

    def find(self, text: str, low: str) -> list[Match]:
        """Return the places in a text; `low` is the same text in lower case."""
        return self.matches(text) if any(word in low for word in self.near) else []

    def matches(self, text: str) -> list[Match]:
        """Return the places in a text that holds one of the words near them."""
        found = []
        if not self._source:
            self._source = self._filled(self._entry["pattern"], self._words)
        for match in compiled(self._source).finditer(text):
            start, end = match.span("date" if match.groupdict().get("date") else 0)
            if self._stands_free(text, match.start(), match.end()):
                found.append(Match(start, end, self.means, self._said(match.groupdict())))
        return found

    def _filled(self, pattern: str, words: dict[str, dict[str, int | str]]) -> str:
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
        before = text[max(0, start - _BEFORE_CHARS) : start]
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


class DateRules:
    """The rules of one file."""

    __slots__ = ("_near", "_rules", "not_event", "not_script", "script")

    def __init__(self, data: dict[str, Any]) -> None:
        """Read a file."""
        self.script: str = data["script"]
        self.not_script: str = data.get("not_script", "")
        edges = bool(data["edges"])
        self.not_event: dict[str, str] = data.get("not_event", {})
        self._rules = tuple(DateRule(entry, data.get("words", {}), edges=edges) for entry in data["rule"])
        self._near: dict[str, list[int]] = {}  # a word -> the places of the rules that are tried where it stands
        for place, rule in enumerate(self._rules):
            for word in rule.near:
                self._near.setdefault(word, []).append(place)

    def are_for(self, text: str) -> bool:
        """Tell whether a text has words of this language's script."""
        if self.script and not stands_in(self.script, text):
            return False
        return not (self.not_script and stands_in(self.not_script, text))

    def find(self, text: str, low: str) -> list[Match]:
        """Return the places where a rule speaks, rule by rule; `low` is the text in lower case."""
        tried = {place for word, places in self._near.items() if word in low for place in places}
        return [match for place in sorted(tried) for match in self._rules[place].matches(text)]

    def denies_event(self, text: str, places: Iterable[tuple[int, int]]) -> bool:
        """Tell whether the words say that a date at one of the places is not the day on which the text came true."""
        if not self.not_event:
            return False
        if compiled(self.not_event["words"]).search(text):
            return True
        before, behind = compiled(self.not_event["before"]), compiled(self.not_event["behind"])
        return any(
            before.search(text[max(0, start - _BEFORE_CHARS) : start]) or behind.match(text, end)
            for start, end in places
        )


@cache
def load_date_rules() -> tuple[DateRules, ...]:
    """Read every file of the folder, in the order of their names."""
    files = sorted(FOLDER.glob("*.toml"))
    return tuple(DateRules(read_table(file)) for file in files)


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
