"""The forms in which a name stands in Russian and Korean text."""

import functools
import re

from engram.language.names.word_lists import pattern
from engram.language.names.word_lists import table
from engram.language.names.word_lists import words

_CYRILLIC = re.compile(r"[а-яё]+")
_SHORTEST = 3  # letters of a word that has cases: "Яна" is not surely a form of "Ян"
_LONGEST = 60  # letters; what is longer is no word


@functools.lru_cache(maxsize=65536)
def case_forms(word: str) -> frozenset[str]:
    """Return the singular cases of a Russian noun, adjective or name, and the plural ones of a plural: with ё as е.

    The word is in lower case and in its dictionary form; any other word is its only form. By its ending alone: a few of
    the forms may not exist, none is another word's by rule.
    """
    word = word.replace("ё", "е")
    if not _SHORTEST <= len(word) <= _LONGEST or not _CYRILLIC.fullmatch(word):
        return frozenset([word])
    stem, ending = table("oblique_stems").get(word), ""
    if stem is None:
        ending = next(ending for ending in _endings() if word.endswith(ending))
        stem = word[: len(word) - len(ending)]
    return frozenset([word, *(stem + case for case in table("declension")[ending].split())])


def is_oblique(word: str) -> bool:
    """Tell whether a Russian word, in lower case, looks like a case that no dictionary form ends like: not Сергей."""
    if word.replace("ё", "е") in words("given_names"):
        return False
    return bool(_CYRILLIC.fullmatch(word)) and word.endswith(tuple(words("oblique_endings")))


def particles_end(text: str, start: int) -> int:
    """Return where the Korean particles end that follow a name at this place, or -1 when the word goes on."""
    found = pattern("particles").match(text, start)
    return found.end() if found else -1


@functools.cache
def _endings() -> list[str]:
    return sorted(table("declension"), key=len, reverse=True)
