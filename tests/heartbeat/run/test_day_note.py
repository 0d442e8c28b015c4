"""The day's note, which a run begins where the agent keeps daily notes."""

import datetime as dt

import pytest

from engram.heartbeat.intake.unread import collect_unread
from engram.heartbeat.run.options import RunOptions
from engram.heartbeat.run.runner import run_heartbeat
from engram.services.silo.daily_note import add_note
from engram.services.silo.daily_note import note_place
from engram.workspace import Workspace
from tests.heartbeat.in_process import answer_in_process
from tests.heartbeat.notes import put_note
from tests.making import NOW

TODAY = f"{NOW:%Y-%m-%d}.md"
YESTERDAY = f"{NOW - dt.timedelta(days=1):%Y-%m-%d}.md"


@pytest.fixture(autouse=True)
def _in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    answer_in_process(monkeypatch)


@pytest.mark.parametrize("folder", ["", "main/", "main/main/"])
def test_a_run_begins_the_note_where_yesterdays_lies(workspace: Workspace, folder: str) -> None:
    put_note(workspace, folder + YESTERDAY, "# yesterday\n\n- Anna prefers tea\n")

    first = run_heartbeat(workspace)
    again = run_heartbeat(workspace)

    begun = workspace.paths.memory / folder / TODAY
    assert begun.read_text() == f"# {TODAY[:10]}\n"
    assert list(first.notices)[-1] == f"began today's note, memory/{folder}{TODAY}"
    assert not again.notices
    assert collect_unread(workspace).notes == []


def test_what_is_noted_after_that_stands_as_in_a_note_of_its_own(workspace: Workspace) -> None:
    put_note(workspace, "main/main/" + YESTERDAY, "- Anna prefers tea\n")
    run_heartbeat(workspace)
    zone = workspace.settings.zone
    begun = note_place(workspace.paths.memory, "main", None, now=NOW, zone=zone)
    fresh = note_place(workspace.paths.memory, "main", "fresh", now=NOW, zone=zone)

    for place in (begun, fresh):
        add_note(workspace.files, place, "the build is green", now=NOW, zone=zone)

    assert begun.file.read_bytes() == fresh.file.read_bytes()


@pytest.mark.parametrize(
    "name",
    [
        "",
        "main/heartbeat/" + YESTERDAY,
        "other/main/" + YESTERDAY,
        "main/main/2020-01-01.md",
        "main/main/2026-13-40.md",
    ],
)
def test_none_is_begun_where_no_daily_notes_are_kept(workspace: Workspace, name: str) -> None:
    if name:
        put_note(workspace, name, "- Anna prefers tea\n")

    run_heartbeat(workspace)

    begun = [file.relative_to(workspace.paths.memory).as_posix() for file in workspace.paths.memory.rglob(TODAY)]
    assert [one for one in begun if one != f"main/heartbeat/{TODAY}"] == []


def test_a_note_that_is_there_is_left_as_it_is(workspace: Workspace) -> None:
    note = put_note(workspace, "main/main/" + TODAY, "no title, and mine\n")

    run_heartbeat(workspace)

    assert note.read_text() == "no title, and mine\n"


def test_a_run_of_one_phase_begins_no_note(workspace: Workspace) -> None:
    put_note(workspace, "main/main/" + YESTERDAY, "- Anna prefers tea\n")

    run_heartbeat(workspace, RunOptions(phases=("review",)))

    assert not (workspace.paths.memory / "main/main" / TODAY).exists()


def test_a_link_in_its_place_is_followed_nowhere(workspace: Workspace) -> None:
    put_note(workspace, "main/main/" + YESTERDAY, "- Anna prefers tea\n")
    outside = workspace.paths.root.parent / "outside.md"
    outside.write_text("")
    (workspace.paths.memory / "main/main" / TODAY).symlink_to(outside)

    result = run_heartbeat(workspace)

    assert outside.read_text() == ""
    assert not any("began" in notice for notice in result.notices)
