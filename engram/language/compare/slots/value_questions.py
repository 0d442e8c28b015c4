"""What a question asks for: whether it wants one value that holds now, by the files in patterns/asking."""

import re
from functools import cache
from typing import NamedTuple

from engram.language.compare.reading.stems import fold
from engram.language.matching.kept_expressions import kept
from engram.language.matching.language_files import read_languages
from engram.language.matching.language_id import language_of
from engram.language.matching.patterns import Pattern

_MAX_CHARS = 400  # a longer prompt tells a story; what it asks is not one value


class _Patterns(NamedTuple):
    value: re.Pattern[str]  # the beginning or the word of a question for a value
    other: re.Pattern[str]  # words of a question about several values, the past, or advice


def asks_for_value(question: str) -> bool:
    """Tell whether a question asks for one value that holds now ("what is the deadline?").

    Not about the past ("the original deadline"), several values together ("in total") or advice. Linear in its length.
    """
    patterns = _load().get(language_of(question))
    if patterns is None or len(question) > _MAX_CHARS:
        return False
    folded = fold(question)
    return patterns.value.search(folded) is not None and patterns.other.search(folded) is None


def asks_beyond_now(question: str) -> bool:
    """Tell whether a question is also about the past, or about several values: then the older ones belong to it."""
    patterns = _load().get(language_of(question))
    return patterns is not None and patterns.other.search(fold(question[:_MAX_CHARS])) is not None


@cache
def _load() -> dict[str, _Patterns]:
    return {
        language: _Patterns(*(kept(Pattern(data[table]).source) for table in ("value", "not")))
        for language, data in read_languages("asking").items()
        if "value" in data  # a language may say the forms of `ask` alone
    }
