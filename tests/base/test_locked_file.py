"""Who waits for the lock of a file writes into the file that has the name then."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from engram.base.disk import locked_file
from engram.base.disk.files import write_durably
from engram.base.disk.handle_locks import lock_handle
from engram.config.paths import Paths
from engram.errors import RefusedError
from engram.services.silo.daily_note import append_lines
from engram.services.silo.memory_file import add_memory_line
from engram.services.silo.memory_file import remove_memory_line
from engram.store.text_files import WorkspaceFiles
from engram.workspace import Workspace

Meanwhile = Callable[[Callable[[], None]], None]


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Meanwhile:
    """Let something happen once, between the opening of the next file and the getting of its lock."""

    def arrange(happens: Callable[[], None]) -> None:
        waiting = [happens]

        def lock(handle: int) -> None:
            if waiting:
                waiting.pop()()
            lock_handle(handle)

        monkeypatch.setattr(locked_file, "lock_handle", lock)

    return arrange


def test_a_note_is_added_to_the_file_that_took_the_place_of_the_opened(tmp_path: Path, meanwhile: Meanwhile) -> None:
    note = tmp_path / "2026-03-02.md"
    note.write_text("# old\n")
    meanwhile(lambda: write_durably(note, b"# new\n"))

    append_lines(WorkspaceFiles(Paths(tmp_path)), note, "title", "## Events", "- 10:00 tea")

    assert note.read_text() == "# new\n\n## Events\n\n- 10:00 tea\n"


def test_a_note_is_begun_anew_when_the_opened_one_was_taken_away(tmp_path: Path, meanwhile: Meanwhile) -> None:
    note = tmp_path / "2026-03-02.md"
    note.write_text("# old\n")
    meanwhile(note.unlink)

    append_lines(WorkspaceFiles(Paths(tmp_path)), note, "title", "", "- 10:00 tea")

    assert note.read_text() == "# title\n\n- 10:00 tea\n"


def test_a_line_is_added_to_the_memory_that_another_line_was_just_taken_out_of(
    workspace: Workspace, meanwhile: Meanwhile
) -> None:
    paths, settings = workspace.paths, workspace.settings
    add_memory_line(workspace.files, settings, "Anna prefers tea", "observation-0001")
    meanwhile(lambda: write_durably(paths.self_file, b"# Memory\n", mode=0o644))

    add_memory_line(workspace.files, settings, "Anna walks far", "observation-0002")

    line = "- Anna walks far <!-- engram:observation-0002 -->"
    assert paths.self_file.read_text() == f"# Memory\n\n## Learned\n\n{line}\n"


def test_a_line_is_taken_out_of_the_memory_as_it_stands_then(workspace: Workspace, meanwhile: Meanwhile) -> None:
    paths, settings = workspace.paths, workspace.settings
    add_memory_line(workspace.files, settings, "Anna prefers tea", "observation-0001")
    more = paths.self_file.read_bytes() + b"- Anna walks far\n"
    meanwhile(lambda: write_durably(paths.self_file, more, mode=0o644))

    assert remove_memory_line(workspace.files, "Anna prefers tea", "observation-0001")

    assert paths.self_file.read_text().endswith("## Learned\n\n- Anna walks far\n")


@pytest.mark.parametrize("flags", [locked_file.READ, locked_file.APPEND])
def test_a_pipe_in_the_place_of_a_file_is_refused_and_not_waited_for(tmp_path: Path, flags: int) -> None:
    os.mkfifo(tmp_path / "note.md")

    held = locked_file.locked_file(tmp_path / "note.md", flags, root=tmp_path)
    with pytest.raises(RefusedError, match=r"note\.md is no file"), held:
        pass
