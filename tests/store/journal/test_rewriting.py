"""A journal that was written anew is put into place only when it is what was written."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from engram.errors import DamagedJournalError
from engram.model.changes.record import Record
from engram.store.journal import rewritten
from engram.store.journal.file_journal import FileJournal
from engram.workspace import Workspace
from tests.conftest import Engram
from tests.store.journal.test_file_journal import fill

SMALL = 600


def erased(record: Record) -> Record:
    """Return the record as a forgetting leaves it."""
    (mark,) = record.watermarks
    return record.model_copy(update={"watermarks": (mark.model_copy(update={"value": "erased"}),)})


def contents(folder: Path) -> dict[str, bytes]:
    """Return what every file below the folder holds."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A journal of several segments that was cut off when all of it had been written anew."""
    journal = FileJournal(tmp_path / "journal", segment_bytes=SMALL)
    fill(journal, 12, "secret")
    with monkeypatch.context() as cut_off:
        cut_off.setattr(rewritten, "finish_rewriting", lambda _folder, _content: None)
        journal.rewrite(erased)
    return tmp_path / "journal"


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """A segment of another journal, which has the name of the second one here."""
    journal = FileJournal(tmp_path / "other", segment_bytes=SMALL)
    fill(journal, 12, "alien!")
    return journal.segments()[1]


def begun(folder: Path) -> list[Path]:
    """Return the segments that wait for their place."""
    return sorted((folder / rewritten.FOLDER).glob("[0-9]*"))


def read(folder: Path) -> list[str]:
    return [record.watermarks[0].value for record, _ in FileJournal(folder, segment_bytes=SMALL).read()]


def emptied(folder: Path) -> None:
    """Leave `complete` as Engram 0.16.0 wrote it."""
    (folder / rewritten.FOLDER / rewritten.COMPLETE).write_bytes(b"")


@pytest.mark.parametrize("moved", [0, 1, 2])
@pytest.mark.parametrize("as_before", [False, True])
def test_what_was_cut_off_is_finished(folder: Path, moved: int, as_before: bool) -> None:
    assert len(begun(folder)) > 2
    for path in begun(folder)[:moved]:
        path.replace(folder / path.name)
    if as_before:
        emptied(folder)

    assert read(folder) == ["erased"] * 12
    assert not (folder / rewritten.FOLDER).exists()


def test_an_active_segment_that_holds_nothing_yet_does_not_break_the_chain(folder: Path) -> None:
    (folder / rewritten.FOLDER / "000000000013.jsonl").write_bytes(b"")
    emptied(folder)

    assert read(folder) == ["erased"] * 12


def swapped(folder: Path, foreign: Path) -> None:
    shutil.copy(foreign, begun(folder)[1])


def added(folder: Path, foreign: Path) -> None:
    shutil.copy(foreign, folder / rewritten.FOLDER / "000000000013.jsonl.gz")


def missing(folder: Path, _foreign: Path) -> None:
    begun(folder)[1].unlink()


def changed(folder: Path, _foreign: Path) -> None:
    path = begun(folder)[1]
    path.write_bytes(path.read_bytes()[:-9])


def no_file(folder: Path, _foreign: Path) -> None:
    path = begun(folder)[1]
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("as_before", [False, True])
@pytest.mark.parametrize("spoil", [swapped, added, missing, changed, no_file])
def test_nothing_else_is_put_into_place(
    folder: Path, foreign: Path, spoil: Callable[[Path, Path], None], as_before: bool
) -> None:
    spoil(folder, foreign)
    if as_before:
        emptied(folder)
    before = contents(folder)

    with pytest.raises(DamagedJournalError, match="rewriting"):
        read(folder)

    assert contents(folder) == before


@pytest.mark.parametrize("said", [b"{", b"[]", b'{"v": 1, "segments": {"../x": 7}}', b"\xff"])
def test_a_list_that_does_not_read_is_damage(folder: Path, said: bytes) -> None:
    (folder / rewritten.FOLDER / rewritten.COMPLETE).write_bytes(said)

    with pytest.raises(DamagedJournalError, match="rewriting"):
        read(folder)


def test_no_segment_beside_an_empty_list_is_nothing_left_to_do(folder: Path) -> None:
    for path in begun(folder):
        path.replace(folder / path.name)
    emptied(folder)

    assert read(folder) == ["erased"] * 12
    assert not (folder / rewritten.FOLDER).exists()


def test_doctor_names_it_and_nothing_is_lost(engram: Engram, workspace: Workspace, foreign: Path) -> None:
    assert engram("write", "--entity", "people/kim", "--create", "--fact", "Kim keeps the keys").code == 0
    journal = workspace.paths.journal
    (segment,) = journal.glob("[0-9]*")
    fresh = journal / rewritten.FOLDER
    fresh.mkdir()
    shutil.copy(foreign, fresh / f"{segment.name}.gz")
    (fresh / rewritten.COMPLETE).write_bytes(b"")
    before = segment.read_bytes()

    checked, mended, asked = engram("doctor"), engram("doctor", "--fix"), engram("facts")

    assert (checked.code, "journal/rewriting" in checked.out) == (6, True), checked.err + checked.out
    assert "journal/rewriting" in mended.out + mended.err
    assert (asked.code, "forget --resume" in asked.err) == (6, True), asked.err
    assert segment.read_bytes() == before
    shutil.move(fresh, workspace.paths.root / "away")
    assert "Kim keeps the keys" in engram("facts").out
