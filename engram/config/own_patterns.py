r"""Expressions that a person wrote into the settings: what they find in a text, or that they find no end.

They are read by `regex`, which knows classes such as \p{Han} and can be told to give up: nobody here has tried them on
every text. It is loaded when there is such an expression; the hook path has none by default.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import regex

MOST_S = 0.5  # seconds of the processor that one expression may take on one text


class SlowPatternError(ValueError):
    """An expression took longer on a text than it may."""


def check_pattern(source: str) -> None:
    """Raise ValueError, which says why, for what is no expression or matches an empty text."""
    try:
        matches_nothing = compiled(source).fullmatch("", timeout=MOST_S)
    except (ValueError, OverflowError, RecursionError) as problem:
        raise ValueError(f"{source!r} is not a regular expression: {problem}") from problem
    if matches_nothing:
        raise ValueError(f"{source!r} matches an empty text, and so every text")


@lru_cache(maxsize=200)
def compiled(source: str) -> "regex.Pattern[str]":
    """Compile an expression once; upper and lower case are one. Raises ValueError for what is none."""
    import regex  # noqa: PLC0415 - see the module's first lines

    try:
        return regex.compile(source, regex.IGNORECASE)
    except regex.error as problem:
        raise ValueError(str(problem)) from problem


def find_spans(source: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield where an expression matches, as (start, end); raise SlowPatternError when that takes too long."""
    try:
        for match in compiled(source).finditer(text, timeout=MOST_S):
            yield match.span()
    except TimeoutError as problem:
        raise SlowPatternError(f"{source!r} takes too long") from problem
