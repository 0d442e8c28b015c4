"""A statement said again with another value in the place of one of its own, where its words still agree with it."""

import re
from functools import cache
from typing import NamedTuple

from engram.language.compare.corrections.values import CLOCK
from engram.language.compare.corrections.values import DAY
from engram.language.compare.corrections.values import NUMBER
from engram.language.compare.corrections.values import ChangeableValue
from engram.language.compare.reading.stems import fold
from engram.language.matching.language_files import Table
from engram.language.matching.language_files import find_language
from engram.language.matching.patterns import expression
from engram.language.matching.patterns import joined
from engram.language.matching.patterns import phrases
from engram.language.matching.prefilter import compiled

_CLOSED_DIGITS = frozenset("013678")  # read in Korean, they end in a consonant
_CYRILLIC = re.compile("[а-яё]", re.IGNORECASE)
_HANGUL = re.compile("[\uac00-\ud7a3]")
_WORD_BEHIND = re.compile(r" ?[^\W\d_]")
_RUSSIAN = "ru"


class Restated(NamedTuple):
    """A statement said again."""

    text: str
    agrees: bool  # its words surely agree with what was put there; else only its meaning is certain


class _Prepositions(NamedTuple):
    """How Russian puts a preposition before a day."""

    preposition: re.Pattern[str]  # at the end of a text, with the blank behind it
    plain: frozenset[str]  # those that take a day in the form that most names of days have anyway
    case_endings: tuple[str, ...]  # of names of days that are of one case only
    short_form: str
    long_form: str
    long_before: str  # the beginning of a word before which the long form stands


@cache
def _russian() -> _Prepositions:
    data: Table = find_language("values", _RUSSIAN) or {}
    return _Prepositions(
        re.compile(rf"(?<!\w)({data['prepositions']}) $", re.IGNORECASE),
        frozenset(phrases(data["plain_prepositions"])),
        phrases(data["case_endings"]),
        data["short_form"],
        data["long_form"],
        data["long_before"],
    )


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
    if old.kind == DAY and new.value.isdigit() and (in_month := _in_its_month(replaced, word, new.value)):
        return put_words(text, span, in_month)
    if old.kind == DAY and _CYRILLIC.search(word + replaced):
        return _with_day(text, span, said, (new.start, new.end))
    alike = old.kind != DAY or any(map(str.isdigit, word)) == any(map(str.isdigit, replaced))  # on Tuesday, on the 14th
    if old.kind == NUMBER:
        alike = _counts_alike(replaced, word, text[span[1] :])
    put = put_words(text, span, word)
    return put._replace(agrees=put.agrees and alike)


def _in_its_month(replaced: str, word: str, day: str) -> str:
    """Return a day and its month with another day; "" for a day without a month: "5 January", "the 12th"."""
    number_of_day = compiled(rf"(?i:(?<!\d)(\d{{1,2}})((?:{joined('values', 'ordinal')})?)(?![\d\w]*\d))")
    found = number_of_day.findall(replaced)
    if len(found) != 1 or not any(map(str.isalpha, number_of_day.sub("", replaced, count=1))):
        return ""
    number, ordinal = found[0]
    return replaced.replace(number + ordinal, word if ordinal.isalpha() else day + ordinal, 1)


def put_words(text: str, span: tuple[int, int], words: str) -> Restated:
    """Return a text with other words in a place of it."""
    before, behind = text[: span[0]], text[span[1] :]
    fits = not expression("values", "joins").match(behind) or _is_closed(text[span[1] - 1]) == _is_closed(words[-1])
    article = compiled(f"(?i:(?:{joined('values', 'article')})$)").search(before) is not None and words[0].isalpha()
    return Restated(before + words + behind, fits and not article)


def _with_day(text: str, span: tuple[int, int], said: str, place: tuple[int, int]) -> Restated:
    """Put a Russian day with its preposition."""
    word = said[slice(*place)]
    rules = _russian()
    stands, says = rules.preposition.search(text[: span[0]]), rules.preposition.search(said[: place[0]])
    is_inflected = word.casefold().endswith(rules.case_endings)
    if stands is None or (word[0].isdigit() and text[span[0]].isdigit()):
        return put_words(text, span, word)._replace(agrees=not (says and is_inflected))
    preposition = _euphonic((says or stands)[1], word)
    fits = says is not None or (fold(stands[1]) in rules.plain and not is_inflected)
    put = put_words(text, (stands.start(), span[1]), f"{preposition} {word}")
    return put._replace(agrees=put.agrees and fits and not word[0].isdigit())


def _euphonic(preposition: str, word: str) -> str:
    """Return the form of a preposition before a word: во вторник, в четверг."""
    rules = _russian()
    if fold(preposition) not in {rules.short_form, rules.long_form}:
        return preposition
    return rules.long_form if word.casefold().startswith(rules.long_before) else rules.short_form


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
