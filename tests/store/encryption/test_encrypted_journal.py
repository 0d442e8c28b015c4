"""An encrypted journal: the same records and hashes as one in the clear, and damage that is told and mended alike."""

from pathlib import Path

import pytest

from engram.config.encryption_state import FILE
from engram.errors import DamagedJournalError
from engram.errors import EncryptionKeyError
from engram.store.encryption.store_cipher import lock_all
from engram.store.journal.file_journal import FileJournal
from engram.store.journal.rewrite import rewrite_journal
from tests.store.encryption.making import SECRET
from tests.store.encryption.making import make_encrypted
from tests.store.journal.test_file_journal import fill

SMALL = 3000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lock_all()
    make_encrypted(tmp_path / "state" / FILE, tmp_path / "own.key")
    return tmp_path / "state" / "journal"


def lines_of(journal: FileJournal) -> list[bytes]:
    return [line for _, line in journal.read()]


def test_the_chain_is_the_one_of_a_journal_in_the_clear(tmp_path: Path, folder: Path) -> None:
    clear = FileJournal(tmp_path / "clear", segment_bytes=SMALL)
    encrypted = FileJournal(folder, segment_bytes=SMALL)

    assert fill(encrypted, 40, SECRET) == fill(clear, 40, SECRET)

    assert any(path.name.endswith(".gz") for path in encrypted.segments())
    assert encrypted.head() == clear.head()
    assert lines_of(FileJournal(folder, segment_bytes=SMALL)) == lines_of(clear)


def test_no_byte_of_the_files_tells_what_was_said(folder: Path) -> None:
    from engram.store.journal import segments

    fill(FileJournal(folder, segment_bytes=SMALL), 40, SECRET)

    for path in folder.iterdir():
        assert SECRET.encode() not in path.read_bytes() + segments.content(path)


def test_lines_of_before_stay_readable_and_new_ones_are_encrypted(tmp_path: Path) -> None:
    folder = tmp_path / "state" / "journal"
    before = fill(FileJournal(folder, segment_bytes=1 << 30), 3)
    make_encrypted(tmp_path / "state" / FILE, tmp_path / "own.key")
    journal = FileJournal(folder, segment_bytes=1 << 30)

    after = fill(journal, 2, SECRET)

    assert lines_of(journal) == [*before, *after]
    assert SECRET.encode() not in journal.segments()[0].read_bytes()


@pytest.mark.parametrize("cut", [1, 2, 30, 200])
def test_a_torn_line_is_cut_without_the_key_and_the_rest_goes_on(tmp_path: Path, folder: Path, cut: int) -> None:
    journal = FileJournal(folder, segment_bytes=1 << 30)
    lines = fill(journal, 4)
    path = journal.segments()[0]
    path.write_bytes(path.read_bytes()[:-cut])
    key = (tmp_path / "own.key").read_text()
    (tmp_path / "own.key").unlink()
    lock_all()

    fresh = FileJournal(folder, segment_bytes=1 << 30)
    assert fresh.cut_torn_tail() is not None

    (tmp_path / "own.key").write_text(key)
    assert lines_of(fresh) == lines[:3]
    fill(fresh, 1)
    assert fresh.head()[0] == 4


def test_without_the_key_nothing_is_read_appended_or_repaired(tmp_path: Path, folder: Path) -> None:
    fill(FileJournal(folder, segment_bytes=SMALL), 20)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    (tmp_path / "own.key").unlink()
    lock_all()
    journal = FileJournal(folder, segment_bytes=SMALL)

    for act in (journal.head, lambda: lines_of(journal), journal.repair, lambda: fill(journal, 1)):
        with pytest.raises(EncryptionKeyError):
            act()

    assert before == {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_flipped_bit_is_damage_and_mended_from_what_is_known(folder: Path) -> None:
    journal = FileJournal(folder, segment_bytes=1 << 30)
    lines = fill(journal, 6, SECRET)
    path = journal.segments()[0]
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))

    with pytest.raises(DamagedJournalError):
        lines_of(journal)

    assert journal.repair(lines) == 1
    assert lines_of(journal) == lines
    assert all(SECRET.encode() not in one.read_bytes() for one in folder.iterdir())


def test_two_lines_that_changed_places_are_damage(folder: Path) -> None:
    journal = FileJournal(folder, segment_bytes=1 << 30)
    fill(journal, 4)
    path = journal.segments()[0]
    one, two, *rest = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([two, one, *rest]))

    with pytest.raises(DamagedJournalError):
        lines_of(journal)


def test_a_journal_that_is_written_anew_stays_encrypted(folder: Path) -> None:
    journal = FileJournal(folder, segment_bytes=SMALL)
    fill(journal, 20, SECRET)

    changed = rewrite_journal(
        folder, journal, lambda record: record.model_copy(update={"at": record.at.replace(year=2020)})
    )

    assert changed == 20
    assert [record.at.year for record, _ in journal.read()] == [2020] * 20
    assert all(SECRET.encode() not in path.read_bytes() for path in folder.iterdir())
