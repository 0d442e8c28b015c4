"""The words by which statements are compared, read from patterns/comparing: one file a language."""

import re
import tomllib
import unicodedata
from functools import cache
from functools import lru_cache
from pathlib import Path
from typing import Any
from typing import NamedTuple

PATTERNS = Path(__file__).with_name("patterns")
_APOSTROPHES = str.maketrans({"\u2019": "'", "\u2018": "'", "\u02bc": "'", "`": "'", "ё": "е"})


class Unit(NamedTuple):
    """What a number is multiplied by, and what it measures then."""

    factor: float  # to the base of the dimension
    dimension: str  # such as time or bytes; empty for a bare multiplier


class Lexicon(NamedTuple):
    """The words of all languages together; single words are stems unless said otherwise."""

    dropped: frozenset[str]  # folded words that carry no meaning of their own
    stop: frozenset[str]  # folded words that are not content
    subjects: frozenset[str]  # folded words for the entity itself
    negation: frozenset[str]  # folded words that turn a statement round
    strengthening: frozenset[str]  # folded words that only strengthen a negation
    contractions: dict[str, str]  # folded word to the words that it stands for
    cessation: re.Pattern[str]  # phrases: what held has ended
    replaced: tuple[re.Pattern[str], ...]  # sentences: `old` has ended, `new` came
    usage: frozenset[str]  # stems that say no more than that something is so
    preference: frozenset[str]  # stems that make a statement a preference
    reversed: tuple[re.Pattern[str], ...]  # sentences: `first` is preferred to `second`
    naming: frozenset[str]  # folded words that make the number behind them a name
    versioning: frozenset[str]  # folded words that make the number behind them a version
    months: frozenset[str]  # folded words
    days: frozenset[str]  # folded words
    numbers: dict[str, str]  # folded word to digits
    units: dict[str, Unit]  # folded word to unit
    opposites: dict[str, tuple[int, int]]  # stem to pair and side


def fold(text: str) -> str:
    """Return the text as it is compared: NFKC, case folded, simple apostrophes, ё as е, single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().translate(_APOSTROPHES).split())


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Return the stem of a folded word in the language of its script; names with digits or signs stay."""
    if not word.isalpha():
        return word
    return str(_stemmer("russian" if "а" <= word[0] <= "я" else "english").stemWord(word))


@cache
def load_lexicon() -> Lexicon:
    """Read the words of every language once."""
    files = [tomllib.loads(path.read_text("utf-8")) for path in sorted((PATTERNS / "comparing").glob("*.toml"))]
    return Lexicon(
        dropped=_words(files, "dropped"),
        stop=_words(files, "stop"),
        subjects=_words(files, "subjects"),
        negation=_words(files, "negation"),
        strengthening=_words(files, "strengthening"),
        contractions={word: full.replace("_", " ") for word, full in _pairs(files, "contractions")},
        cessation=re.compile(rf"\b(?:{'|'.join(p for data in files for p in data['cessation'])})\b"),
        replaced=_patterns(files, "replaced"),
        usage=frozenset(map(stem, _words(files, "usage"))),
        preference=frozenset(map(stem, _words(files, "preference"))),
        reversed=_patterns(files, "reversed"),
        naming=_words(files, "naming"),
        versioning=_words(files, "versioning"),
        months=_words(files, "months"),
        days=_words(files, "days"),
        numbers=dict(_pairs(files, "numbers")),
        units={word: _unit(value) for word, value in _pairs(files, "units")},
        opposites=_opposites(files),
    )


def _words(files: list[dict[str, Any]], key: str) -> frozenset[str]:
    return frozenset(fold(word) for data in files for word in data.get(key, "").split())


def _pairs(files: list[dict[str, Any]], key: str) -> list[tuple[str, str]]:
    pairs = (entry.rpartition("=") for data in files for entry in data.get(key, "").split())
    return [(fold(word), value) for word, _, value in pairs]


def _patterns(files: list[dict[str, Any]], key: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(rf"(?:^|\b){pattern}") for data in files for pattern in data[key])


def _unit(value: str) -> Unit:
    factor, _, dimension = value.partition(":")
    return Unit(float(factor), dimension)


def _opposites(files: list[dict[str, Any]]) -> dict[str, tuple[int, int]]:
    pairs = [pair for data in files for pair in data["opposites"]]
    return {
        stem(fold(word)): (number, side)
        for number, pair in enumerate(pairs)
        for side, words in enumerate(pair)
        for word in words.split()
    }


@cache
def _stemmer(language: str) -> Any:
    import Stemmer  # noqa: PLC0415 - not on the hook path

    return Stemmer.Stemmer(language, 0)
