"""Where statements begin and end: sentences, bullets, headings, table rows, code, quotations, machine blocks."""

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
_STOP = r"[.!?…。！？｡．；]+[\"'»”’)\]*_」』）]*"
_EASTERN_STOPS = frozenset("。！？｡．；")  # no space need stand behind them
_EASTERN = "[\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff]"  # letters of scripts that may go on without a space
_FIRST_EASTERN = "\u1100"
_LETTER = r"[^\W\d_\u1100-\uffff]"
_INITIAL = rf"(?:^|[\s(])(?:{_LETTER}\.)*{_LETTER}\.$"
_WORD_BEFORE = r"([\w.-]+)\.$"
_CLOSERS = frozenset("」』”’\"')）]")
_OPENING = " \t\r\n\"'«“„(["
_EMPHASIS = ("***", "**", "__", "~~", "*", "_")
_MARKS = frozenset("#>-*+•‣·")
_ENCLOSING = frozenset("`~<")
_DIVIDING = frozenset("-*_=|:")
_LINE_ENDS = "\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_UNDIVIDED = frozenset({CODE, BLOCK, HEADING, ROW})
_WRAPPING = frozenset({SENTENCE, BULLET})
_WORD_CHARS = 40  # what is read of the word before a dot
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
        spans = [(start, end)] if kind in _UNDIVIDED else _sentences(text, start, end)
        for span in spans:
            first, last = _trim(text, *span)
            if first < last:
                found.append(Statement(first, last, text[first:last], kind))
    return found


# --- lines into regions of one kind ------------------------------------------------------------------------------


class _Line(NamedTuple):
    start: int  # characters from the beginning of the text
    stop: int  # where the line's end begins
    head: str  # its first visible character, or ""


def _lines(text: str) -> list[_Line]:
    lines = []
    start = 0
    for piece in text.splitlines(keepends=True):
        lines.append(_Line(start, start + len(piece.rstrip(_LINE_ENDS)), piece.lstrip()[:1]))
        start += len(piece)
    return lines


def _iter_regions(text: str) -> Iterator[tuple[str, int, int]]:
    lines = _lines(text)
    unclosed: set[str] = set()
    index = 0
    while index < len(lines):
        line = lines[index]
        enclosed = _enclosed(text, lines, index, unclosed) if line.head in _ENCLOSING else None
        if enclosed is not None:
            kind, index, start, end = enclosed
            yield kind, start, end
            continue
        index += 1
        if not line.head or (line.head in _DIVIDING and _is_divider(text, line)):
            continue
        kind, start = (SENTENCE, line.start) if line.head.isalpha() else _kind_of_line(text, line)
        last = line
        while kind in _WRAPPING and index < len(lines) and _goes_on(text, last, lines[index]):
            last = lines[index]
            index += 1
        yield kind, start, last.stop


def _enclosed(text: str, lines: list[_Line], index: int, unclosed: set[str]) -> tuple[str, int, int, int] | None:
    """Return (kind, next line, start, end) when a fence or a machine's tag opens on this line."""
    line = lines[index]
    fence = compiled(_FENCE).match(text, line.start, line.stop)
    if fence:
        mark = fence["fence"]
        for later in range(index + 1, len(lines)):
            if lines[later].head == mark[0] and text[lines[later].start : lines[later].stop].strip().startswith(mark):
                return CODE, later + 1, line.stop, lines[later].start
        return CODE, len(lines), line.stop, len(text)
    opened = compiled(_OPEN_TAG).match(text, line.start, line.stop)
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
        rest = text[end : lines[later].stop]
        lines[later] = _Line(end, lines[later].stop, rest.lstrip()[:1])  # the rest of the closing line is text again
        return BLOCK, later, line.start, end
    return BLOCK, later + 1, line.start, end


def _is_divider(text: str, line: _Line) -> bool:
    """Tell whether the line only divides: a rule, or what stands below the head of a table."""
    marks = text[line.start : line.stop].strip()
    return (not marks.strip("|-: \t") and "-" in marks) or (len(marks) > 2 and not marks.strip(marks[0] + " \t"))


def _kind_of_line(text: str, line: _Line) -> tuple[str, int]:
    is_marked = line.head in _MARKS or line.head.isdecimal()
    markup = compiled(_MARKUP).match(text, line.start, line.stop) if is_marked else None
    if markup and markup["heading"]:
        return HEADING, markup.end()
    if markup and markup["quote"]:
        return QUOTE, markup.end()
    if markup:
        box = compiled(_CHECKBOX).match(text, markup.end(), line.stop)
        return BULLET, box.end() if box else markup.end()
    if line.head == "|" and text.count("|", line.start, line.stop) > 1:
        return ROW, line.start
    return SENTENCE, line.start


def _goes_on(text: str, line: _Line, after: _Line) -> bool:
    """Tell whether a sentence was only wrapped: a long line without a stop, and the next one begins in lower case."""
    if line.stop - line.start < _WRAP_CHARS or not after.head.islower():
        return False
    return text[line.start : line.stop].rstrip()[-1:] not in ".!?:;…|"


# --- a region into sentences -------------------------------------------------------------------------------------


def _sentences(text: str, start: int, end: int) -> list[tuple[int, int]]:
    spans = []
    begin = start
    for stop in compiled(_STOP).finditer(text, start, end):
        place, after = stop.span()
        if _ends_sentence(text, begin, place, after, end):
            spans.append((begin, after))
            begin = after
    spans.append((begin, end))
    return spans


def _ends_sentence(text: str, begin: int, place: int, after: int, end: int) -> bool:
    """Tell whether the marks at [place, after) end the sentence that starts at `begin`."""
    mark = text[place]
    if after < end and not text[after].isspace():
        return _ends_without_space(text, begin, place, after)
    if mark not in ".…":
        return True
    if _next_letter(text, after, end).islower():
        return False
    if mark == "…" or text.startswith("..", place):
        return True
    word = text[max(begin, text.rfind(" ", begin, place) + 1, place - _WORD_CHARS) : place]
    if len(word) > 1 and word.isalpha():  # the common case, without expressions
        known = word.lower()
        return known not in _ABBREVIATIONS and (known not in _CLOSING or _next_letter(text, after, end).isupper())
    return not _belongs_to_dot(text, begin, place, after, end)


def _ends_without_space(text: str, begin: int, place: int, after: int) -> bool:
    """Tell the same of marks that no space follows: only scripts that may go on without one end there."""
    mark, following = text[place], text[after]
    if mark in _EASTERN_STOPS and following < _FIRST_EASTERN:
        return True
    if following < _FIRST_EASTERN or not compiled(_EASTERN).match(following):
        return mark in _EASTERN_STOPS
    if text[after - 1] in _CLOSERS:
        return False  # a quotation within a sentence: 他说：“好。”然后走了
    is_plain = mark in "!?" or (mark == "." and after == place + 1)
    return mark in _EASTERN_STOPS or (is_plain and place > begin and bool(compiled(_EASTERN).match(text[place - 1])))


def _belongs_to_dot(text: str, begin: int, place: int, after: int, end: int) -> bool:
    """Tell whether a dot belongs to the word before it: an abbreviation, an initial, the number of a list."""
    before = text[max(begin, place - _WORD_CHARS) : place + 1]
    word = compiled(_WORD_BEFORE).search(before)
    if word and word[1].lower() in _ABBREVIATIONS:
        return True
    if (
        word
        and word[1].isdigit()
        and len(before) > place - begin
        and not before[: word.start(1)].strip(_OPENING + "*_~")
    ):
        return True  # "1." at the beginning
    if word and word[1].lower() in _CLOSING:
        return not _next_letter(text, after, end).isupper()
    return compiled(_INITIAL).search(before) is not None and before[-2] not in _SPLITTING_INITIALS


def _next_letter(text: str, start: int, end: int) -> str:
    while start < end and text[start] in _OPENING:
        start += 1
    return text[start : min(start + 1, end)]


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span without white space, outer bars and enclosing emphasis; empty when no word is left."""
    while True:
        while start < end and (text[start] == "|" or text[start].isspace()):
            start += 1
        while end > start and (text[end - 1] == "|" or text[end - 1].isspace()):
            end -= 1
        inner = _inside_emphasis(text, start, end) if text.startswith(_EMPHASIS, start) else None
        if inner is None:
            break
        start, end = inner
    if text[start : start + 1].isalnum():  # the common case
        return start, end
    if not any(ch.isalnum() or ch > "\u2000" for ch in text[start:end]):
        return (start, end) if "?" in text[start:end] else (end, end)
    return start, end


def _inside_emphasis(text: str, start: int, end: int) -> tuple[int, int] | None:
    for mark in _EMPHASIS:
        size = len(mark)
        wraps = end - start > 2 * size and text.startswith(mark, start) and text.endswith(mark, start, end)
        if wraps and mark not in text[start + size : end - size]:
            return start + size, end - size
    return None
