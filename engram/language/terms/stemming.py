"""The stem of a word in the languages that Snowball knows; Russian words go back to their dictionary form first.

Snowball: M. Porter, Snowball: A language for stemming algorithms, 2001. Dictionary forms: pymorphy3 with OpenCorpora.
"""

import re
import unicodedata
from collections.abc import Callable
from functools import cache

from engram.language.matching.language_files import Table
from engram.language.matching.language_files import read_languages
from engram.language.matching.stemmers import load_stemmer

ENGLISH = "en"
_CYRILLIC = re.compile(r"[\u0400-\u052f]")
_RUSSIAN = re.compile(r"[а-я]{3,40}")  # shorter words are no forms of anything; longer ones are no words
_LIKELY = 0.15  # probability of a dictionary form, from which it counts beside the likeliest
_OTHER_SCRIPTS = (
    (re.compile(r"[\u0370-\u03ff\u1f00-\u1fff]"), "greek"),
    (re.compile(r"[\u0530-\u058f]"), "armenian"),
    (re.compile(r"[\u0600-\u06ff]"), "arabic"),
    (re.compile(r"[\u0900-\u097f]"), "hindi"),
    (re.compile(r"[\u0b80-\u0bff]"), "tamil"),
)
_MARKED = re.compile(r"[\u00c0-\u024f\u1e00-\u1eff]")  # Latin letters with marks, and more
_NO_MARKS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"})


def stem(word: str, language: str = ENGLISH) -> str:
    """Return the likeliest stem of a folded word without apostrophes; a word with digits is its own.

    `language` is that of a word in Latin letters (a code such as "de"); other letters say it themselves. Marks on Latin
    letters are dropped, as many people do when they type: café and cafe have one stem.
    """
    return stems(word, language)[0]


def stems(word: str, language: str = ENGLISH) -> list[str]:
    """Return the stems that a word can have, the likeliest first: one, but for a form of several Russian words."""
    if any(ch.isdigit() for ch in word):
        return [word]
    if word.isascii():
        return [_stemmer_of(language)(_base_forms(language).get(word, word))]
    if _CYRILLIC.search(word):
        return list(dict.fromkeys(map(_stemmer("russian"), dictionary_forms(word))))
    for letters, name in _OTHER_SCRIPTS:
        if letters.search(word):
            return [_stemmer(name)(word)]
    return [_without_marks(_stemmer_of(language)(_without_marks(word) if language == ENGLISH else word))]


def dictionary_forms(word: str) -> list[str]:
    """Return the dictionary forms of a folded Russian word, with ё as е, the likeliest first; any other word as it is.

    There are two or more where a form is likely to be of another word too: банки is банк or банка.
    """
    return _lemmatizer()(word) if _RUSSIAN.fullmatch(word) else [word]


def _without_marks(word: str) -> str:
    if not _MARKED.search(word):
        return word
    apart = unicodedata.normalize("NFD", word)
    return "".join(ch for ch in apart if not unicodedata.combining(ch)).translate(_NO_MARKS)


@cache
def term_languages() -> dict[str, Table]:
    """Return what the files in patterns/terms say, by the code of their language."""
    return read_languages("terms")


@cache
def _base_forms(language: str) -> dict[str, str]:
    """Return what stands for a word that no ending tells: went is go, children is child, two is 2."""
    tables = term_languages()[language].get("forms", {})
    groups = (line.split() for table in tables.values() for line in table["lines"].splitlines() if line)
    return {form: base for base, *forms in groups for form in forms}


@cache
def _stemmer_of(language: str) -> Callable[[str], str]:
    """Return what takes the endings off the words of a language; a language without a stemmer keeps them."""
    name = term_languages()[language].get("stemmer", "")
    return _stemmer(name) if name else str


@cache
def _stemmer(name: str) -> Callable[[str], str]:
    stem_word: Callable[[str], str] = load_stemmer(name).stemWord
    return stem_word


@cache
def _lemmatizer() -> Callable[[str], list[str]]:
    from engram.language.terms.russian_words import open_analyzer  # noqa: PLC0415 - 0.1 s, and only for Russian text

    parse = open_analyzer().parse

    def lemmas(word: str) -> list[str]:
        likely: dict[str, float] = {}
        for _, _, lemma, probability, *_ in parse(word):  # the likeliest reading first
            likely[lemma] = likely.get(lemma, 0.0) + probability
        found = [lemma for place, lemma in enumerate(likely) if place == 0 or likely[lemma] >= _LIKELY]
        return list(dict.fromkeys(lemma.replace("ё", "е") for lemma in found))

    return lemmas
