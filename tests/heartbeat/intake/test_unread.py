"""What is unread: files that count, and what is known of them."""

import os
from pathlib import Path

import pytest

from engram.heartbeat.extraction.batches import Batch
from engram.heartbeat.extraction.batches import split_batches
from engram.heartbeat.intake.unread import Unread
from engram.heartbeat.intake.unread import collect_unread
from engram.heartbeat.intake.unread import iter_note_files
from engram.workspace import Workspace
from tests.heartbeat.notes import put_note


def collect(workspace: Workspace, *, force: bool = False) -> Unread:
    return collect_unread(workspace, force=force)


def finish(workspace: Workspace, batches: list[Batch]) -> None:
    for batch in batches:
        entries = [note.model_dump(mode="json") for note in batch.notes]
        with workspace.writing("test") as recorder:
            envelopes = [workspace.envelope("note-read", {"entries": entries})] if entries else []
            recorder.record_together(envelopes, batch.marks)


def test_hidden_files_are_read_hidden_folders_and_links_are_not(workspace: Workspace, tmp_path: Path) -> None:
    memory = workspace.paths.memory
    outside = tmp_path / "secret.md"
    outside.write_text("- a secret\n")
    for name in (
        "main/main/a.md",
        "main/main/.hidden.md",
        "main/a+b/c.md",
        ".git/d.md",
        "main/e.txt",
        "main/main/.obsidian/f.md",
    ):
        put_note(workspace, name, "- text\n")
    (memory / "main" / "link.md").symlink_to(outside)
    (memory / "main" / "folder").symlink_to(tmp_path)
    (memory / "main" / "inner.md").symlink_to(memory / "main" / "main" / "a.md")
    (memory / "main" / "dangling.md").symlink_to(tmp_path / "nothing.md")
    (memory / "main" / "loop.md").symlink_to(memory / "main" / "loop.md")
    os.mkfifo(memory / "main" / "pipe.md")

    assert [file.relative_to(memory).as_posix() for file in iter_note_files(memory)] == [
        "main/a+b/c.md", "main/main/.hidden.md", "main/main/a.md",
    ]  # fmt: skip


def test_entries_know_their_place_day_and_session(workspace: Workspace) -> None:
    put_note(workspace, "main/chat/2026-02-24.md", "# Day\n\n- Привет\n")
    put_note(workspace, "scout/chat/log.md", "- hi\n")
    put_note(workspace, "loose.md", "- lo\n")
    rows = {note.path: note for note in collect(workspace).notes}
    note = rows["memory/main/chat/2026-02-24.md"]
    data = (workspace.paths.root / note.path).read_bytes()

    assert data[note.start : note.end].decode() == note.text == "- Привет"
    assert (note.line, note.heading, note.on, note.session) == (3, ("Day",), "2026-02-24", "chat")
    assert [rows[f"memory/{name}.md"].session for name in ("scout/chat/log", "loose")] == ["scout/chat", None]


def test_a_dated_heading_or_a_stamp_of_its_own_dates_an_entry(workspace: Workspace) -> None:
    text = "# Week\n\n- one\n\n## 20 February\n\n- two\n- 2026-02-21: three\n\n## Plans\n\n- four\n"
    put_note(workspace, "main/main/2026-02-24.md", text)

    days = {note.text: note.on for note in collect(workspace).notes}

    assert days == {
        "- one": "2026-02-24", "- two": "2026-02-20", "- 2026-02-21: three": "2026-02-21", "- four": "2026-02-24",
    }  # fmt: skip


def test_what_is_finished_is_not_read_again_unless_forced(workspace: Workspace) -> None:
    file = put_note(workspace, "main/main/a.md", "- one\n- two\n")
    finish(workspace, list(split_batches(collect(workspace), 1000)))
    quiet = collect(workspace)
    file.write_text("- zero\n" + file.read_text())
    grown = collect(workspace)

    assert (quiet.notes, quiet.marks) == ([], {})
    assert [note.text for note in grown.notes] == ["- zero"]
    assert len(collect(workspace, force=True).notes) == 3


def test_a_file_that_is_no_text_is_reported_and_the_others_are_read(workspace: Workspace) -> None:
    put_note(workspace, "main/main/good.md", "- one\n")
    put_note(workspace, "main/main/bad.md", b"- \xff\xfe\n")
    unread = collect(workspace)

    assert [note.text for note in unread.notes] == ["- one"]
    assert len(unread.alerts) == 1
    assert "bad.md" in unread.alerts[0]
    assert "line 1" in unread.alerts[0]


def test_a_name_that_is_no_text_is_reported(workspace: Workspace) -> None:
    folder = put_note(workspace, "main/main/good.md", "- one\n").parent
    Path(os.fsdecode(os.fsencode(folder) + b"/bad\xff.md")).write_text("- two\n")
    unread = collect(workspace)

    assert [note.text for note in unread.notes] == ["- one"]
    assert len(unread.alerts) == 1


def test_new_turns_of_a_session_are_unread_until_its_mark_moves(workspace: Workspace) -> None:
    def capture(*texts: str) -> None:
        turns = [{"id": f"turn/{text}", "session": "demo", "text": text, "speaker": "user"} for text in texts]
        workspace.submit("capture", {"session": "demo", "turns": turns})

    capture("one", "two")
    first = collect(workspace)
    finish(workspace, list(split_batches(first, 1000)))
    capture("three")

    assert [turn.text for turn in first.turns] == ["one", "two"]
    assert [turn.text for turn in collect(workspace).turns] == ["three"]


@pytest.mark.parametrize("limit", [1, 10, 25, 1000])
def test_batches_hold_everything_once_and_a_mark_moves_with_the_last_of_its_entries(
    workspace: Workspace, limit: int
) -> None:
    for name in "abc":
        put_note(workspace, f"main/main/{name}.md", f"- {name} number one\n- {name} number two\n")
    unread = collect(workspace)
    batches = list(split_batches(unread, limit))
    done: set[str] = set()
    for batch in batches:
        done |= {note.id for note in batch.notes}
        for mark in batch.marks:
            assert {note.id for note in unread.notes if f"note:{note.path}" == mark.key} <= done

    assert [note for batch in batches for note in batch.notes] == unread.notes
    assert {mark.key for batch in batches for mark in batch.marks} == set(unread.marks)
    assert all(len(batch.notes) == 1 or sum(map(len, batch.texts)) <= limit for batch in batches)


def test_a_file_that_only_lost_lines_moves_its_mark_and_nothing_else(workspace: Workspace) -> None:
    file = put_note(workspace, "main/main/a.md", "- one\n- two\n")
    finish(workspace, list(split_batches(collect(workspace), 1000)))
    file.write_text("- one\n")
    (batch,) = split_batches(collect(workspace), 1000)

    assert (batch.notes, batch.turns, len(batch.marks)) == ([], [], 1)


def test_a_line_that_is_no_text_keeps_no_other_from_being_read(workspace: Workspace) -> None:
    note = workspace.paths.memory / "main" / "main" / "2026-02-24.md"
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_bytes(b"# Day\n\n- Kim rows\n- \xff\n- " + b"x" * 300_000 + b"\n- Kim sold the canoe\n")

    found = collect(workspace)

    assert [entry.text for entry in found.notes] == ["- Kim rows", "- Kim sold the canoe"]
    assert [note.read_bytes()[entry.start : entry.end].decode() for entry in found.notes] == [
        entry.text for entry in found.notes
    ]
    assert found.alerts == [
        "memory/main/main/2026-02-24.md: line 4 was not read: it is not UTF-8 text",
        "memory/main/main/2026-02-24.md: line 5 was not read: it is longer than 256 KiB",
    ]
