"""The heartbeat signs the journal and backs up on its schedule; a backup that fails is an alert and comes again."""

import datetime as dt
import shutil
from pathlib import Path

import pytest

from engram.heartbeat.run.result import RunResult
from engram.heartbeat.run.runner import run_heartbeat
from engram.operations.backups.backup_check import verify_backups
from engram.operations.upkeep import Upkeep
from engram.store.backup_folder import BackupFolder
from engram.workspace import Workspace
from engram.workspace import open_workspace
from tests.heartbeat.in_process import answer_in_process
from tests.making import NOW

HOUR = dt.timedelta(hours=1)


@pytest.fixture(autouse=True)
def _in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    answer_in_process(monkeypatch)


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    return tmp_path / "disk"


@pytest.fixture
def scheduled(workspace: Workspace, disk: Path) -> Workspace:
    """A workspace with a fact and a backup every twelve hours."""
    with workspace.paths.settings.open("a") as settings:
        settings.write(f'\n[backup]\nfolder = "{disk}"\nevery = "12h"\n')
    workspace.submit("write", {"entity": "people/anna", "text": "Anna prefers tea", "create": True})
    return workspace


def tick(workspace: Workspace, hours: int) -> RunResult:
    return run_heartbeat(open_workspace(str(workspace.paths.root), now=lambda: NOW + hours * HOUR))


def backups(disk: Path) -> int:
    return len(BackupFolder(disk).backups().whole)


def test_a_backup_is_made_when_it_is_due_and_something_is_new(scheduled: Workspace, disk: Path) -> None:
    early = [(tick(scheduled, hours).status, backups(disk)) for hours in (0, 1, 11)]
    scheduled.submit("write", {"entity": "people/anna", "text": "Anna sings"})
    late = [(tick(scheduled, hours).status, backups(disk)) for hours in (12, 13)]

    assert early == [("ok", 1)] * 3
    assert late == [("ok", 2)] * 2
    assert all(one.problems == () for one in verify_backups(disk))


def test_a_backup_of_what_did_not_change_is_not_made_twice(scheduled: Workspace, disk: Path) -> None:
    tick(scheduled, 0)
    tick(scheduled, 13)  # the report of the first run is in the notes
    count = backups(disk)

    quiet = [tick(scheduled, hours) for hours in (26, 27)]

    assert backups(disk) <= count + 1
    assert [phase.status for phase in quiet[-1].phases] == ["skipped"] * len(quiet[-1].phases)


def test_a_backup_that_fails_is_an_alert_and_is_tried_again(scheduled: Workspace, disk: Path) -> None:
    disk.write_text("a file where the folder should be")

    failed = tick(scheduled, 0)
    again = tick(scheduled, 1)
    disk.unlink()
    tick(scheduled, 2)

    assert failed.status == "ok_with_warnings"
    assert any(f"no backup into {disk}" in alert for alert in failed.alerts)
    assert not any(f"no backup into {disk}" in alert for alert in again.alerts)  # it was told
    assert backups(disk) == 1


def test_a_disk_that_is_not_plugged_in_is_told_and_no_folder_takes_its_place(scheduled: Workspace, disk: Path) -> None:
    tick(scheduled, 0)
    shutil.rmtree(disk)

    result = tick(scheduled, 12)

    assert any("it is not there any more" in alert for alert in result.alerts)
    assert not disk.exists()


def test_a_run_signs_the_journal(scheduled: Workspace) -> None:
    tick(scheduled, 0)

    checked = Upkeep(scheduled).verify()

    assert checked.signed is not None
    assert checked.signed["position"] >= 1


def test_without_a_folder_there_is_no_backup(workspace: Workspace, tmp_path: Path) -> None:
    workspace.submit("write", {"entity": "people/anna", "text": "Anna prefers tea", "create": True})

    tick(workspace, 0)

    assert not workspace.paths.backup_state.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["workspace"]
