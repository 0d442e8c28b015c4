"""Nouns of languages that write each of them with a capital letter, as German does: the capital makes no name of them.

Such a word names somebody only when it is a known given name, or when the text says that it does what people do, or
whose it is, and no article stands before it.
"""

import functools
import re

from engram.language.matching.language_files import list_languages
from engram.language.matching.language_files import read_languages
from engram.language.matching.language_id import ENGLISH
from engram.language.matching.language_id import language_of
from engram.language.matching.language_id import latin_languages_of
from engram.language.names.persons import is_in_word
from engram.language.names.persons import is_person
from engram.language.names.word_lists import roles
from engram.language.names.word_lists import words

_PLAIN = re.compile(r"[^\W\d_][^\W\d_]*(?:-[^\W\d_]+)*")
_REMEMBERED = 4096  # texts whose language was asked for a moment ago
_MOST_BEFORE = 80  # characters of an article and an adjective


def is_plain_noun(prose: str, name: str) -> bool:
    """Tell whether a name is nothing but a noun with its capital, as far as this text says."""
    return may_be_noun(prose, name) and (is_noun(prose, name) or not is_person(prose, name))


def may_be_noun(prose: str, name: str) -> bool:
    """Tell whether the capitals of a name, of one word or more, say nothing in this text, and it is no given name."""
    if not has_capital_nouns(prose) or not all(map(_is_plain, name.split())):
        return False
    return name.split(maxsplit=1)[0].casefold() not in words("given_names")


def is_noun(prose: str, name: str) -> bool:
    """Tell whether a word that may be a noun is one: what somebody is to others, or an article stands before it."""
    return name.casefold() in roles() or _is_determined(prose, name)


def without_roles(prose: str, run: list[str]) -> list[str]:
    """Return the words of a name without what somebody is to others before it: Frau Wiesenthal, Bruder Enno."""
    place = 0
    if has_capital_nouns(prose):
        while place < len(run) - 1 and run[place].casefold() in roles():
            place += 1
    return run[place:]


def _is_plain(word: str) -> bool:
    """Tell whether a word has capitals only where a noun has them, or is joined: Frage, Go-Dateien, API-Token."""
    if _PLAIN.fullmatch(word) is None:
        return False
    return "-" in word or (len(word) > 1 and word[1:].islower())


@functools.lru_cache(maxsize=_REMEMBERED)
def has_capital_nouns(prose: str) -> bool:
    """Tell whether a text is in a language that writes every noun with a capital, by one word that only it has."""
    if language_of(prose) in _languages():
        return True
    likely = latin_languages_of(prose) - {ENGLISH}
    return bool(likely) and likely <= _languages()


@functools.cache
def _languages() -> frozenset[str]:
    files = read_languages("names")
    return frozenset(code for code in list_languages("names") if files[code].get("capital_nouns"))


def _is_determined(prose: str, name: str) -> bool:
    """Tell whether an article stands before a name somewhere, perhaps with an adjective between them."""
    start = prose.find(name)
    while start >= 0:
        if not is_in_word(prose[start + len(name) : start + len(name) + 1]) and _article().search(
            prose, max(0, start - _MOST_BEFORE), start
        ):
            return True
        start = prose.find(name, start + 1)
    return False


@functools.cache
def _article() -> re.Pattern[str]:
    """Return what finds an article at the end of what stands before a name."""
    articles = "|".join(sorted(words("determiners")))
    return re.compile(rf"(?<!\w)(?i:{articles}) (?:[^\W\d_A-Z]{{2,30}}e[nrsm]? )?\Z")
