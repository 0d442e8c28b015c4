"""Working files that have grown too long: nothing is lost, every byte still resolves, and all of it can be undone."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from engram.base.disk.files import write_durably
from engram.base.text import sha256_hex
from engram.errors import EngramError
from engram.errors import NotFoundError
from engram.errors import RefusedError
from engram.model.fact import Actor
from engram.model.fact import Source
from engram.ports.text_files import TextFiles
from engram.services.facts.sources.provenance import read_source
from engram.services.silo import rotation
from engram.services.silo.archives import list_archives
from engram.services.silo.daily_note import append_lines
from engram.services.silo.rotation import grows_for_ever
from engram.services.silo.rotation import rotate
from engram.services.silo.rotation import undo_rotation
from engram.store import text_files
from engram.workspace import Workspace
from tests.heartbeat.notes import put_note

HEAD = "# Hand-off\n\n"
NAME = "memory/main/main/handoff.md"


def section(number: int) -> str:
    return f"## Session {number}\n\n- Anna prefers tea number {number}\n\n"


@pytest.fixture
def file(workspace: Workspace) -> Path:
    """A hand-off of three sections."""
    return put_note(workspace, "main/main/handoff.md", HEAD + section(1) + section(2) + section(3))


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("memory/main/main/handoff.md", True),
        ("memory/main/main/working-memory.md", True),
        ("memory/topic.md", True),
        ("memory/main/main/2026-02-24.md", False),
        ("memory/main/main/2026-02-24-morning.md", False),
        ("memory/main/main/weekly/2026-W09.md", False),
        ("memory/main/main/monthly/2026-02.md", False),
        ("memory/main/main/archives/handoff-0001.md", False),
        ("memory/domains/web/changelog.md", False),
    ],
)
def test_only_files_without_a_date_grow_for_ever(path: str, expected: bool) -> None:
    assert grows_for_ever(path) is expected


def test_the_old_file_lies_whole_in_the_archives(workspace: Workspace, file: Path) -> None:
    before = file.read_bytes()

    done = rotate(workspace.files, NAME, 60)

    assert done.archive == "memory/main/main/archives/handoff-0001.md"
    assert (workspace.paths.root / done.archive).read_bytes() == before
    assert file.read_text() == HEAD + section(3)
    assert (done.sections, done.bytes_before, done.bytes_after) == (2, len(before), file.stat().st_size)
    assert sorted(one.name for one in file.parent.iterdir()) == ["archives", "handoff.md"]


def test_a_dry_run_changes_nothing(workspace: Workspace, file: Path) -> None:
    before = file.read_bytes()

    assert rotate(workspace.files, NAME, 60, dry_run=True).sections == 2
    assert file.read_bytes() == before
    assert list_archives(workspace.files, file) == []


def test_who_was_just_writing_writes_into_the_archive(workspace: Workspace, file: Path) -> None:
    with file.open("ab") as writer:
        done = rotate(workspace.files, NAME, 60)
        writer.write(b"- late\n")

    assert (workspace.paths.root / done.archive).read_text().endswith("- late\n")


def test_undo_gives_the_same_bytes_and_what_was_added(workspace: Workspace, file: Path) -> None:
    before = file.read_bytes()
    rotate(workspace.files, NAME, 60)
    with file.open("ab") as writer:
        writer.write(b"- later\n")

    done = undo_rotation(workspace.files, NAME)

    assert file.read_bytes() == before + b"- later\n"
    assert done.bytes_after == len(before) + 8
    assert list_archives(workspace.files, file) == []


def test_two_rotations_are_undone_one_by_one(workspace: Workspace, file: Path) -> None:
    rotate(workspace.files, NAME, 130)
    with file.open("a") as writer:
        writer.write(section(4))
    between = file.read_bytes()
    rotate(workspace.files, NAME, 60)
    assert [one.name for one in list_archives(workspace.files, file)] == ["handoff-0001.md", "handoff-0002.md"]

    undo_rotation(workspace.files, NAME)
    assert file.read_bytes() == between
    undo_rotation(workspace.files, NAME)

    assert file.read_text() == HEAD + section(1) + section(2) + section(3) + section(4)


def test_what_was_changed_by_hand_since_is_not_undone(workspace: Workspace, file: Path) -> None:
    rotate(workspace.files, NAME, 60)
    file.write_text("something else\n")

    with pytest.raises(RefusedError):
        undo_rotation(workspace.files, NAME)

    assert file.read_text() == "something else\n"
    assert len(list_archives(workspace.files, file)) == 1


def test_a_rotation_that_ended_between_its_steps_goes_on(workspace: Workspace, file: Path) -> None:
    archive = file.parent / "archives" / "handoff-0001.md"
    archive.parent.mkdir()
    os.link(file, archive)

    done = rotate(workspace.files, NAME, 60)

    assert done.archive.endswith("handoff-0001.md")
    assert file.read_text() == HEAD + section(3)
    assert archive.read_text() == HEAD + section(1) + section(2) + section(3)


def test_the_permissions_stay(workspace: Workspace, file: Path) -> None:
    file.chmod(0o600)
    rotate(workspace.files, NAME, 60)

    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("memory/nothing.md", NotFoundError),
        ("engram.toml", RefusedError),
        ("MEMORY.md", RefusedError),
        ("memory/main", RefusedError),
        ("memory/link.md", RefusedError),
        ("memory/out/secret.md", RefusedError),
        ("memory/main/main/archives/handoff-0001.md", RefusedError),
        ("memory/one.md", RefusedError),
    ],
)
def test_what_cannot_be_rotated_is_refused(
    workspace: Workspace, file: Path, tmp_path: Path, path: str, kind: type[EngramError]
) -> None:
    rotate(workspace.files, NAME, 60)
    put_note(workspace, "one.md", HEAD + section(1))
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "secret.md").write_text(HEAD + section(1) + section(2))
    (workspace.paths.memory / "link.md").symlink_to(file)
    (workspace.paths.memory / "out").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(kind):
        rotate(workspace.files, path, 0)


def is_held(path: Path) -> bool:
    handle = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def test_both_ways_keep_away_who_writes_to_the_file_or_to_its_silo(
    workspace: Workspace, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def write(path: Path, content: bytes, *, root: Path) -> None:
        seen.append((is_held(file), is_held(file.parent)))
        write_durably(path, content, root=root)

    monkeypatch.setattr(text_files, "write_durably", write)
    rotate(workspace.files, NAME, 60)
    undo_rotation(workspace.files, NAME)

    assert seen == [(True, True), (True, True)]
    assert not is_held(file)
    assert not is_held(file.parent)


def test_what_was_logged_while_an_undo_waited_stays(
    workspace: Workspace, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = file.read_bytes()
    rotate(workspace.files, NAME, 60)

    @contextlib.contextmanager
    def waited(files: TextFiles, folder: str) -> Iterator[Path]:
        append_lines(workspace.files, file, "", "", "- late")
        yield files.paths.root / folder

    monkeypatch.setattr(rotation, "writing_silo", waited)
    undo_rotation(workspace.files, NAME)

    assert file.read_bytes() == before + b"\n- late\n"


def test_undo_without_an_archive_is_refused(workspace: Workspace, file: Path) -> None:
    with pytest.raises(NotFoundError):
        undo_rotation(workspace.files, NAME)


def test_a_fact_is_still_explained_by_the_words_that_moved(workspace: Workspace, file: Path) -> None:
    words = b"Anna prefers tea number 1"
    start = file.read_bytes().index(words)
    source = Source(actor=Actor.AGENT, path=NAME, start=start, end=start + len(words), sha256=sha256_hex(words))
    rotate(workspace.files, NAME, 60)
    with workspace.reading() as database:
        found = read_source(database, source, workspace.files)

    assert found == {
        "state": "moved", "quote": words.decode(), "line": 5, "found_in": "memory/main/main/archives/handoff-0001.md"
    }  # fmt: skip
