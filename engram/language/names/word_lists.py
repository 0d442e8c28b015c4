"""The words that finding names needs, of all languages together, read from patterns/names when they are asked for."""

import functools
import re

from engram.language.matching.language_files import Table
from engram.language.matching.language_files import read_languages
from engram.language.matching.patterns import NOTHING
from engram.language.matching.patterns import Pattern
from engram.language.matching.prefilter import compiled


@functools.cache
def words(name: str) -> frozenset[str]:
    """Return one list of words."""
    return frozenset(word for data in _files() for word in data.get(name, "").split())


@functools.cache
def roles() -> frozenset[str]:
    """Return what somebody is to others, before a name, also what has to be somebody's for that."""
    return words("people_roles_before") | words("people_roles_owned")


@functools.cache
def table(name: str) -> dict[str, str]:
    """Return one table of words with their values."""
    return {word: value for data in _files() for word, value in data.get(name, {}).items()}


@functools.cache
def pattern(name: str) -> re.Pattern[str]:
    """Return one expression, compiled; it fits wherever that of one language does."""
    return compiled("|".join(Pattern(data[name]).source for data in _files() if name in data) or NOTHING)


@functools.cache
def _files() -> tuple[Table, ...]:
    return tuple(read_languages("names").values())
