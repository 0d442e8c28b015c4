"""openclaw-mem: database, JSON lines and the Markdown of its namesake give facts and turns."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from engram.importers.memories.items import FactItem
from engram.importers.memories.items import TurnItem
from tests.importers.memories.reading import only
from tests.importers.memories.reading import read
from tests.importers.memories.reading import reasons
from tests.importers.memories.reading import texts

SCHEMA = """
CREATE TABLE observations (id INTEGER PRIMARY KEY, ts TEXT NOT NULL, kind TEXT, summary TEXT, summary_en TEXT,
  lang TEXT, tool_name TEXT, detail_json TEXT);
CREATE TABLE episodic_events (id INTEGER PRIMARY KEY, event_id TEXT, ts_ms INTEGER, scope TEXT, session_id TEXT,
  agent_id TEXT, type TEXT, summary TEXT, payload_json TEXT);
"""


def database(path: Path, *, wal: bool = False) -> dict[str, bytes]:
    """Return the files of a ledger with two observations and an episode."""
    with closing(sqlite3.connect(path)) as ledger:
        if wal:
            ledger.execute("PRAGMA journal_mode=WAL")
        ledger.executescript(SCHEMA)
        rows = [
            ("2026-02-04T13:00:00Z", "tool", "cron list called", "cron.list", "{}"),
            ("2026-02-05T13:00:00Z", "preference", "Prefers tabs", "memory_store", "{}"),
            ("2026-02-06T13:00:00Z", "tool", None, "cron.list", "{}"),
        ]
        ledger.executemany(
            "INSERT INTO observations (ts, kind, summary, tool_name, detail_json) VALUES (?,?,?,?,?)", rows
        )
        event = ("e1", 1_770_000_000_000, "demo", "S 1", "kit", "conversation.user", "Asked about tea")
        ledger.execute(
            "INSERT INTO episodic_events (event_id, ts_ms, scope, session_id, agent_id, type, summary)"
            " VALUES (?,?,?,?,?,?,?)",
            event,
        )
        ledger.commit()
        return {file.name: file.read_bytes() for file in path.parent.iterdir() if not file.name.endswith("-shm")}


@pytest.mark.parametrize("wal", [False, True], ids=["a plain database", "with a write-ahead log"])
def test_a_database_is_read_whole(tmp_path: Path, wal: bool) -> None:
    items = read("openclaw-mem", database(tmp_path / "openclaw-mem.sqlite", wal=wal))

    assert texts(items) == [("people/anna", "Prefers tabs")]
    assert [(item.session, item.speaker, item.text) for item in only(TurnItem, items)] == [
        ("openclaw-mem", "cron.list", "cron list called"),
        ("openclaw-mem/s-1", "kit", "Asked about tea"),
    ]
    assert ("observations 3", "it has no summary") in reasons(items)


def test_json_lines_are_read_like_rows() -> None:
    lines = [
        {"ts": "2026-02-04T13:00:00Z", "kind": "tool", "tool_name": "cron.list", "summary": "cron list called"},
        {"ts": "2026-02-05T13:00:00Z", "kind": "decision", "summary": "Keep the old port"},
        {
            "event_id": "e1",
            "session_id": "s1",
            "type": "ops.alert",
            "summary": "Disk is full",
            "ts_ms": 1_770_000_000_000,
        },
        {"kind": "tool"},
    ]

    items = read("openclaw-mem", {"observations.jsonl": "".join(json.dumps(line) + "\n" for line in lines)})

    assert texts(items) == [("people/anna", "Keep the old port")]
    assert [item.text for item in only(TurnItem, items)] == ["cron list called", "Disk is full"]
    assert reasons(items) == [("line 4", "it has no summary")]


def test_tagged_markdown_gives_a_fact_for_a_tag_that_names_a_category() -> None:
    first, second = "- [2026-02-04 13:00] **[decision]** Ship on Friday", "- [2026-02-04 13:05] **[todo]** Buy ink"

    items = read("openclaw-mem", {"memory/observations.md": f"# Observations\n\n{first}\n{second}\nx\n"})

    assert texts(items) == [("people/anna", "Ship on Friday")]
    assert [item.at.hour for item in only(FactItem, items) if item.at] == [13]
    assert [item.text for item in only(TurnItem, items)] == ["Buy ink"]
    assert reasons(items) == [("line 5", "it is no tagged observation")]


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + b"\xff" * 200])
def test_what_is_no_ledger_is_told(content: bytes) -> None:
    items = read("openclaw-mem", {"openclaw-mem.sqlite": content})

    assert len(items) == 1
    assert len(reasons(items)) == 1
