"""A statement said again with another value in the place of one of its own, where its words still agree with it."""

import re
from typing import NamedTuple

from engram.language.compare.lexicon import fold
from engram.language.compare.values import CLOCK
from engram.language.compare.values import DAY
from engram.language.compare.values import NUMBER
from engram.language.compare.values import ChangeableValue

_JOSA = re.compile(
    "(?:은|는|이|가|을|를|과|와)(?![\uac00-\ud7a3])"
)  # which of them stands there depends on the sound before
_CLOSED_DIGITS = frozenset("013678")  # read in Korean, they end in a consonant
_CYRILLIC = re.compile("[а-яё]", re.IGNORECASE)
_HANGUL = re.compile("[\uac00-\ud7a3]")
_WORD_BEHIND = re.compile(r" ?[^\W\d_]")
_PREPOSITION = re.compile(r"(?<!\w)(в|во|на|к|ко|с|со|до|по|от) $", re.IGNORECASE)
_OF_DAYS = frozenset({"в", "во", "на"})  # they take a day in the form that most names of days have anyway
_INFLECTED = ("у", "ю", "а", "я", "е")  # endings of names of days that are of one case only


class Restated(NamedTuple):
    """A statement said again."""

    text: str
    agrees: bool  # its words surely agree with what was put there; else only its meaning is certain


def restate(text: str, old: ChangeableValue, said: str, new: ChangeableValue) -> Restated:
    """Return a statement with the new value in the old one's place.

    `old` is a value of `text`, `new` one of `said`. The new value is put as it was said; without a unit of its own it
    takes that of the old one.
    """
    if new.kind == NUMBER and new.is_bare and not old.is_bare:
        span, word = (old.core_start, old.core_end), said[new.core_start : new.core_end]
    elif new.kind == CLOCK and new.start == new.core_start and old.start < old.core_start:
        span, word = (old.core_start, old.end), said[new.core_start : new.end]
    else:
        span, word = (old.start, old.end), said[new.start : new.end]
    replaced = text[slice(*span)]
    if old.kind == DAY and _CYRILLIC.search(word + replaced):
        return _with_day(text, span, said, (new.start, new.end))
    alike = old.kind != DAY or any(map(str.isdigit, word)) == any(map(str.isdigit, replaced))  # on Tuesday, on the 14th
    if old.kind == NUMBER:
        alike = _counts_alike(replaced, word, text[span[1] :])
    put = put_words(text, span, word)
    return put._replace(agrees=put.agrees and alike)


def put_words(text: str, span: tuple[int, int], words: str) -> Restated:
    """Return a text with other words in a place of it."""
    before, behind = text[: span[0]], text[span[1] :]
    fits = not _JOSA.match(behind) or _is_closed(text[span[1] - 1]) == _is_closed(words[-1])
    article = re.search(r"\ban? $", before, re.IGNORECASE) is not None and words[0].isalpha()  # a or an
    return Restated(before + words + behind, fits and not article)


def _with_day(text: str, span: tuple[int, int], said: str, place: tuple[int, int]) -> Restated:
    """Put a Russian day with its preposition."""
    word = said[slice(*place)]
    stands, says = _PREPOSITION.search(text[: span[0]]), _PREPOSITION.search(said[: place[0]])
    if stands is None or (word[0].isdigit() and text[span[0]].isdigit()):
        return put_words(text, span, word)._replace(agrees=not (says and word.casefold().endswith(_INFLECTED)))
    preposition = _euphonic((says or stands)[1], word)
    fits = says is not None or (fold(stands[1]) in _OF_DAYS and not word.casefold().endswith(_INFLECTED))
    put = put_words(text, (stands.start(), span[1]), f"{preposition} {word}")
    return put._replace(agrees=put.agrees and fits and not word[0].isdigit())


def _euphonic(preposition: str, word: str) -> str:
    """Return the form of a preposition before a word: во вторник, в четверг."""
    if fold(preposition) not in {"в", "во"}:
        return preposition
    return "во" if word.casefold().startswith("вт") else "в"


def _counts_alike(old: str, new: str, behind: str) -> bool:
    """Tell whether the word behind a number keeps its form: one day, two days; два дня, пять дней."""
    if not _WORD_BEHIND.match(behind):
        return True
    cyrillic = _CYRILLIC.match(behind.lstrip()) is not None
    return _form(old, cyrillic=cyrillic) == _form(new, cyrillic=cyrillic)


def _form(number: str, *, cyrillic: bool) -> str:
    digits = re.sub(r"\D", "", number)
    if not digits or not cyrillic:
        return "one" if digits == "1" else "many"
    last = int(digits) % 100
    if last % 10 == 1 and last != 11:
        return "one"
    return "few" if last % 10 in {2, 3, 4} and last not in {12, 13, 14} else "many"


def _is_closed(letter: str) -> bool | None:
    """Tell whether a syllable or digit ends in a consonant as Korean reads it; None when nothing is known."""
    if _HANGUL.match(letter):
        return (ord(letter) - 0xAC00) % 28 != 0
    return letter in _CLOSED_DIGITS if letter.isdigit() else None
