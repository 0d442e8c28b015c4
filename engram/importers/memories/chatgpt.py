"""ChatGPT's saved memories: the list as people copy it out, or memory.json of a data export.

No page of its maker documents a format. What others write of it (2026): Settings > Personalization > Manage memories
shows a list that is copied as text, one memory a line; a data export may hold memory.json, a list of
{"content", "enabled", ...times}. Prompts that ask for all memories answer with lines `[2025-04-01] - text`.

Our reading: a line, bullet or numbered line is one memory, a date in brackets before it its day, a heading above it a
tag; a bold line is a heading when a memory stands below it, else a memory. In JSON a memory is a text or an object with
content, memory or text. A memory that was switched off is past.
"""

import re
from collections.abc import Iterable
from collections.abc import Iterator
from typing import Any

from engram.importers.memories.damaged import Row
from engram.importers.memories.damaged import readable_rows
from engram.importers.memories.fields import Unreadable
from engram.importers.memories.fields import category_of
from engram.importers.memories.fields import decode
from engram.importers.memories.fields import first_text
from engram.importers.memories.fields import instant
from engram.importers.memories.fields import load_json
from engram.importers.memories.fields import unread_time
from engram.importers.memories.items import FactItem
from engram.importers.memories.items import Format
from engram.importers.memories.items import Item
from engram.importers.memories.items import Remark
from engram.importers.memories.items import SourceFile
from engram.importers.memories.items import Subject
from engram.importers.memories.items import is_called

_MARK = re.compile(r"^(?:[-*+•‣]|\d{1,4}[.)])\s+")
_DATED = re.compile(r"^\[(\d{4}-\d{2}-\d{2}|unknown)\]\s*[-–—:]?\s*", re.IGNORECASE)
_HEADING = re.compile(r"^#{1,6}\s+(.{1,80}?)\s*:?\s*$|^\*\*([^*]{1,80})\*\*:?\s*$")
_FENCE = re.compile(r"^(?:```|~~~)")
_LISTS = ("memories", "memory", "results", "items")
_TIMES = ("updated_at", "last_updated", "created_at", "create_time", "created", "date", "timestamp")


def parse(files: Iterable[SourceFile], subject: Subject) -> Iterator[Item]:
    """Yield each memory of each file."""
    for file in files:
        try:
            text = decode(file)
            if file.name.casefold().endswith(".json") or _is_json(text.lstrip()):
                yield from _from_json(file.name, load_json(text), subject)
            else:
                yield from _from_text(file.name, text, subject)
        except Unreadable as problem:
            yield from _from_rows(file.name, readable_rows(file, _LISTS, "memory", problem), subject)


def _is_json(text: str) -> bool:
    """Tell a list of memories in JSON from a line that begins with a date in brackets."""
    return text[:1] in {"[", "{"} and not _DATED.match(text)


def _from_json(file: str, whole: Any, subject: Subject) -> Iterator[Item]:
    rows = whole
    if isinstance(whole, dict):
        rows = next((whole[name] for name in _LISTS if name in whole), None)
    if not isinstance(rows, list):
        raise Unreadable('it is no list of memories, nor an object with one under "memories"')
    yield from _from_rows(file, enumerate(rows, 1), subject)


def _from_rows(file: str, rows: Iterable[Row], subject: Subject) -> Iterator[Item]:
    for one in rows:
        yield from (one,) if isinstance(one, Remark) else _row(file, f"memory {one[0]}", one[1], subject)


def _row(file: str, place: str, row: Any, subject: Subject) -> Iterator[Item]:
    fields: dict[str, Any] = row if isinstance(row, dict) else {}
    text = row if isinstance(row, str) else first_text(fields, "content", "memory", "text")
    if not text.strip():
        yield Remark(file, place, "it has no text under content")
        return
    said = next((fields[name] for name in _TIMES if fields.get(name)), None)
    at = instant(said, subject.zone)
    yield from unread_time(file, place, "its time", said, at)
    category, tags, _ = category_of(fields.get("category"))
    is_past = fields.get("enabled") is False
    yield FactItem(file, place, subject.owner, text, category=category, tags=tags, at=at, is_past=is_past)


def _from_text(file: str, text: str, subject: Subject) -> Iterator[Item]:
    heading = ""
    bare_lines = ((number, line.strip()) for number, line in enumerate(text.splitlines(), 1))
    lines = [(number, bare) for number, bare in bare_lines if bare and not _FENCE.match(bare)]
    for (number, bare), (_, after) in zip(lines, [*lines[1:], (0, "")], strict=True):
        found = _HEADING.match(bare)
        if found and (found[1] or ":" in bare or _is_statement(after)):
            heading = (found[1] or found[2]).rstrip(":")
            continue
        said = found[2] if found else _MARK.sub("", bare)
        dated = _DATED.match(said)
        category, tags, _ = category_of(heading)
        yield FactItem(
            file,
            f"line {number}",
            subject.owner,
            said[dated.end() :] if dated else said,
            category=category,
            tags=tags,
            at=instant(dated[1], subject.zone) if dated else None,
        )


def _is_statement(line: str) -> bool:
    return bool(line) and _HEADING.match(line) is None


FORMAT = Format(lambda name: is_called(name, ("memor",), (".json", ".txt", ".md")), parse)
