"""Where the entries of a markdown note begin and end, to the byte, and what the headings above them promise.

An *entry* is one bullet, paragraph, quotation or table row; the head of a table acts as a heading for its rows. Front
matter, code, rules, comments, headings and table heads are not entries, and neither is what Engram wrote itself
(between `<!-- engram:... -->` and `<!-- /engram -->`) or recalled (between the two lines that fence it).
A *label* is a short line ending in a colon ("**Learnings:**"): it acts as a heading for the list right below it.
"""

import datetime as dt
import re
from typing import NamedTuple

from engram.base.text import RECALLED_CLOSING
from engram.base.text import RECALLED_OPENING
from engram.base.text import sha256_hex
from engram.errors import MalformedInputError
from engram.language.text.markdown_tables import column_names
from engram.language.text.note_lines import find_unread_lines

REPORT_OPENING = "<!-- engram:"  # begins a line that opens a block written by Engram
REPORT_CLOSING = "<!-- /engram -->"  # the line that closes it

_BOM = b"\xef\xbb\xbf"
_LABEL_WORDS = 8  # a longer line with a colon is a statement, not a label
_TAB_WIDTH = 4  # columns of one tab when bullets are compared by indentation

_HEADING = re.compile(r"\s{0,3}(#{1,6})(?:\s(.*))?$")
_CLOSING_HASHES = re.compile(r"(?:^|\s)#+$")
_UNDERLINE = re.compile(r"={3,}\s*$")
_RULE = re.compile(r"\s*(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,}|={3,}\s*)$")
_BULLET = re.compile(r"\s*(?:[-*+•‣]|\d{1,3}[.)])\s+\S")
_FENCE = re.compile(r"\s*(?:>\s*)*(?:[-*+]\s+)?(`{3,}|~{3,})")
_DIVIDER_CHARS = frozenset(" \t:|-\r")  # what the line below a table's head is made of
_COMMENT = re.compile(r"\s*<!--.*-->\s*$")
_DATE = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_MARKUP = re.compile(r"^[\s>]*(?:(?:[-*+•‣]|\d{1,3}[.)])\s+)?(?:\[[ xX]\]\s+)?|\*+|`+|(?<!\w)_+|_+(?!\w)")


class RawEntry(NamedTuple):
    """One entry and where it stands: `data[start:end].decode() == text`, always."""

    start: int  # first byte
    end: int  # one past the last byte
    line: int  # first line, from 1
    headings: tuple[str, ...]  # headings and labels above it, outermost first
    text: str  # as it stands, markup included


_MOST_LED = 12  # bullets within bullets that count as headings; of deeper ones the innermost


class _Line(NamedTuple):
    start: int  # first byte
    text: str  # without the line break
    number: int  # from 1


def split_note(data: bytes) -> list[RawEntry]:
    """Return the entries of a note in order. Linear in its length.

    Raises MalformedInputError when the bytes are not UTF-8 or hold a NUL.
    """
    reader = _Reader(data)
    lines = _lines(data)
    index = _after_front_matter(lines)
    while index < len(lines):
        index = reader.read(lines, index)
    reader.close()
    return reader.entries


def entry_ids(path: str, entries: list[RawEntry]) -> list[str]:
    """Return one id per entry: the same text in the same file keeps its id wherever it stands."""
    seen: dict[str, int] = {}
    ids = []
    for entry in entries:
        occurrence = seen[entry.text] = seen.get(entry.text, 0) + 1
        ids.append(make_entry_id(path, entry.text, occurrence))
    return ids


def make_entry_id(path: str, text: str, occurrence: int) -> str:
    """Return the id of an entry that was first read in that note, the occurrence-th (from 1) with that text there."""
    return "note/" + sha256_hex(f"{path}\0{text}\0{occurrence}")[:32]


def note_day(name: str, text: str) -> dt.date | None:
    """Return the day of a note: the date in its file name, else in its first heading, else None."""
    first = next((found for line in text.splitlines() if (found := _HEADING.match(line))), None)
    return _date_in(name) or _date_in(first[2] or "" if first else "")


def strip_markdown(markup: str) -> str:
    """Return one line of markdown as its words: no list marker, checkbox, emphasis or code marks."""
    return " ".join(_MARKUP.sub("", markup).split())


# --- lines -------------------------------------------------------------------------------------------------------


def _lines(data: bytes) -> list[_Line]:
    for unread in find_unread_lines(data):
        raise MalformedInputError(f"line {unread.number} {unread.why}", line=unread.number)
    offset = len(_BOM) if data.startswith(_BOM) else 0
    lines = []
    for number, raw in enumerate(data[offset:].split(b"\n"), 1):
        lines.append(_Line(offset, raw.decode("utf-8").removesuffix("\r"), number))
        offset += len(raw) + 1
    return lines


def _after_front_matter(lines: list[_Line]) -> int:
    if lines[0].text.rstrip() != "---":
        return 0
    closing = (place for place, line in enumerate(lines[1:], 1) if line.text.rstrip() in {"---", "..."})
    return next(closing, -1) + 1


def _date_in(text: str) -> dt.date | None:
    for year, month, day in _DATE.findall(text):
        try:
            return dt.date(int(year), int(month), int(day))
        except ValueError:
            continue
    return None


def _is_divider(text: str) -> bool:
    return "-" in text and _DIVIDER_CHARS.issuperset(text)


def _indent(text: str) -> int:
    spaces = text[: len(text) - len(text.lstrip())]
    return len(spaces.expandtabs(_TAB_WIDTH))


# --- lines into entries ------------------------------------------------------------------------------------------


class _Reader:
    """Collects entries line by line; `_open` are the lines of the entry that may still go on."""

    def __init__(self, data: bytes) -> None:
        self.entries: list[RawEntry] = []
        self._data = data
        self._headings: list[tuple[int, str]] = []  # (level, text)
        self._label = ""
        self._label_used = False  # something already stood below the label
        self._bullets: list[tuple[int, str]] = []  # (indentation, label) of bullets that lead nested ones
        self._columns = ""  # the head of the table that is being read
        self._open: list[_Line] = []
        self._unclosed: set[str] = set()  # lines that close a block, and stand nowhere below

    def read(self, lines: list[_Line], index: int) -> int:
        """Take the line at the index, or the whole region that it opens; return the index to go on with."""
        line = lines[index]
        if not _is_row(line.text):
            self._columns = ""
        if line.text.lstrip().startswith(REPORT_OPENING):
            self.close()
            return self._after_block(lines, index, REPORT_CLOSING)
        if line.text.lstrip().startswith(RECALLED_OPENING):
            self.close()
            return self._after_block(lines, index, RECALLED_CLOSING)
        if fence := _FENCE.match(line.text):
            self.close()
            return _after_fence(lines, index, fence[1])
        if heading := _HEADING.match(line.text):
            self._enter_heading(len(heading[1]), strip_markdown(_CLOSING_HASHES.sub("", (heading[2] or "").strip())))
        elif _UNDERLINE.match(line.text) and len(self._open) == 1 and not _BULLET.match(self._open[0].text):
            title = strip_markdown(self._open.pop().text)
            self._enter_heading(1, title)
        elif _is_table_head(lines, index):
            self.close()
            self._columns = strip_markdown(column_names(line.text))
        elif _is_outside(line.text):
            self.close()
        else:
            self._take(line)
        return index + 1

    def _after_block(self, lines: list[_Line], index: int, closing_line: str) -> int:
        """Return the index behind a block that Engram wrote; one that is not closed is its opening line only."""
        if closing_line not in self._unclosed:
            closing = (place for place in range(index, len(lines)) if lines[place].text.strip() == closing_line)
            if (place := next(closing, None)) is not None:
                return place + 1
            self._unclosed.add(closing_line)
        return index + 1

    def close(self) -> None:
        """End the open entry, if there is one."""
        opened, self._open = self._open, []
        if not opened:
            return
        first, last = opened[0], opened[-1]
        start = first.start + len(first.text[: len(first.text) - len(first.text.lstrip())].encode())
        end = last.start + len(last.text.rstrip().encode())
        label = _as_label(opened)
        is_bullet = bool(_BULLET.match(first.text))
        if label and not is_bullet:
            self._label, self._label_used = label, False
            self._bullets.clear()
            return
        headings = self._context(first, is_bullet=is_bullet)
        self.entries.append(RawEntry(start, end, first.number, headings, self._data[start:end].decode("utf-8")))
        if label:
            self._bullets = [*self._bullets[1 - _MOST_LED :], (_indent(first.text), label)]

    def _take(self, line: _Line) -> None:
        is_row = _is_row(line.text)
        above = self._open[-1].text if self._open else ""
        # A bold label is no lazy continuation of the bullet above it, whatever Markdown says.
        is_label = line.text.startswith("**") and bool(_as_label([line]))
        if _BULLET.match(line.text) or is_row or _is_row(above) or is_label:
            self.close()
        if not self._open and self._label_used and not is_row and not _BULLET.match(line.text):
            self._label = ""
        self._open.append(line)
        if is_row or _as_label([line]):
            self.close()

    def _enter_heading(self, level: int, title: str) -> None:
        self.close()
        self._headings = [(above, text) for above, text in self._headings if above < level]
        self._headings.append((level, title))
        self._label = ""
        self._bullets.clear()

    def _context(self, first: _Line, *, is_bullet: bool) -> tuple[str, ...]:
        context = [text for _, text in self._headings if text]
        if self._label:
            context.append(self._label)
            self._label_used = True
        column = _indent(first.text)
        self._bullets = [(at, text) for at, text in self._bullets if is_bullet and at < column]
        columns = (self._columns,) if self._columns and _is_row(first.text) else ()
        return (*context, *(text for _, text in self._bullets), *columns)


def _is_row(text: str) -> bool:
    return text.lstrip().startswith("|")


def _is_table_head(lines: list[_Line], index: int) -> bool:
    below = lines[index + 1].text if index + 1 < len(lines) else ""
    return _is_row(lines[index].text) and _is_divider(below) and not _is_divider(lines[index].text)


def _is_outside(text: str) -> bool:
    return not text.strip() or bool(_RULE.match(text)) or _is_divider(text) or bool(_COMMENT.match(text))


def _as_label(lines: list[_Line]) -> str:
    """Return the words of a short single line that ends in a colon, else an empty string."""
    words = strip_markdown(lines[0].text)
    if len(lines) > 1 or not words.endswith(":") or words.startswith("|") or len(words.split()) > _LABEL_WORDS:
        return ""
    return words.rstrip(":").strip()


def _after_fence(lines: list[_Line], index: int, mark: str) -> int:
    """Return the index behind a code fence; one that is not closed runs to the end."""
    for place in range(index + 1, len(lines)):
        if lines[place].text.strip().lstrip("> ").rstrip() == mark or lines[place].text.strip().startswith(mark):
            return place + 1
    return len(lines)
