"""The words that finding names needs, read from patterns/names when they are asked for.

Names go from language to language, so most lists are looked for in every text, those of all languages together. What
tells of a person by the words around a name is only looked for in the languages that the text may be in: "me" before a
name is a French title, and in an English text it is none.
"""

import functools
import re

from engram.language.matching.kept_expressions import kept
from engram.language.matching.language_files import Table
from engram.language.matching.language_files import list_languages
from engram.language.matching.language_files import read_languages
from engram.language.matching.language_id import latin_languages_of
from engram.language.matching.patterns import NOTHING
from engram.language.matching.patterns import Pattern

Languages = frozenset[str]  # their codes


@functools.cache
def words(name: str, languages: Languages | None = None) -> frozenset[str]:
    """Return one list of words, of all languages or of some."""
    return frozenset(word for data in _files(languages) for word in data.get(name, "").split())


def languages_of(text: str) -> Languages:
    """Return the languages whose words may stand in a text: those of other scripts than the Latin one always may."""
    return _with_other_scripts(latin_languages_of(text))


@functools.cache
def roles(languages: Languages | None = None) -> frozenset[str]:
    """Return what somebody is to others, before a name, also what has to be somebody's for that."""
    return words("people_roles_before", languages) | words("people_roles_owned", languages)


@functools.cache
def table(name: str) -> dict[str, str]:
    """Return one table of words with their values."""
    return {word: value for data in _files() for word, value in data.get(name, {}).items()}


@functools.cache
def pattern(name: str, languages: Languages | None = None) -> re.Pattern[str]:
    """Return one expression, compiled; it fits wherever that of one language does, of all or of some."""
    return kept("|".join(Pattern(data[name]).source for data in _files(languages) if name in data) or NOTHING)


@functools.cache
def either(name: str, languages: Languages) -> str:
    """Return an expression that fits wherever that of one of some languages does, which gives it without examples."""
    return "|".join(filter(None, (data.get(name, "").replace("\n", "") for data in _files(languages)))) or NOTHING


@functools.cache
def _files(languages: Languages | None = None) -> tuple[Table, ...]:
    files = read_languages("names")
    return tuple(data for code, data in files.items() if languages is None or code in languages)


@functools.cache
def _with_other_scripts(latin: frozenset[str]) -> Languages:
    """Return some languages in Latin letters with those that need no choice: no word of theirs is one of another."""
    others = {code for code in list_languages("names") if code not in list_languages("function_words")}
    return frozenset(others | (latin & set(list_languages("names"))))
