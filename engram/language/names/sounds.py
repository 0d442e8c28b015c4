"""Names that a question writes in another script than the memory does: Лантерн or 랜턴 for Lantern, by how they sound.

Only where the scripts differ, and only for questions: what a name sounds like is a guess. Chinese signs have no sounds
here. A *key* is what is left of a name's Latin letters when spellings of one sound are one. A name has up to three:
all its letters, those before an ending, and its consonants, as vowels are written as they please.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from collections.abc import Iterator
from functools import cache
from functools import lru_cache
from typing import Final
from typing import NamedTuple

from engram.language.names.inflection import particles_end
from engram.language.names.mentions import Known
from engram.language.names.mentions import Mention
from engram.language.names.word_lists import table

LATIN: Final = "latin"
CYRILLIC: Final = "cyrillic"
HANGUL: Final = "hangul"

_MOST_CHARS: Final = 400  # of a question; a longer text is none
_LONGEST: Final = 40  # letters of a word that may be a name
_MOST_WORDS: Final = 4  # of a name
_LEAST_LETTERS: Final = 5  # of a key; shorter ones are like too many words
_LEAST_CONSONANTS: Final = 3  # behind the first letter, of one that has only them
_LEAST_OF_A_NAME: Final = (
    3  # letters of a short name, which needs a capital within the question: Ким, but not 살아 (Sara)
)
_WORD: Final = re.compile(r"[^\W\d_]+")
_SCRIPTS: Final = (
    (LATIN, re.compile(r"[a-z]+")),
    (CYRILLIC, re.compile("[а-я]+")),
    (HANGUL, re.compile("[\uac00-\ud7a3]+")),
)
_HANGUL_FIRST: Final = 0xAC00
_FINALS: Final = 28  # of a Korean syllable, none among them
_MIDDLES: Final = 21
_VOWELS: Final = "aeiou"
_OF_WOMEN: Final = ("а", "я")  # letters in which Russian names of women end, which other cases change
_SHORT: Final = "-"  # before the key of a short name


class _Word(NamedTuple):
    start: int
    end: int
    text: str  # folded
    script: str
    is_name: bool  # whether it has a capital that no sentence gives it


class SoundIndex:
    """The names of entities by how they sound, worked out for a script when a question first writes in it."""

    def __init__(self, known: Iterable[Known]) -> None:
        """Take the entities there are, with their names; that of the path is one."""
        self._names = [
            (name, one.path, _script_of(name))
            for one in known
            for name in dict.fromkeys((*one.names, one.path.partition("/")[2].replace("-", " ")))
        ]
        self._by_key: dict[str, dict[str, set[str]]] = {}  # script of a question -> key -> paths

    def find(self, question: str) -> list[Mention]:
        """Return the mentions, in order, of entities that a question names in another script than they are called in.

        A key that two entities share finds neither. Linear in the question.
        """
        words = list(_words(question)) if len(question) <= _MOST_CHARS else []
        meant: dict[tuple[int, int], set[str]] = defaultdict(set)
        for said in (one for size in range(1, _MOST_WORDS + 1) for one in _spans(words, size)):
            paths = self._paths(said[0].script)
            for key in _said_keys(said) if paths else ():
                meant[said[0].start, said[-1].end] |= paths.get(key, set())
        return _longest([Mention(*span, *paths) for span, paths in meant.items() if len(paths) == 1])

    def _paths(self, script: str) -> dict[str, set[str]]:
        """Return by key the paths of those whose names are written in another script."""
        if script not in self._by_key:
            found: dict[str, set[str]] = defaultdict(set)
            for name, path, own in self._names:
                for key in _name_keys(name, loose=HANGUL in {script, own}) if own and own != script else ():
                    found[key].add(path)
            self._by_key[script] = dict(found)
        return self._by_key[script]


def _longest(found: list[Mention]) -> list[Mention]:
    """Return the mentions in order, the longest where they overlap; a word without a sound of the name is not in it."""
    kept: list[Mention] = []
    for one in sorted(found, key=lambda mention: (mention.start - mention.end, mention.start)):
        within = (o for o in found if o.path == one.path and one.start <= o.start and o.end <= one.end and o != one)
        if not any(within) and all(one.end <= other.start or one.start >= other.end for other in kept):
            kept.append(one)
    return sorted(kept)


def _words(text: str) -> Iterator[_Word]:
    for found in _WORD.finditer(text):
        folded = _folded(found[0])
        script = _script_of(folded)
        if script and len(folded) <= _LONGEST:
            yield _Word(found.start(), found.end(), folded, script, found.start() > 0 and found[0][0].isupper())


def _spans(words: list[_Word], size: int) -> Iterator[list[_Word]]:
    """Yield so many words of one script that stand in a row."""
    for first in range(len(words) - size + 1):
        said = words[first : first + size]
        if len({word.script for word in said}) == 1:
            yield said


def _said_keys(said: list[_Word]) -> set[str]:
    """Return the keys of some words of a question, whose last one may carry an ending or particles."""
    *before, last = (word.text for word in said)
    script = said[0].script
    forms = {last}
    if script == CYRILLIC:
        forms |= {last[: len(last) - len(ending)] for ending in _endings() if last.endswith(ending)}
        cases = [(case, vowel) for vowel in _OF_WOMEN for case in table("declension")[vowel].split()]
        forms |= {last.removesuffix(case) + vowel for case, vowel in cases if last.endswith(case)}
    elif script == HANGUL:
        forms |= {last[:end] for end in range(1, len(last)) if particles_end(last, end) == len(last)}
    loose = (False, True) if script != HANGUL else (True,)  # a Korean name is looked for by looser keys
    keys = {key for form in forms for one in loose for key in _name_keys(" ".join([*before, form]), loose=one)}
    return keys if said[0].is_name else {key for key in keys if not key.startswith(_SHORT)}


@lru_cache(maxsize=65536)
def _name_keys(name: str, *, loose: bool) -> frozenset[str]:
    """Return the keys of a name; `loose`: as a Korean one, which has no f, v, z and one sound for l and r, is heard."""
    folded = " ".join(_folded(name).split())
    if not folded or len(folded) > _LONGEST:
        return frozenset()
    latin = _in_latin(folded)
    heard = _heard(latin)
    forms = {heard.replace("J", "i")}
    if loose:
        forms = {_heard_in_korean(form) for form in (heard, re.sub("r(?![aeiou])", "", heard))}
    return frozenset(f"{key}~" if loose else key for form in forms for key in _keys_of(form, len(latin)))


def _keys_of(form: str, letters: int) -> Iterator[str]:
    """Yield the keys of a name as it is heard, which is written with so many letters."""
    whole = f"={form}" if letters >= _LEAST_LETTERS else ""
    stem = form.rstrip(_VOWELS)
    yield from (key for key in (whole, stem if len(stem) >= _LEAST_LETTERS else "") if key)
    if letters >= _LEAST_OF_A_NAME:
        yield f"{_SHORT}={form}"
    if len(stem) >= _LEAST_OF_A_NAME:
        yield _SHORT + stem
    consonants = re.sub(r"[aeiouh]", "", form[1:])
    if form and len(consonants) >= _LEAST_CONSONANTS:
        yield f"{'a' if form[0] in _VOWELS else form[0]}'{consonants}"


def _heard(latin: str) -> str:
    """Return Latin letters of which those that are written differently for one sound are one."""
    for written, sound in table("spellings").items():
        latin = re.sub(written, sound, latin)
    return latin


def _heard_in_korean(heard: str) -> str:
    return re.sub(r"(.)\1+", r"\1", "".join(table("korean_ear").get(sign, sign) for sign in heard))


def _in_latin(folded: str) -> str:
    """Return a name with its Cyrillic and Korean letters written in Latin ones."""
    sounds = table("sounds")
    return "".join(_syllable(sign) if sign >= "\uac00" else sounds.get(sign, sign) for sign in folded)


def _syllable(sign: str) -> str:
    """Return a Korean syllable as it is romanised; the vowel that only carries a foreign consonant is silent."""
    place = ord(sign) - _HANGUL_FIRST
    first, middle, last = (table("hangul_sounds")[part].split() for part in ("first", "middle", "last"))
    if not 0 <= place < len(first) * _MIDDLES * _FINALS:
        return ""
    parts = first[place // (_MIDDLES * _FINALS)], middle[place // _FINALS % _MIDDLES], last[place % _FINALS]
    return "".join(parts).replace("-", "")


@cache
def _endings() -> tuple[str, ...]:
    return tuple({ending for endings in table("declension").values() for ending in endings.split()})


@lru_cache(maxsize=65536)
def _script_of(text: str) -> str:
    """Return the one script of a name's letters; "" for several, or another."""
    letters = "".join(_WORD.findall(_folded(text)))
    return next((script for script, sign in _SCRIPTS if sign.fullmatch(letters)), "")


@lru_cache(maxsize=65536)
def _folded(text: str) -> str:
    """Return a text in small letters without accents; й and Korean syllables stay whole."""
    low = text.casefold().replace("й", "\0")
    plain = "".join(sign for sign in unicodedata.normalize("NFD", low) if not unicodedata.combining(sign))
    return unicodedata.normalize("NFC", plain.replace("\0", "й")).replace("ß", "ss")
