"""The values in a statement that may change: dates, times of day, money, shares, versions, counts of things."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from engram.language.compare.reading.lexicon import load_lexicon
from engram.language.compare.reading.timestamps import normal_date
from engram.language.matching.kept_expressions import kept
from engram.language.matching.language_files import Table
from engram.language.matching.language_files import read_languages
from engram.language.matching.patterns import joined
from engram.language.matching.patterns import phrases
from engram.language.terms.terms import terms

_AMOUNT = r"\d[\d,.]{0,18}\d|\d"
_MONEY = rf"[$€£₽¥₩]\s?(?P<money>{_AMOUNT})(?P<thousands>k|m)?\b"
_LETTERS = r"a-zà-ÿа-я가-힣"
_COUNT = (
    rf"(?<![{_LETTERS}\d_.,#?&@~/\\-])(?P<count>\d{{1,3}}(?:,\d{{3}}){{1,6}}|\d{{1,15}}(?:\.\d{{1,9}})?)(?![\d/\\]|,\d)"
    rf"(?=(?P<unit>[\u4e00-\u9fff]|[ -]?[{_LETTERS}]{{1,20}})?(?P<second> [{_LETTERS}]{{2,20}})?)"  # may be a date's
)
_VERSION = r"\bv(?P<tagged>\d{1,5}(?:\.\d{1,5}){0,4})\b|\b(?P<version>\d{1,5}(?:\.\d{1,5}){2,4})\b"
_CLOCK = (
    r"\b(?P<hour>\d{1,2})(?::(?P<minute>\d\d))? ?(?P<half>[ap]\.?m\b\.?)"
    r"|(?<![\d:])(?P<hour24>\d{1,2}):(?P<minute24>\d\d)(?![\d:])"
)
_PERCENT = r"(?P<percent>\d{1,9}(?:\.\d{1,9})?) ?"
_ID_DIGITS = 12  # a number this long only names, such as a message
_KEYS = ("names", "before_year", "year", "past")
_YEAR = re.compile("(?:19|20)\\d\\d")


class Value(NamedTuple):
    """One value: `text[start:end]`."""

    kind: str  # date, clock, money, percent, version, count, or name: a number that only names, as in "sprint 12"
    value: str  # in normal form
    unit: str  # of a count: the stem of what is counted; empty when nothing is said
    noun: frozenset[str]  # terms of what is counted
    start: int
    end: int
    shown: str  # as it is written
    begins: bool = False  # what it was before: "from 10 to 20"

    def same(self, other: "Value") -> bool:
        """Tell whether both are the same value of the same kind, or one day with the year and without."""
        if self.kind == other.kind == "date":
            return self.value.endswith(other.value) or other.value.endswith(self.value)
        return self.kind == other.kind and self.value == other.value

    def replaces(self, other: "Value") -> bool:
        """Tell whether it can be a newer value of what the other is a value of."""
        return self.kind == other.kind and not self.same(other)


class NumberWords(NamedTuple):
    """The words of all languages that say what a number beside them is."""

    names: frozenset[str]  # behind them stands a name, as in "order 12"
    before_year: frozenset[str]  # behind them four digits are a year
    year: frozenset[str]  # a year stands before them
    past: frozenset[str]  # a time that has passed stands before them, as in "3 days ago"


@cache
def read_files() -> tuple[Table, ...]:
    """Return the files in patterns/updates, one a language."""
    return tuple(read_languages("updates").values())


@cache
def load_number_words() -> NumberWords:
    """Read the words of every language once."""
    return NumberWords(*(frozenset(word for data in read_files() for word in data[key].split()) for key in _KEYS))


def find_values(folded: str) -> Iterator[Value]:
    """Yield the values of a folded text in order."""
    openings = phrases(joined("values", "begins"))
    for match in _scanner().finditer(folded):
        if (value := _value(match, folded)) is not None:
            begins = folded[: value.start].endswith(openings)
            yield value._replace(begins=begins)


def _value(match: re.Match[str], folded: str) -> Value | None:
    found = {name: part for name, part in match.groupdict().items() if part}
    start, end = match.span()
    kind, value = _kind_of(found)
    if kind != "count":
        return Value(kind, value, "", frozenset(), start, end, match.group().strip())
    if not load_number_words().past.isdisjoint((found.get("unit", "").strip(), found.get("second", "").strip())):
        return None  # says when, not how much
    if _is_year(found, folded[:start]):
        return Value("name", found["count"], "", frozenset(), start, match.end("count"), f"year {found['count']}")
    if len(found["count"]) >= _ID_DIGITS:
        return Value("name", found["count"], "", frozenset(), start, match.end("count"), found["count"])
    if name := _name_before(folded[:start], is_label=folded[match.end("count") :].startswith(":")):
        return Value("name", found["count"], "", frozenset(), start, end, f"{name} {found['count']}")
    unit = next(iter(terms(found.get("unit", "").strip(" -"))), "")
    noun = frozenset(terms(f"{found.get('unit', '')} {found.get('second', '')}")) if unit else frozenset[str]()
    end = match.end("count")
    return Value(kind, value, unit, noun, start, end, f"{found['count']}{found.get('unit', '')}")


def _is_year(found: dict[str, str], before: str) -> bool:
    """Tell whether a number is a year: four digits behind a word of time, or before the word for a year."""
    if not _YEAR.fullmatch(found["count"]):
        return False
    number_words = load_number_words()
    in_front = before.split()[-1:]
    return (
        bool(in_front and in_front[0] in number_words.before_year) or found.get("unit", "").strip() in number_words.year
    )


def _name_before(text: str, *, is_label: bool) -> str:
    """Return the word that makes the number behind it a name, as in "sprint 12" and "part 1:", or nothing."""
    words = text.split()[-1:]
    if not words or not text.endswith(" "):
        return ""
    word = words[0].strip(".,:()[]").rpartition("_")[2]
    return word if is_label or word in load_lexicon().naming or word in load_number_words().names else ""


def _kind_of(found: dict[str, str]) -> tuple[str, str]:
    if "bare" in found:
        return "date", f"{int(''.join(filter(str.isdigit, found['bare']))):02}"  # as a date ends with it
    if "date" in found:
        return "date", normal_date(found["date"])
    if "hour" in found or "hour24" in found:
        return "clock", _clock(found)
    if "money" in found or "sum" in found:
        digits = (found.get("money") or found["sum"]).replace(",", "").rstrip(".")
        return "money", digits + found.get("thousands", "").replace("k", "000")
    if "percent" in found:
        return "percent", found["percent"]
    if "tagged" in found or "version" in found:
        return "version", found.get("tagged") or found["version"]
    return "count", found["count"].replace(",", "")


def _clock(found: dict[str, str]) -> str:
    hour = int(found.get("hour") or found["hour24"])
    minute = found.get("minute") or found.get("minute24") or "00"
    if found.get("half", "").startswith("p") and hour < 12:
        hour += 12
    return f"{hour}:{minute}"


@cache
def _scanner() -> re.Pattern[str]:
    months = "|".join(sorted(load_lexicon().months, key=len, reverse=True))
    ordinal = f"(?:{joined('values', 'ordinal')})?"
    of_month = f"(?:(?:{joined('values', 'of_month')}) )?"
    date = (
        rf"(?P<date>(?<![\w/.-])\d{{4}}-\d\d-\d\d\b(?!\.\w|[/_-])"
        rf"|\b\d{{1,2}}{ordinal} {of_month}(?:{months})\b(?:,? \d{{4}}\b)?"
        rf"|\b(?:{months})\.? \d{{1,2}}{ordinal}\b(?:,? \d{{4}}\b)?|\b(?:{months}),? (?:19|20)\d\d\b"
        rf"|{joined('values', 'month_day')}|(?P<bare>{joined('values', 'bare_day')})(?! (?:{months})\b))"
    )
    money = rf"{_MONEY}|(?P<sum>{_AMOUNT}) ?(?P<currency>{joined('values', 'currency')})"
    percent = rf"{_PERCENT}(?:%|{joined('values', 'percent')})"
    return kept("|".join((date, _CLOCK, money, percent, _VERSION, _COUNT)))
