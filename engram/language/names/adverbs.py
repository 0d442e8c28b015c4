"""Adverbs and conjunctions beside a name: "billing now runs on port 80" is about Billing, 不过果果还 about 果果."""

import re
from functools import cache
from typing import Final

from engram.language.matching.kept_expressions import kept
from engram.language.names.word_lists import words

_EAST: Final = kept("[\u3040-\u9fff]")  # written without spaces
_MOST: Final = 2  # beside each other, as in "now finally"


def without_adverbs(name: str) -> str:
    """Return a name without adverbs and conjunctions at its ends; one that is nothing else stays."""
    return _edges().sub("", name).strip()


def without_openers(name: str) -> str:
    """Return a run of capitalised words without those that only open a sentence: "And Anna" names Anna.

    Nor does a title belong to it: "Frau Schmidt" names Schmidt. A word that people are called by as well stays: Will
    Smith. So does a name that is nothing else.
    """
    first, _, rest = name.partition(" ")
    while rest and (first.casefold() in _openers() or is_title(first)):
        name = rest
        first, _, rest = name.partition(" ")
    return name


def is_title(word: str) -> bool:
    """Tell whether a word is a title that stands before names of people, in any language: Mr, Dr., Frau."""
    low = word.casefold().rstrip(".")
    return low in words("titles") and low not in words("given_names")


@cache
def _openers() -> frozenset[str]:
    return (words("openers") | words("adverbs")) - words("given_names")


@cache
def _edges() -> re.Pattern[str]:
    adverbs = sorted(words("adverbs"), key=len, reverse=True)
    spaced = "|".join(re.escape(word) for word in adverbs if not _EAST.search(word))
    joined = "|".join(re.escape(word) for word in adverbs if _EAST.search(word))
    behind = rf"(?<=\S)(?: (?:{spaced})){{1,{_MOST}}}$|(?<=\S)(?: ?(?:{joined})){{1,{_MOST}}}$"
    before = rf"^(?:(?:{spaced}) ){{1,{_MOST}}}(?=\S)|^(?:(?:{joined}) ?){{1,{_MOST}}}(?=\S)"
    return kept(f"{behind}|{before}", re.IGNORECASE)
