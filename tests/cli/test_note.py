"""`engram note`."""

from engram.workspace import Workspace
from tests.conftest import Engram


def test_a_line_is_added_and_shown(engram: Engram) -> None:
    added = engram(
        "--now", "2026-02-24T10:05:00Z", "note", "add", "We decided to use DuckDB", "--section", "decisions", "--json"
    )
    shown = engram("note", "show", "--date", "2026-02-24", "--json")

    assert added.json["path"] == shown.json["path"] == "memory/main/main/2026-02-24.md"
    assert shown.json["text"] == "# 2026-02-24\n\n## Decisions\n\n- 10:05 We decided to use DuckDB\n"


def test_the_day_of_a_note_is_said_as_every_other_day(engram: Engram) -> None:
    engram("note", "add", "Anna was on call")

    assert engram("note", "show", "--date", "today").out == engram("note", "show").out
    assert engram("note", "show", "--date", "yesterday").code == 3


def test_text_that_begins_with_a_dash_is_text(engram: Engram) -> None:
    assert engram("note", "add", "--force is needed").code == 0
    assert "--force is needed" in engram("note", "show").out


def test_a_known_session_has_its_own_note_and_an_unknown_one_is_not_found(engram: Engram) -> None:
    engram("session", "add", "chat")

    assert engram("note", "add", "hello", "--session", "chat", "--json").json["path"].startswith("memory/main/chat/")
    assert engram("note", "add", "hello", "--session", "chap").code == 3
    assert engram("note", "show").code == 3


def test_a_dry_run_writes_nothing(engram: Engram, workspace: Workspace) -> None:
    assert engram("note", "add", "hello", "--dry-run").code == 0
    assert list(workspace.paths.memory.rglob("*.md")) == []


def test_bad_values_are_usage(engram: Engram) -> None:
    assert engram("note", "add", "").code == 2
    assert engram("note", "add", "a\x1bb").code == 2
    assert engram("note", "add", "x", "--section", "gossip").code == 2
    assert engram("note", "add", "x", "--session", "../x").code == 2
    assert engram("note", "show", "--date", "soon").code == 2
