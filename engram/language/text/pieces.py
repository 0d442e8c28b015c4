"""Where a long text is cut into overlapping pieces, each short enough for one vector, and on which lines each stands.

A piece ends where a line ends, else where a sentence does, else between two words, and only at worst within one. It
begins again a few lines or sentences before the end of the last, so that what belongs together stands together in one
of the two.
"""

import re
from collections.abc import Iterator
from typing import Final
from typing import NamedTuple

from engram.base.tokens.estimate import estimate_tokens

MOST_TOKENS: Final = 400  # of a piece; models that turn text into vectors read 512, headings and day included
OVERLAP_TOKENS: Final = 60  # of a piece that its follower says again, at most

_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])")
_SPACE = re.compile(r"\s+")
_LEAST_CHARS = MOST_TOKENS // 2  # a text of so many characters has fewer tokens, whatever it is written in


class Piece(NamedTuple):
    """A part of a text: `text.strip() == whole[start:end]` of that part, always."""

    text: str
    first: int  # line of the whole on which it begins, from 0
    last: int  # line on which it ends


class _Unit(NamedTuple):
    start: int
    end: int
    tokens: int


def cut_text(text: str, most: int = MOST_TOKENS, overlap: int = OVERLAP_TOKENS) -> list[Piece]:
    """Return a text in pieces of at most `most` tokens; a short one is one piece. Linear in its length."""
    if len(text) <= _LEAST_CHARS or estimate_tokens(text) <= most:
        return [_piece(text, 0, len(text))]
    units = list(_units(text, most))
    pieces = []
    begin = 0
    while begin < len(units):
        end = _fill(units, begin, most)
        pieces.append(_piece(text, units[begin].start, units[end - 1].end))
        if end == len(units):
            break
        begin = _back(units, begin, end, overlap)
    return pieces


def _fill(units: list[_Unit], begin: int, most: int) -> int:
    """Return the place behind the last unit that still fits; one unit always does."""
    spent, end = units[begin].tokens, begin + 1
    while end < len(units) and spent + units[end].tokens <= most:
        spent += units[end].tokens
        end += 1
    return end


def _back(units: list[_Unit], begin: int, end: int, overlap: int) -> int:
    """Return where the next piece begins: as many units back as the overlap holds, and always further on."""
    spent, place = 0, end
    while place - 1 > begin and spent + units[place - 1].tokens <= overlap:
        place -= 1
        spent += units[place].tokens
    return place


def _units(text: str, most: int) -> Iterator[_Unit]:
    """Yield the lines of a text; sentences of a line that is too long, words of such a sentence, parts of a word."""
    at = 0
    for line in text.splitlines(keepends=True):
        yield from _divided(text, at, at + len(line), most, (_SENTENCE_END, _SPACE))
        at += len(line)


def _divided(text: str, start: int, end: int, most: int, ends: tuple[re.Pattern[str], ...]) -> Iterator[_Unit]:
    tokens = estimate_tokens(text[start:end])
    if tokens <= most // 4 or (tokens <= most and not ends):
        yield _Unit(start, end, tokens)
        return
    if not ends:
        for at in range(start, end, _LEAST_CHARS):
            until = min(end, at + _LEAST_CHARS)
            yield _Unit(at, until, estimate_tokens(text[at:until]))
        return
    at = start
    for found in ends[0].finditer(text, start, end):
        if at < found.end() < end:
            yield from _divided(text, at, found.end(), most, ends[1:])
            at = found.end()
    yield from _divided(text, at, end, most, ends[1:])


def _piece(text: str, start: int, end: int) -> Piece:
    part = text[start:end]
    inner = part.strip()
    begin = start + (len(part) - len(part.lstrip()) if inner else 0)
    first = text.count("\n", 0, begin)
    return Piece(inner, first, first + inner.count("\n"))
