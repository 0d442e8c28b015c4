"""Where statements begin and end: sentences, bullets, headings, table rows, code, quotations, machine blocks."""

import sys
from collections.abc import Iterator
from functools import cache
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from engram.language.matching.patterns import joined
from engram.language.matching.prefilter import compiled
from engram.language.text.sentence_ends import KIND
from engram.language.text.sentence_ends import MAY_END
from engram.language.text.sentence_ends import STOP
from engram.language.text.sentence_ends import Asides
from engram.language.text.sentence_ends import ends_sentence

SENTENCE = "sentence"  # running text
BULLET = "bullet"  # a list entry; marker and checkbox are outside the span
HEADING = "heading"  # a Markdown heading; the hashes are outside the span
ROW = "row"  # a table row; the outer bars are outside the span
QUOTE = "quote"  # a line quoted with >
CODE = "code"  # the inside of a fenced block, as one statement
BLOCK = "block"  # what a program put between tags such as <system-reminder>, as one statement

_MARKUP = r"[ \t]*(?:(?P<heading>#{1,6})[ \t]+|(?P<quote>(?:>[ \t]?)+)|(?P<bullet>(?:[-*+•‣·]|\d{1,3}[.)])[ \t]+))"
_CHECKBOX = r"\[[ xX~/-]\][ \t]+"
_FENCE = r"[ \t]*(?P<fence>`{3,}|~{3,})"
_OPEN_TAG = (
    r"(?<![ \t])[ \t]*<(?P<tag>system-reminder|system|tool_result|tool-result|tool_output|function_results|"
    r"command-[a-z]+|local-command-[a-z]+|engram-context|relevant-memories|environment_context|environment_details)"
    r"\b[^>\n]*>"
)
_EMPHASIS = ("***", "**", "__", "~~", "*", "_")
_MARKS = frozenset("#>-*+•‣·")
_ENCLOSING = frozenset("`~<")
_DIVIDING = frozenset("-*_=|:")
_NO_STOP = (sys.maxsize, sys.maxsize)
_EDGES = (
    "|\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680"
    + "".join(map(chr, range(0x2000, 0x200B)))
    + "\u2028\u2029\u202f\u205f\u3000"
)
_UNDIVIDED = frozenset({CODE, BLOCK, HEADING, ROW})
_WRAPPING = frozenset({SENTENCE, BULLET})
_WRAP_CHARS = 60  # a line at least this long may go on in the next line
_STOPS = ".!?:;…|"  # behind which no line goes on
_NO_MARGIN = sys.maxsize


class Statement(NamedTuple):
    """One statement and where it stands: `text` is `source[start:end]`, always."""

    start: int  # characters from the beginning of the source
    end: int  # characters, exclusive
    text: str  # the statement without marker, checkbox, enclosing emphasis and white space
    kind: str  # sentence, bullet, heading, row, quote, code, block


def split_statements(text: str) -> list[Statement]:
    """Return the statements of a text in order, as spans that do not overlap. Linear in the length of the text."""
    return list(_split(text))


@lru_cache(maxsize=4)  # whoever reads a text for signals asks for its statements right before
def _split(text: str) -> tuple[Statement, ...]:
    found: list[Statement] = []
    stops = (stop.span() for stop in compiled(STOP).finditer(text))
    place, after = next(stops, _NO_STOP)
    asides = Asides(text)
    for kind, start, end in _iter_regions(text):
        begin = start
        while place < end:
            is_inside = after < end and place >= start and kind not in _UNDIVIDED  # the region itself ends at its end
            if (
                is_inside
                and not asides.hold(begin, place, after, end)
                and ends_sentence(text, begin, place, after, end)
            ):
                _add(found, text, begin, after, kind)
                begin = after
            place, after = next(stops, _NO_STOP)
        _add(found, text, begin, end, kind)
    return tuple(found)


def count_at_most(text: str) -> int:
    """Return how many statements a text holds at most: quicker than to split it."""
    return 1 + len(compiled(MAY_END).findall(text))


# --- lines into regions of one kind ------------------------------------------------------------------------------


_Line = tuple[int, int, str]  # its beginning, where its end begins, its first visible character or ""


def _lines(text: str) -> list[_Line]:
    starts = accumulate(map(len, text.splitlines(keepends=True)), initial=0)
    return [
        (start, start + len(line), line.lstrip()[:1]) for start, line in zip(starts, text.splitlines(), strict=False)
    ]


def _iter_regions(text: str) -> Iterator[tuple[str, int, int]]:
    lines = _lines(text)
    unclosed: set[str] = set()
    index = 0
    while index < len(lines):
        start, stop, head = line = lines[index]
        enclosed = _enclosed(text, lines, index, unclosed) if head in _ENCLOSING else None
        if enclosed is not None:
            kind, index, start, stop = enclosed
            yield kind, start, stop
            continue
        index += 1
        if not head or (head in _DIVIDING and _is_divider(text, line)):
            continue
        kind, begin = (SENTENCE, start) if head.isalpha() else _kind_of_line(text, line)
        margin = _margin(text, line) if kind == BULLET else _NO_MARGIN
        while stop - start >= _WRAP_CHARS and index < len(lines) and kind in _WRAPPING:
            if not _goes_on(text, line, lines[index], margin):
                break
            start, stop, _ = line = lines[index]
            index += 1
        yield kind, begin, stop


def _enclosed(text: str, lines: list[_Line], index: int, unclosed: set[str]) -> tuple[str, int, int, int] | None:
    """Return (kind, next line, start, end) when a fence or a machine's tag opens on this line."""
    start, stop, _ = lines[index]
    fence = compiled(_FENCE).match(text, start, stop)
    if fence:
        mark = fence["fence"]
        for later in range(index + 1, len(lines)):
            closing_start, closing_stop, head = lines[later]
            if head == mark[0] and text[closing_start:closing_stop].strip().startswith(mark):
                return CODE, later + 1, stop, closing_start
        return CODE, len(lines), stop, len(text)
    opened = compiled(_OPEN_TAG).match(text, start, stop)
    if not opened or opened["tag"] in unclosed:
        return None
    closing = f"</{opened['tag']}>"
    end = text.find(closing, opened.end())
    if end < 0:
        unclosed.add(opened["tag"])
        return None
    end += len(closing)
    last = next(place for place in range(index, len(lines)) if lines[place][1] >= end)
    stop = lines[last][1]
    if end == stop:
        return BLOCK, last + 1, start, end
    lines[last] = (end, stop, text[end:stop].lstrip()[:1])  # the rest of the closing line is text again
    return BLOCK, last, start, end


def _is_divider(text: str, line: _Line) -> bool:
    """Tell whether the line only divides: a rule, or what stands below the head of a table."""
    marks = text[line[0] : line[1]].strip()
    return (not marks.strip("|-: \t") and "-" in marks) or (len(marks) > 2 and not marks.strip(marks[0] + " \t"))


def _kind_of_line(text: str, line: _Line) -> tuple[str, int]:
    """Return the kind of a line that begins with no letter, and where the text in it begins."""
    start, stop, head = line
    markup = compiled(_MARKUP).match(text, start, stop) if head in _MARKS or head.isdecimal() else None
    if markup and markup["heading"]:
        return HEADING, markup.end()
    if markup and markup["quote"]:
        return QUOTE, markup.end()
    if markup:
        box = compiled(_CHECKBOX).match(text, markup.end(), stop)
        return BULLET, box.end() if box else markup.end()
    return ROW if head == "|" and text.count("|", start, stop) > 1 else SENTENCE, start


def _margin(text: str, line: _Line) -> int:
    """Return how far in a line begins, in characters."""
    start, stop, _ = line
    return stop - start - len(text[start:stop].lstrip())


def _goes_on(text: str, line: _Line, after: _Line, margin: int) -> bool:
    """Tell whether a sentence was only wrapped after a long line: it has no stop, and the next begins in lower case.

    After a word or sign that ends no sentence ("because", a comma, an arrow), it may begin with anything but marks; so
    may a line further in than the mark of the list entry that it belongs to.
    """
    said = text[line[0] : line[1]].rstrip()
    if after[2].islower() or _margin(text, after) > margin:
        return said[-1:] not in _STOPS and (after[2].islower() or _kind_of_line(text, after)[0] == SENTENCE)
    begins = after[2].isalnum() or (after[2] == "`" and not text.startswith("```", text.index("`", after[0])))
    return begins and compiled(_unfinished()).search(said) is not None and _kind_of_line(text, after)[0] == SENTENCE


# --- a region into sentences -------------------------------------------------------------------------------------


def _add(found: list[Statement], text: str, start: int, end: int, kind: str) -> None:
    """Add the span without white space, outer bars and enclosing emphasis, unless no word is left."""
    own = text[start:end].strip(_EDGES)
    size = 0
    while own:
        start = text.index(own[0], start + size)  # what stands before it was taken off
        if own[0].isalnum():  # the common case
            found.append(Statement(start, start + len(own), own, kind))
            return
        size = _emphasis_around(own)
        if not size:
            break
        own = own[size:-size].strip(_EDGES)
    if "?" in own or any(ch.isalnum() or ch > "\u2000" for ch in own):
        found.append(Statement(start, start + len(own), own, kind))


def _emphasis_around(own: str) -> int:
    """Return how many signs of emphasis open a statement and close it, and stand nowhere else in it."""
    for mark in _EMPHASIS if own.startswith(_EMPHASIS) else ():
        size = len(mark)
        wraps = len(own) > 2 * size and own.startswith(mark) and own.endswith(mark)
        if wraps and mark not in own[size:-size]:
            return size
    return 0


@cache
def _unfinished() -> str:
    """Return the expression of what a line that goes on ends in."""
    return rf"(?:[,→(&+]|->|\b(?:{joined(KIND, 'unfinished')}))$"
