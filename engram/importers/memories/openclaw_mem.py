"""openclaw-mem: the SQLite ledger or the JSON lines of one project of that name, the Markdown of the other.

Documented in phenomenoner/openclaw-mem (docs, and the schema in openclaw_mem/core/db.py, version 1, 2026): table
observations with id, ts, kind, summary, summary_en, lang, tool_name and detail_json; table episodic_events with
event_id, ts_ms, session_id, agent_id, type and summary; the same fields as JSON lines. kjaylee/openclaw-mem appends
`- [2026-02-04 13:00] **[tag]** text` to memory/observations.md.

Our reading: what was stored on purpose (tool memory_store, a kind or tag that names a category) is a fact about the
owner; every other observation and every episode is a captured turn. The machine's own detail is not taken over.
"""

import re
import sqlite3
import tempfile
from collections.abc import Iterable
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from engram.base.text import slugify
from engram.importers.memories import markdown_notes
from engram.importers.memories.fields import Unreadable
from engram.importers.memories.fields import category_of
from engram.importers.memories.fields import decode
from engram.importers.memories.fields import first_text
from engram.importers.memories.fields import instant
from engram.importers.memories.fields import json_lines
from engram.importers.memories.fields import unread_time
from engram.importers.memories.items import Effect
from engram.importers.memories.items import FactItem
from engram.importers.memories.items import Format
from engram.importers.memories.items import Item
from engram.importers.memories.items import Remark
from engram.importers.memories.items import SourceFile
from engram.importers.memories.items import Subject
from engram.importers.memories.items import TurnItem
from engram.importers.memories.items import is_called

_SESSION = "openclaw-mem"  # of what names no session
_DATABASES = (".sqlite", ".sqlite3", ".db")
_WAL = "-wal"  # what SQLite has not yet put into the database itself
_FACT_KINDS = frozenset(
    [
        *("fact", "decision", "preference", "relationship", "milestone", "status", "correction", "entity", "rule"),
        *("learning", "insight", "architecture"),
    ]
)
_QUERIES = {
    "observations": "SELECT * FROM observations ORDER BY id",
    "episodic_events": "SELECT * FROM episodic_events ORDER BY id",
}
_TAGGED = re.compile(r"\s*- \[(?P<at>\d{4}-\d{2}-\d{2} \d{2}:\d{2})\] \*\*\[(?P<tag>[^\]]{1,60})\]\*\* (?P<text>.*\S)")


def parse(files: Iterable[SourceFile], subject: Subject) -> Iterator[Item]:
    """Yield the observations and episodes of databases and JSON lines, and the notes beside them."""
    everything = list(files)
    wals = {file.name: file.data for file in everything if file.name.endswith(_WAL)}
    for file in everything:
        folded = file.name.casefold()
        if folded.endswith(_DATABASES):
            yield from _database(file, wals.get(file.name + _WAL, b""), subject)
        elif folded.endswith((".jsonl", ".ndjson")):
            for found in json_lines(file):
                yield from (found,) if isinstance(found, Remark) else _row(file.name, *found, subject)
        elif folded.endswith("observations.md"):
            yield from _markdown(file, subject)
        elif not folded.endswith(_WAL):
            yield from markdown_notes.parse([file], subject)


def _database(file: SourceFile, wal: bytes, subject: Subject) -> Iterator[Item]:
    """Read a copy: SQLite writes beside a database that it opens, and the source is not ours to write to."""
    found = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "ledger.sqlite")
        copy.write_bytes(file.data)
        if wal:
            copy.with_name(copy.name + _WAL).write_bytes(wal)
        try:
            with closing(sqlite3.connect(copy)) as database:
                database.row_factory = sqlite3.Row
                tables = {row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
                for table, query in _QUERIES.items():
                    if table not in tables:
                        continue
                    found += 1
                    for row in database.execute(query):
                        yield from _row(file.name, f"{table} {row['id']}", dict(row), subject)
        except (sqlite3.Error, IndexError) as problem:
            yield Remark(file.name, "", f"SQLite cannot read it: {problem}")
            return
    if not found:
        yield Remark(file.name, "", f"it has none of the tables {' and '.join(_QUERIES)}")
    else:
        yield Remark(file.name, "", "the machine's detail of each row is not taken over", Effect.LEFT_OUT)


def _row(file: str, place: str, row: dict[str, Any], subject: Subject) -> Iterator[Item]:
    text = first_text(row, "summary", "text", "summary_en")
    if not text:
        yield Remark(file, place, "it has no summary")
        return
    time = row.get("ts") or row.get("ts_ms") or row.get("timestamp")
    at = instant(time, subject.zone)
    yield from unread_time(file, place, "ts", time, at)
    kind = first_text(row, "kind", "type")
    tool = first_text(row, "tool_name", "tool")
    is_episode = "event_id" in row or "session_id" in row
    if not is_episode and (tool == "memory_store" or kind.casefold() in _FACT_KINDS):
        category, tags, _ = category_of(kind)
        yield FactItem(file, place, subject.owner, text, category=category, tags=tags, at=at)
        return
    session = slugify(first_text(row, "session_id")) or _SESSION
    speaker = tool or first_text(row, "agent_id") or kind or None
    ref = first_text(row, "event_id") or (str(row["id"]) if isinstance(row.get("id"), int) else None)
    yield TurnItem(file, place, f"{_SESSION}/{session}" if is_episode else session, text, ref, speaker, at)


def _markdown(file: SourceFile, subject: Subject) -> Iterator[Item]:
    try:
        lines = decode(file).splitlines()
    except Unreadable as problem:
        yield Remark(file.name, "", str(problem))
        return
    for number, line in enumerate(lines, 1):
        found = _TAGGED.match(line)
        place = f"line {number}"
        if found:
            row = {"ts": found["at"], "kind": found["tag"], "summary": found["text"]}
            yield from _row(file.name, place, row, subject)
        elif line.strip() and not line.startswith("#"):
            yield Remark(file.name, place, "it is no tagged observation")


def _wants(name: str) -> bool:
    endings = (*_DATABASES, *(ending + _WAL for ending in _DATABASES), ".jsonl", ".ndjson")
    return is_called(name, ("openclaw-mem", "observation", "episode"), endings) or markdown_notes.is_note(name)


FORMAT = Format(_wants, parse, beside=(_WAL,))
