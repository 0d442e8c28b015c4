"""Daily notes that their week and month hold are moved away, and come back byte for byte."""

import datetime as dt
from pathlib import Path

import pytest

from engram.errors import NotFoundError
from engram.errors import RefusedError
from engram.heartbeat.child.phase_result import PhaseResult
from engram.heartbeat.run.options import RunOptions
from engram.heartbeat.run.runner import run_heartbeat
from engram.heartbeat.synthesis import note_archive
from engram.heartbeat.synthesis import phase as synthesis_phase
from engram.heartbeat.synthesis.note_archive import find_archived
from engram.heartbeat.synthesis.note_archive import restore_notes
from engram.ports.database import FactFilter
from engram.services.facts.sources.provenance import read_source
from engram.workspace import Workspace
from tests.conftest import Engram
from tests.heartbeat.in_process import answer_in_process
from tests.heartbeat.notes import put_note

MARCH = dt.datetime(2026, 3, 2, 8, tzinfo=dt.UTC)
JUNE = dt.datetime(2026, 6, 2, 8, tzinfo=dt.UTC)
NAME = "main/chat/2026-02-10.md"
AWAY = "main/chat/archives/2026/2026-02-10.md"
DUCK = "# 2026-02-10\n\n## Decisions\n\n- We decided to use DuckDB for [[projects/reports]].\r\n"


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    answer_in_process(monkeypatch)


def run(workspace: Workspace, now: dt.datetime, *phases: str) -> dict[str, PhaseResult]:
    workspace.now = lambda: now
    return {one.phase: one for one in run_heartbeat(workspace, RunOptions(phases=phases)).phases}


@pytest.fixture
def note(workspace: Workspace) -> Path:
    """A daily note in a workspace that moves such notes away after 60 days, with its week and month."""
    with workspace.paths.settings.open("a") as settings:
        settings.write("\n[synthesis]\narchive_after_days = 60\n")
    synthesis = workspace.settings.synthesis.model_copy(update={"archive_after_days": 60})
    workspace.settings = workspace.settings.model_copy(update={"synthesis": synthesis})
    workspace.submit("entity-add", {"path": "projects/reports", "title": "Reports"})
    file = put_note(workspace, NAME, DUCK)
    run(workspace, MARCH, "extraction", "synthesis")
    return file


def away(workspace: Workspace) -> Path:
    return workspace.paths.memory / AWAY


def test_a_note_moves_when_it_is_old_enough_and_nothing_is_lost(workspace: Workspace, note: Path) -> None:
    before = run(workspace, dt.datetime(2026, 4, 11, 8, tzinfo=dt.UTC), "synthesis")["synthesis"]
    assert (before.stats["archived"], note.exists()) == (0, True)

    moved = run(workspace, JUNE, "synthesis")["synthesis"]
    again = run(workspace, JUNE, "extraction", "synthesis")
    settled = run(workspace, JUNE, "extraction", "synthesis")

    assert (moved.stats["archived"], moved.summary) == (1, "1 daily note moved to archives")
    assert (note.exists(), away(workspace).read_bytes()) == (False, DUCK.encode())
    assert again["extraction"].stats["facts_written"] == 0
    assert [one.status for one in settled.values()] == ["skipped", "skipped"]
    week = (workspace.paths.memory / "main/chat/weekly/2026-W07.md").read_text()
    assert "(../archives/2026/2026-02-10.md#L5)" in week


def test_the_words_of_a_fact_are_found_where_its_note_went(workspace: Workspace, note: Path) -> None:
    run(workspace, JUNE, "synthesis")

    with workspace.reading() as database:
        (fact,) = database.list_facts(FactFilter(entity="projects/reports"))
        found = read_source(database, fact.source, workspace.files)

    assert "DuckDB" in found["quote"]
    assert found["state"] == "moved"


@pytest.mark.parametrize("spoil", ["week", "month", "note", "taken"])
def test_what_is_not_held_for_good_stays(workspace: Workspace, note: Path, spoil: str) -> None:
    if spoil == "note":
        run(workspace, JUNE - dt.timedelta(days=80), "synthesis")
        note.write_bytes(DUCK.encode() + b"- one more\n")
        assert note_archive.find_archivable(workspace.paths, JUNE.date(), {}) == []
        return
    if spoil == "taken":
        put_note(workspace, AWAY, "somebody else's")
    else:
        weekly, monthly = "main/chat/weekly/2026-W07.md", "main/chat/monthly/2026-02.md"
        file = workspace.paths.memory / (weekly if spoil == "week" else monthly)
        file.write_text("# mine\n\n- nothing of the kind\n")

    run(workspace, JUNE, "synthesis")

    assert note.read_bytes() == DUCK.encode()


def test_restored_notes_stay_where_they_are(workspace: Workspace, note: Path) -> None:
    run(workspace, JUNE, "synthesis")
    restore_notes(workspace, find_archived(workspace.paths))

    after = [run(workspace, JUNE, "extraction", "synthesis") for _ in range(3)]

    assert note.read_bytes() == DUCK.encode()
    assert not away(workspace).exists()
    assert [one["extraction"].stats.get("facts_written", 0) for one in after] == [0, 0, 0]
    assert after[-1]["synthesis"].status == "skipped"


def test_a_note_that_is_restored_while_the_phase_runs_stays(
    workspace: Workspace, note: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(workspace, JUNE, "synthesis")

    with monkeypatch.context() as patched:
        patched.setattr(synthesis_phase, "_tell", lambda *_: restore_notes(workspace, find_archived(workspace.paths)))
        run(workspace, JUNE, "synthesis")

    assert (note.exists(), away(workspace).exists()) == (True, False)


def test_a_note_that_cannot_be_moved_stops_no_other_one(workspace: Workspace, note: Path) -> None:
    put_note(workspace, "main/a/archives", "a plain file")
    first = put_note(workspace, "main/a/2026-02-10.md", DUCK)

    moved = run(workspace, JUNE, "synthesis")["synthesis"]

    assert (moved.stats["archived"], note.exists(), first.exists()) == (1, False, True)
    assert moved.alerts == ["memory/main/a/2026-02-10.md is not moved to archives/: Not a directory"]


def test_a_note_is_restored_by_either_name_and_never_over_another(workspace: Workspace, note: Path) -> None:
    run(workspace, JUNE, "synthesis")

    by_old, by_new = (find_archived(workspace.paths, f"memory/{name}") for name in (NAME, AWAY))
    put_note(workspace, NAME, "a new one")

    assert by_old == by_new
    assert find_archived(workspace.paths) == []
    for name in (NAME, AWAY):
        with pytest.raises(RefusedError, match=f"memory/{NAME} is in the way"):
            find_archived(workspace.paths, f"memory/{name}")
    with pytest.raises(NotFoundError, match="no archived note"):
        find_archived(workspace.paths, "memory/main/chat/2026-02-11.md")


def test_killed_between_the_record_and_the_move_the_next_run_moves_it(
    workspace: Workspace, note: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def die(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr("os.rename", die)
        with pytest.raises(Killed):
            run(workspace, JUNE, "synthesis")
    run(workspace, JUNE, "synthesis")

    assert (note.exists(), away(workspace).read_bytes()) == (False, DUCK.encode())


def test_the_command_restores(engram_here: Engram, workspace: Workspace, note: Path) -> None:
    run(workspace, JUNE, "synthesis")

    planned = engram_here("note", "restore", "--all", "--dry-run", "--json").json
    assert not note.exists()
    done = engram_here("note", "restore", f"memory/{NAME}", "--json").json
    nothing = engram_here("note", "restore", "--all")

    moved = [{"from": f"memory/{AWAY}", "to": f"memory/{NAME}"}]
    assert planned == {"dry_run": True, "moved": moved}
    assert done == {"status": "done", "moved": moved}
    assert note.read_bytes() == DUCK.encode()
    assert nothing.out == "no daily note is in the archives\n"
