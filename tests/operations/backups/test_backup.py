"""Backups: what is in one, what is copied again, what is never taken for one, and that each gives the memory again."""

import datetime as dt
import io
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engram.errors import DamagedBackupError
from engram.errors import DamagedStoreError
from engram.errors import NotFoundError
from engram.errors import RefusedError
from engram.errors import StoreBusyError
from engram.operations.backups.backup import back_up
from engram.operations.backups.backup_check import verify_backups
from engram.operations.backups.restore import Point
from engram.operations.backups.restore import RestoreReport
from engram.operations.backups.restore import restore as restore_at
from engram.operations.upkeep import Upkeep
from engram.store.backup_folder import BackupFolder
from engram.store.backup_folder import _digest_of
from engram.store.database import duck_file
from engram.store.database.tables import rows
from engram.store.database.tables import table_format
from engram.store.locks import FileLock
from engram.workspace import Workspace
from engram.workspace import open_workspace
from tests.conftest import WorkspaceWith
from tests.making import NOW

NOTE = "memory/main/main/2026-02-24.md"


def say(workspace: Workspace, text: str) -> None:
    assert workspace.submit("write", {"entity": "people/anna", "text": text, "create": True}).exit_code == 0


def fill(workspace: Workspace) -> None:
    say(workspace, "Anna prefers tea")
    say(workspace, "Anna lives in Bern")
    note = workspace.paths.root / NOTE
    note.parent.mkdir(parents=True)
    note.write_text("# 2026-02-24\n\n- We met.\n")
    workspace.paths.cards.write_text('{"cards":[]}\n')
    workspace.paths.domain_registry.write_text('{"v": 1, "domains": {}, "proposals": {}}\n')


@pytest.fixture
def filled(workspace_with: WorkspaceWith) -> Workspace:
    """A workspace with facts, a note and a domain registry."""
    return workspace_with(fill)


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    return tmp_path / "disk"


def opened(root: Path) -> Workspace:
    return open_workspace(str(root), now=lambda: NOW)


def restore(disk: Path, root: Path | None, to: Point) -> RestoreReport:
    return restore_at(disk, root, to, NOW)


def tree(root: Path) -> dict[str, bytes]:
    """Return what a restore has to give back: the files of a workspace that cannot be made again."""
    names = [path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()]
    kept = (
        "engram.toml",
        "MEMORY.md",
        "memory/",
        "life/",
        ".engram/journal/",
        ".engram/edits/",
        ".engram/domains.json",
        ".engram/cards.json",
    )
    spooled = [name for name in names if name.startswith(".engram/spool/") and "/results/" not in name]
    return {name: (root / name).read_bytes() for name in [*spooled, *(n for n in names if n.startswith(kept))]}


def digests(workspace: Workspace) -> dict[str, object]:
    workspace.index.rebuild()
    checked = Upkeep(workspace).verify()
    assert checked.problems == ()
    return {"head": (checked.position, checked.head), **checked.digests}


def test_a_restored_workspace_is_the_one_that_was_backed_up(filled: Workspace, disk: Path, tmp_path: Path) -> None:
    report = back_up(filled, disk)

    restored = restore(disk, tmp_path / "again", Point())

    assert report.is_new
    assert not restored.is_cut
    assert tree(filled.paths.root) == tree(tmp_path / "again")
    assert digests(filled) == digests(opened(tmp_path / "again"))


def test_what_waits_in_the_spool_is_in_a_backup_and_is_applied_after_the_restore(
    filled: Workspace, disk: Path, tmp_path: Path
) -> None:
    late = filled.submit("write", {"entity": "people/anna", "text": "Anna sings"}, wait_s=0)

    report = back_up(filled, disk)
    restore(disk, tmp_path / "again", Point())

    again = opened(tmp_path / "again")
    assert report.manifest.waiting == 1
    assert len(filled.spool.waiting()) == 1
    found = again.commands.find_result(late.command_id)
    assert found is not None
    assert found.status == "created"


def test_an_edit_in_life_that_nobody_took_in_yet_is_taken_in_after_the_restore(
    filled: Workspace, disk: Path, tmp_path: Path
) -> None:
    summary = filled.paths.life / "people/anna/summary.md"
    summary.write_text(summary.read_text().replace("prefers tea", "prefers coffee"))

    back_up(filled, disk)
    restore(disk, tmp_path / "again", Point())
    again = opened(tmp_path / "again")
    again.store.refresh_mirror()

    assert "prefers coffee" in (tmp_path / "again/life/people/anna/summary.md").read_text()
    assert again.journal.head()[0] == filled.journal.head()[0] + 1


def test_three_backups_copy_only_what_came_since(filled: Workspace, disk: Path, tmp_path: Path) -> None:
    (filled.paths.root / "memory/long.md").write_bytes(os.urandom(300_000))
    first = back_up(filled, disk)
    with (filled.paths.root / "memory/long.md").open("ab") as note:
        note.write(b"- one line more\n")
    say(filled, "Anna sings")
    second = back_up(filled, disk)
    third = back_up(filled, disk)

    held = {path.name for path in (disk / "pieces").glob("??/*")}
    assert first.copied.size > 300_000
    assert 0 < second.copied.size < 50_000  # the line, the record, and the files of life/ that it changed
    assert (third.copied.pieces, third.is_new) == (0, False)
    assert [first.manifest.id, second.manifest.id] == [one.id for one in verify_backups(disk)]
    assert held == {name for made in (first, second) for file in made.manifest.files for name in file.pieces}
    restore(disk, tmp_path / "again", Point())
    assert tree(filled.paths.root) == tree(tmp_path / "again")


def test_a_sealed_segment_is_copied_once(filled: Workspace, disk: Path) -> None:
    small = Workspace(
        filled.paths,
        filled.settings.model_copy(update={"store": filled.settings.store.model_copy(update={"segment_bytes": 4096})}),
        lambda: NOW,
    )
    for number in range(12):
        say(small, f"Anna knows {number} songs by heart, and sings them when nobody listens to her")
    sealed = {f".engram/journal/{path.name}" for path in filled.paths.journal.glob("*.gz")}
    first = back_up(small, disk)
    say(small, "Anna is tired of it")

    before = {path: path.stat().st_mtime_ns for path in (disk / "pieces").glob("??/*")}
    second = back_up(small, disk)

    assert sealed
    entries = [{file.path: file for file in made.manifest.files} for made in (first, second)]
    assert {name: entries[0][name] for name in sealed} == {name: entries[1][name] for name in sealed}
    assert before == {path: path.stat().st_mtime_ns for path in before}


def test_a_backup_names_what_it_leaves_out(filled: Workspace, disk: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.md").write_text("not ours")
    (filled.paths.root / "memory/link.md").symlink_to(tmp_path / "elsewhere.md")

    report = back_up(filled, disk)

    assert report.manifest.left_out == ("memory/link.md: it is a link out of the workspace",)
    assert not any(file.path == "memory/link.md" for file in report.manifest.files)


def test_sound_16_a_name_that_is_no_text_keeps_nothing_else_out_of_a_backup(
    filled: Workspace, disk: Path, tmp_path: Path
) -> None:
    note = Path(os.fsdecode(bytes(filled.paths.memory) + b"/caf\xe9.md"))
    note.write_text("- tea\n")
    note.with_name(os.fsdecode(b"link\xe9.md")).symlink_to(tmp_path)

    made = back_up(filled, disk).manifest
    restore(disk, tmp_path / "again", Point())

    assert [one.partition(":")[0] for one in made.left_out] == ["memory/caf\ufffd.md", "memory/link\ufffd.md"]
    assert (tmp_path / "again" / NOTE).is_file()


def test_projections_and_secrets_of_the_machine_are_in_no_backup(filled: Workspace, disk: Path) -> None:
    (filled.paths.state / "mcp-token").write_text("secret")

    report = back_up(filled, disk)

    named = {file.path for file in report.manifest.files}
    assert {path for path in named if path.startswith(".engram/")} == {
        *(f".engram/journal/{path.name}" for path in filled.paths.journal.iterdir()),
        ".engram/cards.json",
        ".engram/domains.json",
        ".engram/format",  # which Engram may read it
        ".engram/mirror.json",
    }


def test_a_folder_in_the_workspace_takes_no_backup(filled: Workspace) -> None:
    with pytest.raises(RefusedError, match="within the workspace"):
        back_up(filled, filled.paths.root / "backups")

    assert not (filled.paths.root / "backups").exists()


def test_a_folder_holds_the_backups_of_one_history(filled: Workspace, disk: Path, tmp_path: Path) -> None:
    back_up(filled, disk)
    restore(disk, tmp_path / "other", Point(position=1))
    other = opened(tmp_path / "other")
    say(other, "Anna plays chess")

    with pytest.raises(RefusedError, match="another history"):
        back_up(other, disk)


def test_two_backups_at_once_are_one(filled: Workspace, disk: Path) -> None:
    disk.mkdir()
    with FileLock(disk / "backup.lock", "backup").hold(wait_s=0), pytest.raises(StoreBusyError, match="backup is held"):
        back_up(filled, disk)


def test_a_damaged_journal_gives_no_backup(filled: Workspace, disk: Path) -> None:
    segment = next(filled.paths.journal.glob("*.jsonl"))
    data = bytearray(segment.read_bytes())
    data[40] ^= 1
    segment.write_bytes(data)

    with pytest.raises(DamagedStoreError):
        back_up(filled, disk)

    assert BackupFolder(disk).backups().whole == []


def test_a_piece_that_rotted_is_found_and_copied_once_more(filled: Workspace, disk: Path) -> None:
    first = back_up(filled, disk)
    rotten = next(file for file in first.manifest.files if file.path == NOTE)
    piece = disk / "pieces" / rotten.pieces[0][:2] / rotten.pieces[0]
    piece.write_bytes(b"x" * rotten.size)

    found = verify_backups(disk)
    assert [f"{NOTE}: piece {rotten.pieces[0][:16]} of the backup does not hold what it did"] == list(found[0].problems)
    with pytest.raises(DamagedBackupError):
        restore(disk, filled.paths.root.with_name("again"), Point())

    say(filled, "Anna sings")
    back_up(filled, disk)

    assert [one.problems for one in verify_backups(disk)] == [()] * 2
    assert list(piece.parent.glob("damaged-*"))  # set aside, not deleted


def test_a_backup_of_a_version_that_reads_other_things_in_words_is_whole(
    filled: Workspace, disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as older:
        older.setattr(rows, "renewal_keys", lambda text: [f"as read before: {text}"])
        for place in (duck_file, table_format):
            older.setattr(place, "derivation", lambda: "older")
        say(filled, "Anna sings")
        back_up(filled, disk)

    assert [one.problems for one in verify_backups(disk)] == [()]


@pytest.mark.parametrize("change", ["cut", "altered", "renamed"])
def test_a_manifest_that_is_not_as_it_was_written_is_no_backup(filled: Workspace, disk: Path, change: str) -> None:
    made = back_up(filled, disk).manifest
    path = disk / "backups" / f"{made.id}.json"
    changes: dict[str, Callable[[], object]] = {
        "cut": lambda: path.write_bytes(path.read_bytes()[:-200]),
        "altered": lambda: path.write_text(path.read_text().replace('"position": 2', '"position": 1')),
        "renamed": lambda: path.rename(path.with_name("20990101T000000Z-000000000002.json")),
    }
    changes[change]()

    with pytest.raises(NotFoundError):
        restore(disk, filled.paths.root.with_name("again"), Point())

    assert [one.position for one in verify_backups(disk)] == [None]


def test_a_manifest_cannot_write_outside_of_the_new_workspace(filled: Workspace, disk: Path, tmp_path: Path) -> None:
    made = back_up(filled, disk).manifest
    path = disk / "backups" / f"{made.id}.json"
    fields = json.loads(path.read_text())
    fields["files"][0]["path"] = "../outside"
    fields["sha256"] = _digest_of(fields)
    path.write_text(json.dumps(fields))

    with pytest.raises(NotFoundError, match="stays within the workspace"):
        restore(disk, tmp_path / "again", Point())


@pytest.mark.parametrize(
    "change",
    [
        {"path": "memory"},  # a folder of the others
        {"path": NOTE},  # twice
        {"path": f"memory/{'x' * 300}"},
        {"path": "memory/half \ud800.md"},
        {"changed_ns": 10**30},
    ],
)
def test_sound_16_a_manifest_whose_files_cannot_be_laid_out_is_damaged(
    filled: Workspace, disk: Path, tmp_path: Path, change: dict[str, object]
) -> None:
    made = back_up(filled, disk).manifest
    path = disk / "backups" / f"{made.id}.json"
    fields = json.loads(path.read_text())
    settings = next(file for file in fields["files"] if file["path"] == "engram.toml")
    fields["files"].append({**settings, "path": "memory/another.md", **change})
    try:
        fields["sha256"] = _digest_of(fields)
    except UnicodeEncodeError:  # then nobody can sign for it
        fields["sha256"] = ""
    path.write_text(json.dumps(fields))

    with pytest.raises((NotFoundError, DamagedBackupError)):
        restore(disk, tmp_path / "again", Point())

    assert not (tmp_path / "again").exists()


@pytest.mark.parametrize("kind", ["link", "pipe", "endless", "larger"])
def test_sound_16_a_piece_that_is_no_piece_is_neither_followed_nor_copied(
    filled: Workspace, disk: Path, tmp_path: Path, kind: str
) -> None:
    made = back_up(filled, disk).manifest
    note = next(file for file in made.files if file.path == NOTE)
    piece = disk / "pieces" / note.pieces[0][:2] / note.pieces[0]
    (tmp_path / "elsewhere").write_bytes(piece.read_bytes())
    whole = piece.read_bytes()
    piece.unlink()
    changes: dict[str, Callable[[], object]] = {
        "link": lambda: piece.symlink_to(tmp_path / "elsewhere"),
        "pipe": lambda: os.mkfifo(piece),
        "endless": lambda: piece.symlink_to("/dev/zero"),
        "larger": lambda: piece.write_bytes(whole + b"x" * (3 << 20)),
    }
    changes[kind]()
    out = io.BytesIO()

    with pytest.raises(DamagedBackupError):
        BackupFolder(disk).copy(piece.name, out, note.size)
    with pytest.raises(DamagedBackupError):
        restore(disk, tmp_path / "again", Point())

    assert len(out.getvalue()) <= 1 << 20
    assert verify_backups(disk)[0].problems != ()


def test_sound_16_a_restore_below_a_file_is_refused(filled: Workspace, disk: Path, tmp_path: Path) -> None:
    back_up(filled, disk)
    (tmp_path / "file").write_text("mine")

    with pytest.raises(RefusedError, match="is no folder"):
        restore(disk, tmp_path / "file" / "again", Point())


def test_a_restore_overwrites_nothing(filled: Workspace, disk: Path) -> None:
    back_up(filled, disk)
    before = tree(filled.paths.root)

    with pytest.raises(RefusedError, match="not empty"):
        restore(disk, None, Point())  # where it was backed up

    assert before == tree(filled.paths.root)


def test_a_lost_workspace_comes_back_where_it_was(filled: Workspace, disk: Path) -> None:
    back_up(filled, disk)
    before = tree(filled.paths.root)
    shutil.rmtree(filled.paths.root)

    restore(disk, None, Point())

    assert before == tree(filled.paths.root)


def test_a_restore_to_a_position_ends_the_journal_there(filled: Workspace, disk: Path, tmp_path: Path) -> None:
    head = filled.journal.head()
    say(filled, "Anna sings")
    back_up(filled, disk)

    report = restore(disk, tmp_path / "again", Point(position=2))

    again = opened(tmp_path / "again")
    assert (report.is_cut, report.records_left_out, report.position) == (True, 1, 2)
    assert head == again.journal.head()
    assert "sings" not in (tmp_path / "again/life/people/anna/summary.md").read_text()
    assert Upkeep(again).verify().problems == ()
    say(again, "Anna dances")  # and it goes on from there


def test_a_restore_to_a_time_ends_with_the_last_record_before_it(
    workspace: Workspace, disk: Path, tmp_path: Path
) -> None:
    for hour, text in enumerate(["Anna prefers tea", "Anna lives in Bern", "Anna sings"]):
        at = NOW + dt.timedelta(hours=hour)
        say(Workspace(workspace.paths, workspace.settings, lambda at=at: at), text)  # type: ignore[misc]
    later = NOW + dt.timedelta(hours=5)
    back_up(Workspace(workspace.paths, workspace.settings, lambda: later), disk)

    report = restore(disk, tmp_path / "again", Point(at=NOW + dt.timedelta(minutes=90)))

    assert (report.position, report.records_left_out) == (2, 1)


def test_the_first_backup_that_reaches_a_point_gives_its_notes(filled: Workspace, disk: Path, tmp_path: Path) -> None:
    first = back_up(filled, disk).manifest
    (filled.paths.root / NOTE).write_text("# 2026-02-24\n\n- All of it was wrong.\n")
    say(filled, "Anna sings")
    later = Workspace(filled.paths, filled.settings, lambda: NOW + dt.timedelta(hours=1))
    back_up(later, disk)

    report = restore(disk, tmp_path / "again", Point(position=first.position))

    assert first.id == report.manifest.id
    assert "We met" in (tmp_path / "again" / NOTE).read_text()


def test_an_edited_file_of_life_is_kept_when_the_journal_is_cut_before_it(
    filled: Workspace, disk: Path, tmp_path: Path
) -> None:
    summary = filled.paths.life / "people/anna/summary.md"
    summary.write_text(summary.read_text().replace("prefers tea", "prefers coffee"))
    back_up(filled, disk)

    report = restore(disk, tmp_path / "again", Point(position=1))

    assert len(report.edits_kept) == 1
    assert "prefers coffee" in (tmp_path / "again" / report.edits_kept[0]).read_text()
    assert "coffee" not in (tmp_path / "again/life/people/anna/summary.md").read_text()


def test_a_position_that_no_backup_reaches_is_refused(filled: Workspace, disk: Path, tmp_path: Path) -> None:
    back_up(filled, disk)

    with pytest.raises(NotFoundError, match="the newest ends at 2"):
        restore(disk, tmp_path / "again", Point(position=3))

    assert not (tmp_path / "again").exists()


def test_a_backup_is_private(filled: Workspace, disk: Path) -> None:
    back_up(filled, disk)

    assert disk.stat().st_mode & 0o077 == 0
    assert [path for path in disk.rglob("*") if path.is_file() and path.stat().st_mode & 0o077] == []


def test_the_plain_way_of_the_documentation_restores_without_engram(
    filled: Workspace, disk: Path, tmp_path: Path
) -> None:
    page = (Path(__file__).parents[3] / "docs" / "FORMATS.md").read_text(encoding="utf-8")
    script = page.partition("<!-- restore by hand -->")[2].partition("```python\n")[2].partition("```")[0]
    made = back_up(filled, disk).manifest
    before = tree(filled.paths.root)

    subprocess.run([sys.executable, "-I", "-c", script, str(disk), made.id, str(tmp_path / "again")], check=True)

    assert before == tree(tmp_path / "again")


def kill_at_every_step(verb: str, workspace: Workspace, disk: Path) -> list[dict[str, Any]]:
    """Return what `backup_kills` says of each step; the last one was the step too many, and nobody died."""
    command = [sys.executable, "-m", "tests.operations.backup_kills", verb, str(workspace.paths.root), str(disk)]
    done = subprocess.run(command, cwd=Path(__file__).parents[3], capture_output=True, text=True, check=True)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [signal.SIGKILL] * (len(found) - 1) + [0] == [one["ended"] for one in found]
    return found


def test_a_backup_that_is_killed_at_any_step_is_a_whole_one_or_none(filled: Workspace, disk: Path) -> None:
    first = back_up(filled, disk).manifest
    say(filled, "Anna sings")

    found = kill_at_every_step("backup", filled, disk)

    assert len(found) > 8
    for one in found:
        assert [backup["problems"] for backup in one["after"]] == [[]] * len(one["after"])
        assert first.id == one["after"][0]["backup"]
        assert one["again"] == first.position + 1
        assert one["halves"] == []
    counts = [len(one["after"]) for one in found]
    assert counts == sorted(counts)
    assert set(counts) == {1, 2}


def test_a_restore_that_is_killed_leaves_no_half_of_a_workspace(filled: Workspace, disk: Path) -> None:
    back_up(filled, disk)

    found = kill_at_every_step("restore", filled, disk)

    assert len(found) > 2
    there = [one["there"] for one in found]
    assert there == sorted(there)  # from one step on it is there, and then the whole of it
    assert set(there) == {False, True}
    assert there == [one["whole"] for one in found]
    assert {one["head"] for one in found if one["there"]} == {filled.journal.head()[0]}


WRITER = """
import sys
from engram.workspace import open_workspace
workspace = open_workspace(sys.argv[1])
number = 0
while True:
    number += 1
    text = f"Anna saw {number} ships on day {number}"
    result = workspace.submit("write", {"entity": "people/anna", "text": text, "create": True})
    print(result.command_id, result.status, flush=True)
"""


def test_a_backup_beside_a_writer_holds_all_that_was_acknowledged_before_it(
    filled: Workspace, disk: Path, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", WRITER, str(filled.paths.root)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, bufsize=1) as writer:
        assert writer.stdout is not None
        acknowledged: list[str] = []
        reports = []
        try:
            for _ in range(3):
                acknowledged += [writer.stdout.readline().split()[0] for _ in range(3)]
                reports.append((len(acknowledged), back_up(filled, disk)))
        finally:
            writer.kill()

    assert all(one.problems == () for one in verify_backups(disk))
    for number, (known, report) in enumerate(reports):
        restore(disk, tmp_path / f"again-{number}", Point(position=report.manifest.position))
        again = opened(tmp_path / f"again-{number}")
        results = [again.commands.find_result(command) for command in acknowledged[:known]]
        assert [one is not None and one.exit_code == 0 for one in results] == [True] * known
        assert Upkeep(again).verify().problems == ()
    positions = [report.manifest.position for _, report in reports]
    assert positions == sorted(set(positions))
