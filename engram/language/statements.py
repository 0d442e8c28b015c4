"""Where statements begin and end: sentences, bullets, headings, table rows, code, quotations, machine blocks."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from engram.language.expressions import compiled

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
    r"[ \t]*<(?P<tag>system-reminder|system|tool_result|tool-result|tool_output|function_results|command-[a-z]+|"
    r"local-command-[a-z]+|engram-context|relevant-memories|environment_context|environment_details)\b[^>\n]*>"
)
_STOP = r"[.!?…]+[\"'»”’)\]*_]*(?=\s|$)|[。！？｡]+[」』”’)\]]*"
_LETTER = r"[^\W\d_]"
_INITIAL = rf"(?:^|[\s(])(?:{_LETTER}\.)*{_LETTER}\.$"
_WORD_BEFORE = r"([\w.-]+)\.$"
_OPENING = " \t\r\n\"'«“„(["
_EMPHASIS = ("***", "**", "__", "~~", "*", "_")
_MARKS = frozenset("#>-*+•‣·")
_WRAP_CHARS = 60  # a line at least this long may go on in the next line

_ABBREVIATIONS = frozenset(  # a name or number follows: never the end
    "e.g i.e vs cf mr mrs ms dr prof sr jr st nr vol fig approx est jan feb apr jun jul aug sep sept oct nov al pp "  # noqa: SIM905
    "т.е т.к т.н т.о и.о см ср напр стр рис табл гл г гг в вв ул им тел доб акад проф янв фев апр июн июл авг сен сент "
    "окт ноя дек".split()
)
_CLOSING = frozenset("etc inc ltd corp dept ca т.д т.п др пр руб коп тыс млн млрд".split())  # noqa: SIM905 - often the end
_SPLITTING_INITIALS = frozenset("IЯ")  # "So do I. Then" ends a sentence although it ends in one letter


class Statement(NamedTuple):
    """One statement and where it stands: `text` is `source[start:end]`, always."""

    start: int  # characters from the beginning of the source
    end: int  # characters, exclusive
    text: str  # the statement without marker, checkbox, enclosing emphasis and white space
    kind: str  # sentence, bullet, heading, row, quote, code, block


def split_statements(text: str) -> list[Statement]:
    """Return the statements of a text in order, as spans that do not overlap. Linear in the length of the text."""
    found: list[Statement] = []
    for kind, start, end in _iter_regions(text):
        spans = [(start, end)] if kind in {CODE, BLOCK, HEADING, ROW} else _sentences(text, start, end)
        for first, last in spans:
            trimmed = _trim(text, first, last)
            if trimmed is not None:
                found.append(Statement(*trimmed, text[trimmed[0] : trimmed[1]], kind))
    return found


# --- lines into regions of one kind ------------------------------------------------------------------------------


def _iter_lines(text: str) -> Iterator[slice]:
    start = 0
    for piece in text.splitlines(keepends=True):
        yield slice(start, start + len(piece.rstrip("\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029")))
        start += len(piece)


def _iter_regions(text: str) -> Iterator[tuple[str, int, int]]:
    lines = list(_iter_lines(text))
    unclosed: set[str] = set()
    index = 0
    while index < len(lines):
        line = lines[index]
        enclosed = _enclosed(text, lines, index, unclosed)
        if enclosed is not None:
            kind, index, start, end = enclosed
            yield kind, start, end
        elif _is_divider(text, line):
            index += 1
        else:
            kind, start = _kind_of_line(text, line)
            index += 1
            end = line.stop
            while kind in {SENTENCE, BULLET} and index < len(lines) and _goes_on(text, lines[index - 1], lines[index]):
                end = lines[index].stop
                index += 1
            yield kind, start, end


def _enclosed(text: str, lines: list[slice], index: int, unclosed: set[str]) -> tuple[str, int, int, int] | None:
    """Return (kind, next line, start, end) when a fence or a machine's tag opens on this line."""
    line = lines[index]
    head = text[line].lstrip()[:1]
    fence = compiled(_FENCE).match(text, line.start, line.stop) if head in {"`", "~"} else None
    if fence:
        mark = fence["fence"]
        for later in range(index + 1, len(lines)):
            if text[lines[later]].strip().startswith(mark):
                return CODE, later + 1, line.stop, lines[later].start
        return CODE, len(lines), line.stop, len(text)
    opened = compiled(_OPEN_TAG).match(text, line.start, line.stop) if head == "<" else None
    if not opened or opened["tag"] in unclosed:
        return None
    closing = f"</{opened['tag']}>"
    end = text.find(closing, opened.end())
    if end < 0:
        unclosed.add(opened["tag"])
        return None
    end += len(closing)
    later = index
    while later < len(lines) and lines[later].stop < end:
        later += 1
    if later < len(lines) and end < lines[later].stop:
        lines[later] = slice(end, lines[later].stop)  # the rest of the closing line is text again
        return BLOCK, later, line.start, end
    return BLOCK, later + 1, line.start, end


def _is_divider(text: str, line: slice) -> bool:
    """Tell whether the line only divides: a rule, or what stands below the head of a table."""
    marks = text[line].strip()
    if not marks or marks[0] not in "-*_=|:":
        return False
    return (not marks.strip("|-: \t") and "-" in marks) or (len(marks) > 2 and not marks.strip(marks[0] + " \t"))


def _kind_of_line(text: str, line: slice) -> tuple[str, int]:
    head = text[line].lstrip()[:1]
    markup = compiled(_MARKUP).match(text, line.start, line.stop) if head in _MARKS or head.isdecimal() else None
    if markup and markup["heading"]:
        return HEADING, markup.end()
    if markup and markup["quote"]:
        return QUOTE, markup.end()
    if markup:
        box = compiled(_CHECKBOX).match(text, markup.end(), line.stop)
        return BULLET, box.end() if box else markup.end()
    bare = text[line].strip()
    if bare.startswith("|") and bare.count("|") > 1:
        return ROW, line.start
    return SENTENCE, line.start


def _goes_on(text: str, line: slice, after: slice) -> bool:
    """Tell whether a sentence was only wrapped: a long line without a stop, and the next one begins in lower case."""
    head = text[after].lstrip()
    tail = text[line].rstrip()
    return line.stop - line.start >= _WRAP_CHARS and tail[-1:] not in ".!?:;…|" and head[:1].islower()


# --- a region into sentences -------------------------------------------------------------------------------------


def _sentences(text: str, start: int, end: int) -> list[tuple[int, int]]:
    spans = []
    begin = start
    for stop in compiled(_STOP).finditer(text, start, end):
        if _ends_sentence(text, begin, stop, end):
            spans.append((begin, stop.end()))
            begin = stop.end()
    spans.append((begin, end))
    return spans


def _ends_sentence(text: str, begin: int, stop: re.Match[str], end: int) -> bool:
    mark = stop.group()
    if mark[0] != "." or mark.startswith(".."):
        return mark[0] not in ".…" or not _next_letter(text, stop.end(), end).islower()
    before = text[max(begin, stop.start() - 40) : stop.start() + 1]
    word = compiled(_WORD_BEFORE).search(before)
    if word and word[1].lower() in _ABBREVIATIONS:
        return False
    if word and word[1].isdigit() and word.start(1) == 0 and len(before) == stop.start() + 1 - begin:
        return False  # "1." at the beginning is a number of a list
    if word and word[1].lower() in _CLOSING:
        return _next_letter(text, stop.end(), end).isupper()
    if compiled(_INITIAL).search(before) and before[-2] not in _SPLITTING_INITIALS:
        return False
    return not _next_letter(text, stop.end(), end).islower()


def _next_letter(text: str, start: int, end: int) -> str:
    while start < end and text[start] in _OPENING:
        start += 1
    return text[start : min(start + 1, end)]


def _trim(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the span without white space, outer bars and enclosing emphasis, or None when nothing is left."""
    while True:
        while start < end and (text[start].isspace() or text[start] == "|"):
            start += 1
        while end > start and (text[end - 1].isspace() or text[end - 1] == "|"):
            end -= 1
        inner = _inside_emphasis(text, start, end)
        if inner is None:
            break
        start, end = inner
    if not any(ch.isalnum() or ch > "\u2000" for ch in text[start:end]):
        return (start, end) if "?" in text[start:end] else None
    return start, end


def _inside_emphasis(text: str, start: int, end: int) -> tuple[int, int] | None:
    for mark in _EMPHASIS:
        size = len(mark)
        wraps = end - start > 2 * size and text.startswith(mark, start) and text.endswith(mark, start, end)
        if wraps and mark not in text[start + size : end - size]:
            return start + size, end - size
    return None
