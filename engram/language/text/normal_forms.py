"""Readings of a text: what it says when letters are simplified or parts replaced, with the way back to the original."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from engram.language.matching.prefilter import compiled


class Reading(NamedTuple):
    """A text as it may be read, and how to find its parts in the original."""

    text: str
    how: str  # in words, behind the name of a rule; empty for the text as it stands
    span: Callable[[int, int], tuple[int, int]]  # start and end in the reading -> start and end in the original


class _Piece(NamedTuple):
    at: int  # start in the reading
    start: int  # start and end in the text that was read
    end: int
    exact: bool  # character for character


_DROPPED = "[\u034f\u115f\u1160\u2800\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]"  # drawn as nothing
_COMPOSED = "[^\u0300-\u036f\u1160-\u11ff][\u0300-\u036f\u1160-\u11ff]{1,8}"
_SIMPLE = {"\u2019": "'", "\u2018": "'", "ё": "е", "Ё": "Е", "İ": "I", "\u00a0": " "}
_BADGES = {base + n: chr(ord("a") + n) for base in (0x1F150, 0x1F170) for n in range(26)}  # letters on dark ground


_MOST_LETTERS = 20_000  # characters whose reading is kept


class Table(dict[int, str]):
    """What each character reads as, worked out when it is first met."""

    def __init__(self, read: Callable[[str], str]) -> None:
        """Take the function that reads one character."""
        super().__init__()
        self._read = read

    def __missing__(self, code: int) -> str:
        found = self._read(chr(code))
        if len(self) < _MOST_LETTERS:
            self[code] = found
        return found


def _plain_letter(ch: str) -> str:
    if ch.isascii():
        return ch
    if ch in _SIMPLE:
        return _SIMPLE[ch]
    if unicodedata.category(ch) == "Cf" or compiled(_DROPPED).match(ch):
        return ""
    return _BADGES.get(ord(ch)) or unicodedata.normalize("NFKC", ch)


_PLAIN = Table(_plain_letter)
_UNLIKE = "[^\x00-\x7fа-яА-Я\uac00-\ud7a3\u3041-\u3094\u30a1-\u30fa\u4e00-\u9fcc—–«»“”、。]"  # may read otherwise
_MOST_REPLACED = 8  # different characters that are quicker replaced one by one


def plain(text: str) -> Reading:
    """Return the text in composed NFKC without invisible characters, in its own case."""
    whole = Reading(text, "", _same)
    if text.isascii():
        return whole
    unlike = set(compiled(_UNLIKE).findall(text))
    if not unlike:
        return whole
    if not unicodedata.is_normalized("NFC", text):
        whole = rewritten(whole, "", _COMPOSED, lambda match: unicodedata.normalize("NFC", match.group())) or whole
        return translated(whole, "", _PLAIN)
    return translated(whole, "", _PLAIN, unlike)


def _same(start: int, end: int) -> tuple[int, int]:
    return start, end


def translated(base: Reading, how: str, table: Table, unlike: Iterable[str] | None = None) -> Reading:
    """Return the reading in which every character stands as the table reads it; `unlike` holds all that may change."""

    @cache
    def places() -> list[int]:
        return [place for place, ch in enumerate(base.text) for _ in table[ord(ch)]]

    def span(start: int, end: int) -> tuple[int, int]:
        return base.span(places()[start], places()[end - 1] + 1)

    return Reading(base.text.translate(table) if unlike is None else _replaced(base.text, table, unlike), how, span)


def _replaced(text: str, table: Table, unlike: Iterable[str]) -> str:
    changes = {ch: table[ord(ch)] for ch in unlike if table[ord(ch)] != ch}
    if len(changes) > _MOST_REPLACED or not changes.keys().isdisjoint("".join(changes.values())):
        return text.translate(table)
    for ch, read in changes.items():
        text = text.replace(ch, read)
    return text


def rewritten(base: Reading, how: str, source: str, read: Callable[[re.Match[str]], str | None]) -> Reading | None:
    """Return the reading in which every match is replaced; None when no match could be read."""
    text, parts, pieces = base.text, [], []
    size = done = 0

    def add(words: str, start: int, end: int, *, exact: bool) -> None:
        nonlocal size
        if words:
            parts.append(words)
            pieces.append(_Piece(size, start, end, exact))
            size += len(words)

    for match in compiled(source).finditer(text):
        words = read(match)
        if words is not None:
            add(text[done : match.start()], done, match.start(), exact=True)
            add(words, match.start(), match.end(), exact=False)
            done = match.end()
    if not done:
        return None
    add(text[done:], done, len(text), exact=True)
    starts = [piece.at for piece in pieces]

    def span(start: int, end: int) -> tuple[int, int]:
        first, last = (pieces[bisect_right(starts, place) - 1] for place in (start, end - 1))
        begin = first.start + (start - first.at if first.exact else 0)
        return base.span(begin, last.start + end - last.at if last.exact else last.end)

    return Reading("".join(parts), how, span)


GAPLESS = "[\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u3400-\u9fff\uac00-\ud7a3]"  # words join without a gap
STEM = 4  # characters at the start of a word by which words are told apart


_WORDS_APART = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) == "_")}


def words_of(low: str) -> list[str]:
    """Return the words of a text in lower case: runs of letters, digits and low lines."""
    if low.isascii():  # four times as quick
        return low.translate(_WORDS_APART).split()
    return compiled(r"\w+").findall(low)


def stems(words: Iterable[str]) -> set[str]:
    """Return the first letters of every word."""
    return {word[:STEM] for word in words}
