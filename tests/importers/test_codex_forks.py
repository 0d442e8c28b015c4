"""Forks of Codex sessions tell their parents' turns anew, and subagents have files of their own."""

from pathlib import Path
from typing import Any

import pytest

from engram.importers.capture import capture_files
from engram.importers.transcripts.files import CapturedFile
from engram.workspace import Workspace
from tests.importers.transcripts import AUTO
from tests.importers.transcripts import as_lines
from tests.importers.transcripts import read
from tests.importers.transcripts import report_of
from tests.importers.transcripts import said

PARENT, FORK = "0199a0b1-c2d3-7e4f-8a5b-6c7d8e9f0a1b", "0199b0b1-c2d3-7e4f-8a5b-6c7d8e9f0a1b"
OLD, NEW = "0199a0b1-ffff-7e4f-8a5b-6c7d8e9f0a1b", "0199b0b1-ffff-7e4f-8a5b-6c7d8e9f0a1b"  # ids of turns
AT = "2026-02-24T10:00:00.250Z"

Row = dict[str, Any]


def meta(session: str, **more: object) -> Row:
    return {"timestamp": AT, "type": "session_meta", "payload": {"id": session, "timestamp": AT, "cwd": "/a/b", **more}}


def turn(turn_id: str | None, *texts: str, at: str = AT) -> list[Row]:
    """Return a turn as the program writes it down: its beginning, its circumstances, and what was said."""
    named = {"turn_id": turn_id} if turn_id else {}
    begun = [{"timestamp": at, "type": "event_msg", "payload": {"type": "task_started", **named}}] if turn_id else []
    about = {"timestamp": at, "type": "turn_context", "payload": {"cwd": "/a/b", **named}}
    return [*begun, about, *(message(text, at=at) for text in texts)]


def message(text: str, *, at: str = AT) -> Row:
    content = [{"type": "input_text", "text": text}]
    return {
        "timestamp": at,
        "type": "response_item",
        "payload": {"type": "message", "role": "user", "content": content},
    }


def forked(*rest: Row) -> list[Row]:
    return [meta(FORK, forked_from_id=PARENT), *rest]


def written(path: Path, rows: list[Row]) -> Path:
    path.write_text(as_lines(rows))
    return path


def texts(path: Path) -> list[str]:
    return [text for _, text in said(read(path))]


def test_what_a_fork_tells_anew_is_in_its_parents_file(workspace: Workspace, tmp_path: Path) -> None:
    parent = written(tmp_path / "rollout-1.jsonl", [meta(PARENT), *turn(OLD, "Which provider?", "Switch it.")])
    again = turn(OLD, "Which provider?", "Switch it.", at="2026-02-24T12:00:00.250Z")
    fork = written(tmp_path / "rollout-2.jsonl", forked(meta(PARENT), *again, *turn(NEW, "Leave it after all.")))
    report = capture_files(workspace, [str(parent), str(fork)], AUTO, dry_run=False)

    with workspace.reading() as database:
        assert [one.text for one in database.list_turns()] == ["Which provider?", "Switch it.", "Leave it after all."]
    assert report.left_out()["copy"] == 2
    assert report.sessions == [f"codex/b-{PARENT}", f"codex/b-{FORK}"]


def test_a_capture_in_the_midst_of_what_is_copied_goes_on_from_there(tmp_path: Path) -> None:
    rows = forked(meta(PARENT), *turn(OLD, "one", "two"), *turn(NEW, "three"))
    path = written(tmp_path / "rollout-2.jsonl", rows[:5])
    first = CapturedFile(str(path), AUTO, None, frozenset())
    assert list(first.turns()) == []
    written(path, rows)

    assert said(list(CapturedFile(str(path), AUTO, first.mark(), frozenset()).turns())) == [("user", "three")]


@pytest.mark.parametrize(
    ("rows", "kept"),
    [
        # A fork that copies nothing, and one of whose turns nothing can be told: rather twice than not at all.
        (forked(*turn(NEW, "one")), ["one"]),
        (forked(*turn(OLD, "one")), ["one"]),
        (forked(meta(PARENT), *turn(None, "one"), *turn(None, "two")), ["one", "two"]),
        (forked(meta(PARENT), *turn("turn-1", "one"), *turn(NEW, "two")), ["one", "two"]),
        ([meta("fork", forked_from_id=PARENT), meta(PARENT), *turn(OLD, "one")], ["one"]),
        ([meta(FORK), meta(PARENT), *turn(OLD, "one")], ["one"]),
        # A fork of a fork.
        (forked(meta(PARENT), meta("0199a000-c2d3-7e4f-8a5b-6c7d8e9f0a1b"), *turn(OLD, "one"), *turn(NEW, "two")),
         ["two"]),
    ],
)  # fmt: skip
def test_only_what_is_known_to_be_a_copy_is_left_out(tmp_path: Path, rows: list[Row], kept: list[str]) -> None:
    assert texts(written(tmp_path / "rollout-2.jsonl", rows)) == kept


@pytest.mark.parametrize("source", [{"subagent": {"thread_spawn": {"depth": 1}}}, {"subagent": "review"}])
def test_what_agents_tell_each_other_was_said_by_no_person(tmp_path: Path, source: object) -> None:
    path = written(tmp_path / "rollout-3.jsonl", [meta(FORK, source=source), *turn(NEW, "Look for the bug.")])

    assert texts(path) == []
    assert report_of(path).left_out["subagent"] == 1


def test_an_ordinary_source_is_a_persons(tmp_path: Path) -> None:
    path = written(tmp_path / "rollout-3.jsonl", [meta(FORK, source="cli"), *turn(NEW, "Look for the bug.")])

    assert texts(path) == ["Look for the bug."]
