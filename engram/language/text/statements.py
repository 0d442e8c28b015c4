"""Where statements begin and end: sentences, bullets, headings, table rows, code, quotations, machine blocks."""

import sys
from collections.abc import Iterator
from functools import cache
from itertools import accumulate
from typing import NamedTuple

from engram.language.matching.language_files import read_languages
from engram.language.matching.patterns import joined
from engram.language.matching.prefilter import compiled

SENTENCE = "sentence"  # running text
BULLET = "bullet"  # a list entry; marker and checkbox are outside the span
HEADING = "heading"  # a Markdown heading; the hashes are outside the span
ROW = "row"  # a table row; the outer bars are outside the span
QUOTE = "quote"  # a line quoted with >
CODE = "code"  # the inside of a fenced block, as one statement
BLOCK = "block"  # what a program put between tags such as <system-reminder>, as one statement

_KIND = "sentences"
_MARKUP = r"[ \t]*(?:(?P<heading>#{1,6})[ \t]+|(?P<quote>(?:>[ \t]?)+)|(?P<bullet>(?:[-*+•‣·]|\d{1,3}[.)])[ \t]+))"
_CHECKBOX = r"\[[ xX~/-]\][ \t]+"
_FENCE = r"[ \t]*(?P<fence>`{3,}|~{3,})"
_OPEN_TAG = (
    r"(?<![ \t])[ \t]*<(?P<tag>system-reminder|system|tool_result|tool-result|tool_output|function_results|"
    r"command-[a-z]+|local-command-[a-z]+|engram-context|relevant-memories|environment_context|environment_details)"
    r"\b[^>\n]*>"
)
_STOP = r"[.!?…。！？｡．；]+[\"'»”’)\]*_」』）]*"
_MAY_END = r"</|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029。！？｡．；]|[.!?…][\"'»”’)\]*_」』）]*(?:\s|(?=[\u1100-\uffff]))"
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
_NO_STOP = (sys.maxsize, sys.maxsize)
_EDGES = (
    "|\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680"
    + "".join(map(chr, range(0x2000, 0x200B)))
    + "\u2028\u2029\u202f\u205f\u3000"
)
_UNDIVIDED = frozenset({CODE, BLOCK, HEADING, ROW})
_WRAPPING = frozenset({SENTENCE, BULLET})
_WHOLE_WORD = 4  # letters of a word that is not shortened, before a sentence that begins small
_ENCLOSING_SIGNS = "()[]\"'«»“”„’*_"
_WORD_CHARS = 40  # what is read of the word before a dot
_ORDINAL = 2  # digits of a number that counts days, floors or quarters
_WRAP_CHARS = 60  # a line at least this long may go on in the next line
_STOPS = ".!?:;…|"  # behind which no line goes on
_NO_MARGIN = sys.maxsize

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
    stops = (stop.span() for stop in compiled(_STOP).finditer(text))
    place, after = next(stops, _NO_STOP)
    for kind, start, end in _iter_regions(text):
        begin = start
        while place < end:
            is_inside = after < end and place >= start and kind not in _UNDIVIDED  # the region itself ends at its end
            if is_inside and _ends_sentence(text, begin, place, after, end):
                _add(found, text, begin, after, kind)
                begin = after
            place, after = next(stops, _NO_STOP)
        _add(found, text, begin, end, kind)
    return found


def count_at_most(text: str) -> int:
    """Return how many statements a text holds at most: quicker than to split it."""
    return 1 + len(compiled(_MAY_END).findall(text))


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


def _ends_sentence(text: str, begin: int, place: int, after: int, end: int) -> bool:
    """Tell whether the marks at [place, after), before the end, end the sentence that starts at `begin`."""
    if not text[after].isspace():
        return _ends_without_space(text, begin, place, after)
    mark = text[place]
    if mark not in ".…":
        return True
    following = _next_letter(text, after, end)
    is_one_dot = mark != "…" and not text.startswith("..", place)
    word = text[max(begin, text.rfind(" ", begin, place) + 1, place - _WORD_CHARS) : place]
    if following.islower():
        return is_one_dot and _ends_small(word.strip(_ENCLOSING_SIGNS))
    if not is_one_dot:
        return True
    if len(word) > 1 and word.isalpha():  # the common case, without expressions
        known = word.lower()
        return known not in _abbreviations() and (known not in _closing() or following.isupper())
    return not _belongs_to_dot(text, begin, place, following)


def _ends_small(word: str) -> bool:
    """Tell whether a word before a dot ends a sentence though the next begins small, as many people write.

    What is shortened has few letters, nearly always.
    """
    known = word.lower()
    is_whole = len(word) >= _WHOLE_WORD and word.isalpha()
    return is_whole and known not in _abbreviations() and known not in _closing()


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


def _belongs_to_dot(text: str, begin: int, place: int, following: str) -> bool:
    """Tell whether a dot belongs to the word before it: an abbreviation, an initial, the number of a list."""
    before = text[max(begin, place - _WORD_CHARS) : place + 1]
    word = compiled(_WORD_BEFORE).search(before)
    if word and word[1].lower() in _abbreviations():
        return True
    if (
        word
        and word[1].isdigit()
        and len(before) > place - begin
        and not before[: word.start(1)].strip(_OPENING + "*_~")
    ):
        return True  # "1." at the beginning
    if word and word[1].isdigit() and len(word[1]) <= _ORDINAL and compiled(_before_ordinal()).search(before):
        return True  # "am 4. Juni"
    if word and word[1].lower() in _closing():
        return not following.isupper()
    return compiled(_INITIAL).search(before) is not None and before[-2] not in _SPLITTING_INITIALS


def _next_letter(text: str, start: int, end: int) -> str:
    while start < end and text[start] in _OPENING:
        start += 1
    return text[start : min(start + 1, end)]


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
def _before_ordinal() -> str:
    """Return the expression of a number with a dot that says which one, behind the word before it."""
    return rf"(?i:(?<!\w)(?:{joined(_KIND, 'before_ordinal')})) \d{{1,{_ORDINAL}}}\.$"


@cache
def _unfinished() -> str:
    """Return the expression of what a line that goes on ends in."""
    return rf"(?:[,→(&+]|->|\b(?:{joined(_KIND, 'unfinished')}))$"


@cache
def _abbreviations() -> frozenset[str]:
    """Return shortened words without their last dot, behind which a name or number follows: never the end."""
    return _listed("abbreviations")


@cache
def _closing() -> frozenset[str]:
    """Return those that often stand at the end."""
    return _listed("closing")


def _listed(name: str) -> frozenset[str]:
    return frozenset(word for data in read_languages(_KIND).values() for word in data.get(name, "").split())
