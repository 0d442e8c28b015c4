"""Which attributes a question asks for by its words: "who is my boss" and "кто мой начальник" ask for the manager.

The words are the nouns by which statements name an attribute (patterns/attributes), and those that only questions use
for it (patterns/asking). A word may ask for one of several: whoever is "in charge" owns a thing or leads it.
"""

import re
from collections.abc import Iterable
from collections.abc import Iterator
from functools import cache
from typing import Final
from typing import NamedTuple

from engram.language.compare.slots.question_words import in_small_letters
from engram.language.compare.slots.slots import value_shape
from engram.language.matching.kept_expressions import kept
from engram.language.matching.language_files import find_language
from engram.language.matching.language_files import list_languages
from engram.language.matching.patterns import phrases
from engram.language.matching.prefilter import compiled
from engram.language.names.inflection import case_forms

_WHERE: Final = "where"
_TABLES: Final = ("asked", "asked_where")  # of patterns/asking; the second of questions for a place alone
_NAME: Final = "name"  # of somebody: also what the value of an attribute such as spouse is
_TECHNICAL: Final = "en"  # words of this language are used in every other: "port", "deadline"
_PLAIN: Final = re.compile(r"[\w '-]+")
_EAST: Final = kept("[\u3400-\u9fff]")
_HANGUL: Final = kept("[\uac00-\ud7a3]")


class _Phrase(NamedTuple):
    source: str  # an expression
    attributes: frozenset[str]


class _Vocabulary(NamedTuple):
    phrases: tuple[_Phrase, ...]  # the longest first
    any_of_them: str  # an expression with a group for each


def find_asked(question: str, language: str, *, form: str) -> tuple[frozenset[str], ...]:
    """Return for each word of a question that asks for an attribute the attributes it may mean; linear in its length.

    Args:
        question: with the names of entities made blank, as they may hold such words.
        language: code of the language of its form.
        form: its form, as `question_words.find_form` has it.
    """
    low, found = _low(question), set[frozenset[str]]()
    for code in dict.fromkeys((language, _TECHNICAL)):
        words = _vocabulary(code, _TABLES if form == _WHERE else _TABLES[:1])
        for said in compiled(words.any_of_them).finditer(low):
            found.add(words.phrases[(said.lastindex or 1) - 1].attributes)
    named = {one for one in found if _NAME in one}
    if named and any(value_shape(attribute) == _NAME for one in found - named for attribute in one):
        found -= named  # "my wife's name" asks for no more than "my wife" does
    return tuple(sorted(found, key=sorted))


def names_one_of(text: str, attributes: Iterable[str]) -> bool:
    """Tell whether a statement has a word that asks for one of these attributes, in whatever language."""
    low = _low(text)
    return any(compiled(_words_for(one)).search(low) for one in attributes)


def _low(text: str) -> str:
    return in_small_letters(text).replace("’", "'")


@cache
def _words_for(attribute: str) -> str:
    every = (one for code in list_languages("asking") for one in _vocabulary(code, _TABLES).phrases)
    return "|".join(dict.fromkeys(one.source for one in every if attribute in one.attributes)) or "(?!)"


@cache
def _vocabulary(code: str, tables: tuple[str, ...]) -> _Vocabulary:
    meant: dict[str, set[str]] = {}
    for attribute, listed in _listed(code, tables):
        for phrase in phrases(listed):
            meant.setdefault(phrase, set()).add(attribute)
    ordered = sorted(meant, key=lambda phrase: (-len(phrase), phrase))
    found = tuple(_Phrase(_source(phrase), frozenset(meant[phrase])) for phrase in ordered)
    return _Vocabulary(found, "|".join(f"({one.source})" for one in found) or "((?!))")


def _listed(code: str, tables: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    nouns = (find_language("attributes", code) or {}).get("nouns", {})
    asking = find_language("asking", code) or {}
    yield from nouns.items()
    for table in tables:
        yield from asking.get(table, {}).items()


def _source(phrase: str) -> str:
    """Return an expression for a phrase as a word of its own, in any case where its language has some."""
    if _EAST.search(phrase):
        return phrase
    if _HANGUL.search(phrase):
        return rf"(?<![\uac00-\ud7a3])(?:{phrase})"
    forms = [phrase] if not _PLAIN.fullmatch(phrase) else [" ".join(parts) for parts in _cases(phrase)]
    return rf"(?<!\w)(?:{'|'.join(forms)})(?!\w)"


def _cases(phrase: str) -> Iterator[tuple[str, ...]]:
    """Yield a phrase with its first word in each case: "база данных" as "базу данных"."""
    first, *rest = phrase.split(" ")
    for form in sorted(case_forms(first)):
        yield (form, *rest)
