"""A statement as the tokens that are compared: words, and the numbers, dates, versions and opposites in it."""

import re
from functools import cache
from functools import lru_cache
from typing import NamedTuple

from engram.language.lexicon import Lexicon
from engram.language.lexicon import fold
from engram.language.lexicon import load_lexicon
from engram.language.lexicon import stem

WORD = "word"  # a content word, by its stem
NUMBER = "number"  # a count, an amount, with its unit
DATE = "date"  # a day, a month, a weekday, a time of day
VERSION = "version"  # 2.3.1, v16, the number behind "version"
OPPOSITE = "opposite"  # one side of a pair such as dark and light
NAME = "name"  # a number that names, as in issue 12


class Token(NamedTuple):
    """One token of a statement."""

    kind: str  # word, number, date, version, opposite, name
    key: str  # what must be equal in the skeleton
    value: str  # what may differ between equal skeletons, in normal form
    shown: str  # how people see it


class Tokens(NamedTuple):
    """A statement taken apart."""

    items: tuple[Token, ...]  # in order, without dropped words and negations
    negated: bool  # an odd number of negations
    ceased: bool  # says that something which held has ended
    folded: str  # the folded text, contractions taken apart
    content: frozenset[str]  # stems and values that carry meaning


@cache
def _scanner() -> re.Pattern[str]:
    months = "|".join(sorted(load_lexicon().months, key=len, reverse=True))
    ordinal = r"(?:st|nd|rd|th)?"
    return re.compile(
        rf"(?P<date>\d{{4}}-\d\d-\d\d(?:[t ]\d\d:\d\d(?::\d\d)?z?)?(?!\w)"
        rf"|\d{{1,2}}[./]\d{{1,2}}[./]\d{{4}}(?!\w)"
        rf"|\d{{1,2}}{ordinal} (?:of )?(?:{months})\b(?:,? \d{{4}}\b)?"
        rf"|(?:{months}) \d{{1,2}}{ordinal}\b(?:,? \d{{4}}\b)?|(?:{months}),? \d{{4}}\b"
        rf"|\d{{1,2}}:\d\d(?::\d\d)?(?: ?[ap]m\b)?(?!\w)|\d{{1,2}} ?[ap]m\b|q[1-4] \d{{4}}\b)"
        rf"|(?P<version>v\d+(?:\.\d+)*(?:-[a-z]+[\d.]*)?(?!\w)|\d+\.\d+\.\d+(?:\.\d+)*(?:-?[a-z]+[\d.]*)?(?!\w))"
        rf"|(?P<number>(?P<currency>[$€£₽])?(?P<digits>\d+(?:[.,_]\d+)*)(?P<suffix>%|[^\W\d_]{{1,3}})?(?![\w]))"
        rf"|(?P<word>#\d+|\.?[^\W_]\w*(?:[.'/-]\w+)*[+#]*)"
    )


@lru_cache(maxsize=8192)  # a statement is compared with many, and each of those with the next one
def tokenize(text: str) -> Tokens:
    """Take a statement apart. Linear in the length of the text; meant for statements of up to 2,000 characters."""
    lexicon = load_lexicon()
    folded = _expand(fold(text), lexicon)
    remaining, endings = lexicon.cessation.subn(" ", folded)
    reader = _Reader(lexicon)
    for match in _scanner().finditer(remaining):
        reader.read(match)
    content = frozenset(_meaning(token) for token in reader.items if token.shown not in lexicon.stop)
    return Tokens(tuple(reader.items), reader.negations % 2 == 1, endings > 0, folded, content)


def _meaning(token: Token) -> str:
    if token.kind == OPPOSITE:
        return stem(token.shown)
    return token.key if token.kind == WORD else token.value


def _expand(folded: str, lexicon: Lexicon) -> str:
    if "'" not in folded:
        return folded
    return " ".join(lexicon.contractions.get(word, word) for word in folded.split(" "))


class _Reader:
    """Turns matches into tokens; needs the word before, so it goes in order."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self.items: list[Token] = []
        self.negations = 0
        self.before = ""  # the folded word before this one
        self.measured = False  # the token before is a number that may still take a unit

    def read(self, match: re.Match[str]) -> None:
        shown = match.group()
        measured, self.measured = self.measured, False
        if match["date"]:
            self.items.append(Token(DATE, "#", shown, shown))
        elif match["version"]:
            self.items.append(Token(VERSION, "#", shown.removeprefix("v"), shown))
        elif match["number"]:
            self._read_number(match, shown)
        elif measured and shown in self.lexicon.units:
            self._give_unit(shown)
        else:
            self._read_word(shown)
        self.before = shown

    def _read_number(self, match: re.Match[str], shown: str) -> None:
        suffix = match["currency"] or match["suffix"] or ""
        if suffix and suffix not in self.lexicon.units and suffix not in {"st", "nd", "rd", "th"}:
            self._read_word(shown)  # 3d, utf8: a word
        elif self.before in self.lexicon.naming:
            self.items.append(Token(NAME, shown, shown, shown))
        elif self.before in self.lexicon.versioning:
            self.items.append(Token(VERSION, "#", match["digits"], shown))
        else:
            self._count(match["digits"], shown)
            if suffix in self.lexicon.units:
                self._give_unit(suffix, written=True)

    def _count(self, digits: str, shown: str) -> None:
        self.items.append(Token(NUMBER, "#", _canonical(digits), shown))
        self.measured = True

    def _give_unit(self, word: str, *, written: bool = False) -> None:
        unit = self.lexicon.units[word]
        token = self.items.pop()
        value = f"{float(token.value) * unit.factor:g}" if _is_float(token.value) else token.value
        shown = token.shown if written else f"{token.shown} {word}"
        self.items.append(Token(NUMBER, "#" + unit.dimension, value, shown))

    def _is_empty(self, shown: str) -> bool:
        lexicon = self.lexicon
        leading = not self.items and shown in lexicon.subjects
        return leading or shown in lexicon.dropped or shown in lexicon.strengthening

    def _read_word(self, shown: str) -> None:
        lexicon = self.lexicon
        root = stem(shown)
        if shown in lexicon.negation:
            self.negations += 1
        elif self._is_empty(shown):
            pass
        elif shown in lexicon.numbers:
            self._count(lexicon.numbers[shown], shown)
        elif shown in lexicon.days or (shown in lexicon.months and len(shown) > 5):
            self.items.append(Token(DATE, "#", root, shown))
        elif root in lexicon.opposites:
            pair, side = lexicon.opposites[root]
            self.items.append(Token(OPPOSITE, f"~{pair}", f"{pair}/{side}", shown))
        else:
            self.items.append(Token(WORD, root, "", shown))


def _canonical(digits: str) -> str:
    """Return digits without group separators and trailing zeros: 1,000 is 1000, 3,50 is 3.5."""
    plain = digits.replace("_", "")
    head, comma, tail = plain.rpartition(",")
    if comma and len(tail) == 3 and head.replace(",", "").isdigit():
        plain = plain.replace(",", "")
    plain = plain.replace(",", ".")
    return f"{float(plain):g}" if _is_float(plain) and "." in plain else plain


def _is_float(text: str) -> bool:
    return text.count(".") <= 1 and text.replace(".", "").isdecimal()
