"""A statement as the tokens that are compared: words, and the numbers, dates, versions and opposites in it."""

import re
from collections.abc import Iterator
from functools import cache
from functools import lru_cache
from typing import NamedTuple

from engram.language.compare.reading.lexicon import Lexicon
from engram.language.compare.reading.lexicon import load_lexicon
from engram.language.compare.reading.lexicon_parts import LONGEST_CHINESE
from engram.language.compare.reading.stems import fold
from engram.language.compare.reading.stems import stem
from engram.language.compare.reading.timestamps import normal_date
from engram.language.compare.reading.words import read_word
from engram.language.matching.kept_expressions import kept
from engram.language.matching.patterns import joined
from engram.language.matching.patterns import phrases

WORD = "word"  # a content word, by its stem
NUMBER = "number"  # a count, an amount, with its unit
DATE = "date"  # a day, a month, a weekday, a time of day
VERSION = "version"  # 2.3.1, v16, the number behind "version"
OPPOSITE = "opposite"  # one side of a pair such as dark and light
NAME = "name"  # a number that names, as in issue 12


_EAST = r"\u3040-\u9fff\uac00-\ud7a3"  # scripts without spaces, and Korean, where particles hang on foreign words
_ID_DIGITS = 12  # a number this long only names, such as a message
_LETTER = rf"[^\W{_EAST}]"
_LETTERS = re.compile(r"[^\W_]+")
_DIGIT_OR_EASTERN = kept(rf"[\d{_EAST}]")
_EASTERN_DAY = r"\d{1,2} ?[月월](?: ?\d{1,2} ?[日号일])?"


class Token(NamedTuple):
    """One token of a statement."""

    kind: str  # word, number, date, version, opposite, name
    key: str  # what must be equal in the skeleton
    value: str  # what may differ between equal skeletons, in normal form
    shown: str  # how people see it


class Tokens(NamedTuple):
    """A statement taken apart."""

    items: tuple[Token, ...]  # in order, without dropped words and negations
    keys: tuple[str, ...]  # of the items
    marks: tuple[tuple[str, str], ...]  # key and value of each item: by what two of them are told apart
    denied_at: int  # the first item behind a negation; -1 when there is none
    negated: bool  # one of its clauses has an odd number of negations
    ceased: bool  # says that something which held has ended
    subject: str  # the pronoun that the statement begins with; empty when there is none
    asks: bool  # a question: says nothing
    text: str  # as it was given
    folded: str  # the folded text, contractions taken apart
    content: frozenset[str]  # stems and values that carry meaning

    @property
    def denied_last(self) -> bool:
        """The negation stands behind all, with the verb: what it denies is the whole statement, as in Korean."""
        return self.negated and self._is_denied_verb(self.keys[self.denied_at :])

    def _is_denied_verb(self, behind: tuple[str, ...]) -> bool:
        """Tell whether nothing but a verb stands behind the negation that says no more than that something is there."""
        return self.denied_at == len(self.items) or (len(behind) == 1 and behind[0] in load_lexicon().present)


@cache
def _scanner() -> re.Pattern[str]:
    months = "|".join(sorted(load_lexicon().months, key=len, reverse=True))
    ordinal = f"(?:{joined('values', 'ordinal')})?"
    of_month = f"(?:(?:{joined('values', 'of_month')}) )?"
    half, hour, half_hour = (joined("values", name) for name in ("half", "hour", "half_hour"))
    return kept(
        rf"(?P<date>\d{{4}}-\d\d-\d\d(?:[t ]\d\d:\d\d(?::\d\d)?z?)?(?!{_LETTER})"
        rf"|\d{{1,2}}[./]\d{{1,2}}[./]\d{{4}}(?!{_LETTER})"
        rf"|\d{{4}} ?[年년](?: ?{_EASTERN_DAY})?|{_EASTERN_DAY}"
        rf"|(?:{half})\d{{1,2}} ?(?:{hour})(?:{half_hour})?|{joined('values', 'clock')}"
        rf"|\d{{1,2}}{ordinal} {of_month}(?:{months})\b(?:,? \d{{4}}\b)?"
        rf"|(?:{months}) \d{{1,2}}{ordinal}\b(?:,? \d{{4}}\b)?|(?:{months}),? \d{{4}}\b"
        rf"|\d{{1,2}}:\d\d(?::\d\d)?(?: ?[ap]m\b)?(?!{_LETTER})|\d{{1,2}} ?[ap]m\b|q[1-4] \d{{4}}\b)"
        rf"|(?P<version>v\d+(?:\.\d+)*(?:-[a-z]+[\d.]*)?(?!{_LETTER})"
        rf"|\d+\.\d+\.\d+(?:\.\d+)*(?:-?[a-z]+[\d.]*)?(?!{_LETTER}))"
        rf"|(?P<number>(?P<currency>[$€£₽¥₩])?(?P<digits>\d+(?:[.,_]\d+)*)(?P<suffix>%|[^\W\d_{_EAST}]{{1,3}})?(?!{_LETTER}))"
        rf"|(?P<chinese>[\u3400-\u9fff]+)|(?P<korean>[가-힣]+)"
        r"|(?P<pause>[,;，；。])"
        rf"|(?P<word>#\d+|\.?[^\W_{_EAST}]{_LETTER}*(?:[.'/-]{_LETTER}+)*[+#]*)"
    )


@cache
def _ordinals() -> frozenset[str]:
    return frozenset(phrases(joined("values", "ordinal")))


@lru_cache(maxsize=8192)  # a statement is compared with many, and each of those with the next one
def tokenize(text: str) -> Tokens:
    """Take a statement apart. Linear in the length of the text; meant for statements of up to 2,000 characters."""
    lexicon = load_lexicon()
    folded = _expand(fold(text), lexicon)
    remaining, endings = lexicon.cessation.blank(lexicon.changed.blank(folded)[0])
    remaining, lasting = lexicon.lasting.blank(remaining)
    reader = _Reader(lexicon)
    for match in _scanner().finditer(remaining):
        reader.read(match)
    negated = reader.negates()
    ended = lasting > 0 and negated  # "not ... any more" is an ending, and no negation
    items = tuple(reader.items)
    content = frozenset([_meaning(token) for token in items if token.shown not in lexicon.stop])
    return Tokens(
        items,
        keys=tuple([token.key for token in items]),
        marks=tuple([(token.key, token.value) for token in items]),
        denied_at=reader.denied_at,
        negated=negated and not ended,
        ceased=endings > 0 or ended,
        subject=reader.subject,
        asks=lexicon.asks.found_in(folded),
        text=text,
        folded=folded,
        content=content,
    )


@lru_cache(maxsize=8192)  # as above
def may_hold_value(text: str) -> bool:
    """Tell whether `tokenize` can find a number, a date or a version in a statement: seldom where it cannot."""
    if _DIGIT_OR_EASTERN.search(text):
        return True
    folded = _expand(fold(text), load_lexicon())
    return _DIGIT_OR_EASTERN.search(folded) is not None or any(map(_is_value, _LETTERS.findall(folded)))


def _is_value(word: str) -> bool:
    read = read_word(word)
    return bool(read.digits) or read.is_day


def _meaning(token: Token) -> str:
    if token.kind == WORD:
        return token.key
    return stem(token.shown) if token.kind == OPPOSITE else token.value


def _expand(folded: str, lexicon: Lexicon) -> str:
    for phrase, word in lexicon.phrases.items():
        if phrase in folded:
            folded = re.sub(rf"\b{phrase}\b", word, folded)
    words = folded.split(" ")
    if lexicon.contractions.keys().isdisjoint(words):
        return folded
    return " ".join(lexicon.contractions.get(word, word) for word in words)


def _break_chinese(run: str, lexicon: Lexicon) -> Iterator[str]:
    """Break a run of Chinese characters: the longest word of the lexicon at each place, else one character."""
    place = 0
    while place < len(run):
        ends = range(min(len(run), place + LONGEST_CHINESE), place + 1, -1)
        end = next((end for end in ends if run[place:end] in lexicon.whole), place + 1)
        yield run[place:end]
        place = end


class _Reader:
    """Turns matches into tokens; needs the word before, so it goes in order."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self.items: list[Token] = []
        self.negations = 0  # in this clause
        self.negative = False  # whether a clause before this one is negative
        self.denied_at = -1  # the place of the first negation among the items
        self.subject = ""
        self.before = ""  # the folded word before this one
        self.measured = False  # the token before is a number that may still take a unit

    def read(self, match: re.Match[str]) -> None:
        kind, shown = match.lastgroup, match.group()  # the outermost group, which ends last
        measured, self.measured = self.measured, False
        if kind == "word" and not measured:
            self._read_word(shown)
        elif kind == "word":
            self._read_measured(shown, measured=measured)
        elif kind == "pause":
            self._begin_clause()
        elif kind == "date":
            self._drop_preposition()
            self.items.append(Token(DATE, "#", normal_date(shown), shown))
        elif kind == "version":
            self.items.append(Token(VERSION, "#", shown.removeprefix("v"), shown))
        elif kind == "number":
            self._read_number(match, shown)
        elif kind == "korean":
            self._read_korean(shown, measured=measured)
        else:
            for word in _break_chinese(shown, self.lexicon):
                self._read_measured(word, measured=measured)
                measured, self.measured = self.measured, False
                self.before = word
            self.measured = measured
        self.before = shown

    def negates(self) -> bool:
        """Tell whether any clause so far has an odd number of negations."""
        return self.negative or self.negations % 2 == 1

    def _begin_clause(self) -> None:
        self.negative, self.negations = self.negates(), 0

    def _drop_preposition(self) -> None:
        """Take off what stands before a date: at 10:30, on Friday, and the bare date are one."""
        if self.items and self.items[-1].shown == self.before and self.before in self.lexicon.dating:
            self.items.pop()

    def _deny(self) -> None:
        self.negations += 1
        if self.denied_at < 0:
            self.denied_at = len(self.items)

    def _read_korean(self, shown: str, *, measured: bool) -> None:
        """Read a word with its particles; 있다 and 없다 written together with their noun are words of their own."""
        together = next((found for one in self.lexicon.existence if (found := one.fullmatch(shown))), None)
        if together:
            self._read_word(together[1])
            shown = together[2]
        root = stem(shown)
        if root in self.lexicon.absent:
            self._deny()
            shown = self.lexicon.absent[root]
        counted = measured and root in self.lexicon.units and shown not in self.lexicon.dropped
        self._read_measured(root if counted else shown, measured=measured)

    def _read_measured(self, shown: str, *, measured: bool) -> None:
        if measured and shown in self.lexicon.units:
            self._give_unit(shown)
        else:
            self._read_word(shown)

    def _read_number(self, match: re.Match[str], shown: str) -> None:
        suffix = match["currency"] or match["suffix"] or ""
        if suffix and suffix not in self.lexicon.units and suffix not in _ordinals():
            self._read_word(shown)  # 3d, utf8: a word
        elif self.before.rpartition("_")[2] in self.lexicon.naming or len(match["digits"]) >= _ID_DIGITS:
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

    def _read_word(self, shown: str) -> None:
        word = read_word(shown)
        if word.joins:
            self._begin_clause()
        if word.denies:
            self._deny()
        elif word.is_subject and not self.items:
            self.subject = self.subject or shown
        elif word.is_empty:
            pass
        elif word.digits:
            self._count(word.digits, shown)
        elif word.is_day:
            self._drop_preposition()
            self.items.append(Token(DATE, "#", word.root, shown))
        elif word.opposite:
            pair, side = word.opposite
            self.items.append(Token(OPPOSITE, f"~{pair}", str(side), shown))
        else:
            self.items.append(Token(WORD, word.root, "", shown))


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
