"""The journal on real files: chain, torn tails, sealing, and what damage does."""

import datetime as dt
import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.base.text import sha256_hex
from engram.errors import DamagedJournalError
from engram.model.changes.record import GENESIS
from engram.model.changes.record import Record
from engram.model.conversation import Watermark
from engram.store.journal.file_journal import FileJournal
from tests.making import NOW

BIG = 1 << 30


def fill(journal: FileJournal, count: int, text: str = "x") -> list[bytes]:
    """Append that many small records and return their lines."""
    lines: list[bytes] = []
    for _ in range(count):
        position, previous = journal.head()
        mark = Watermark(consumer="test", key="*", value=f"{text}{position}")
        at = NOW + dt.timedelta(seconds=position)
        lines += journal.append([Record(position=position + 1, previous=previous, at=at, watermarks=(mark,))])
    return lines


@pytest.fixture
def journal(tmp_path: Path) -> FileJournal:
    return FileJournal(tmp_path, segment_bytes=BIG)


def active(tmp_path: Path) -> Path:
    return tmp_path / "000000000001.jsonl"


def test_an_empty_journal_stands_at_zero(journal: FileJournal) -> None:
    assert journal.head() == (0, GENESIS)
    assert list(journal.read()) == []


def test_what_was_appended_is_read_back_in_order(journal: FileJournal) -> None:
    lines = fill(journal, 5)

    found = list(journal.read())

    assert [record.position for record, _ in found] == [1, 2, 3, 4, 5]
    assert lines == [line for _, line in found]
    assert (5, sha256_hex(lines[-1])) == journal.head()


def test_what_another_writer_appended_or_damaged_is_seen_at_the_head(tmp_path: Path, journal: FileJournal) -> None:
    line = fill(journal, 2)[-1]
    assert journal.head() == (2, sha256_hex(line))

    more = fill(FileJournal(tmp_path, segment_bytes=1_000_000), 1)[-1]
    assert journal.head() == (3, sha256_hex(more))

    segment = active(tmp_path)
    segment.write_bytes(segment.read_bytes().replace(b'"x', b'"y'))
    with pytest.raises(DamagedJournalError):
        journal.head()


def test_reading_after_a_position_skips_what_came_before(journal: FileJournal) -> None:
    fill(journal, 5)

    assert [record.position for record, _ in journal.read(after=3)] == [4, 5]
    assert list(journal.read(after=5)) == []


def test_a_full_segment_is_sealed_and_still_read(tmp_path: Path) -> None:
    journal = FileJournal(tmp_path, segment_bytes=600)

    fill(journal, 12)

    assert any(path.name.endswith(".jsonl.gz") for path in tmp_path.iterdir())
    assert list(range(1, 13)) == [record.position for record, _ in journal.read()]
    assert list(range(8, 13)) == [record.position for record, _ in journal.read(after=7)]
    assert journal.head()[0] == 12


def test_a_crash_between_sealing_and_removing_leaves_one_truth(tmp_path: Path) -> None:
    journal = FileJournal(tmp_path, segment_bytes=BIG)
    fill(journal, 3)
    sealed = tmp_path / "000000000001.jsonl.gz"
    sealed.write_bytes(gzip.compress(active(tmp_path).read_bytes()))

    fill(journal, 1)

    assert [record.position for record, _ in journal.read()] == [1, 2, 3, 4]


@given(cut=st.integers(min_value=1, max_value=150))
def test_a_torn_tail_is_cut_kept_and_the_rest_goes_on(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    folder = tmp_path_factory.mktemp("journal")
    journal = FileJournal(folder, segment_bytes=BIG)
    lines = fill(journal, 3)
    whole = active(folder).read_bytes()
    active(folder).write_bytes(whole[:-cut])
    left = 2 if cut <= len(lines[2]) + 1 else 1

    torn = journal.cut_torn_tail()
    fill(journal, 1)

    kept = [path.read_bytes() for path in folder.iterdir() if path.name.startswith("torn-")]
    assert b"".join(kept) == (torn.data if torn else b"")
    assert left + 1 == len(list(journal.read()))


def test_garbage_behind_the_last_record_is_torn(tmp_path: Path, journal: FileJournal) -> None:
    fill(journal, 2)
    with active(tmp_path).open("ab") as file:
        file.write(b"\x00\x00garbage\n")

    assert journal.head()[0] == 2
    assert [record.position for record, _ in journal.read()] == [1, 2]
    torn = journal.cut_torn_tail()

    assert torn is not None
    assert torn.data == b"\x00\x00garbage\n"


@pytest.mark.parametrize("sealed", [False, True])
def test_a_changed_byte_in_the_middle_is_damage_that_is_named(tmp_path: Path, sealed: bool) -> None:
    journal = FileJournal(tmp_path, segment_bytes=600 if sealed else BIG)
    fill(journal, 12)
    path = sorted(tmp_path.iterdir())[0]
    data = gzip.decompress(path.read_bytes()) if sealed else path.read_bytes()
    broken = data.replace(b'"x0"', b'"y0"', 1)
    path.write_bytes(gzip.compress(broken) if sealed else broken)

    with pytest.raises(DamagedJournalError, match="checksum"):
        list(journal.read())


def test_a_record_taken_out_breaks_the_chain(tmp_path: Path, journal: FileJournal) -> None:
    fill(journal, 4)
    lines = active(tmp_path).read_bytes().splitlines(keepends=True)
    active(tmp_path).write_bytes(b"".join([lines[0], *lines[2:]]))

    with pytest.raises(DamagedJournalError, match="position 2"):
        list(journal.read())


def test_lines_that_are_known_elsewhere_are_put_back(tmp_path: Path, journal: FileJournal) -> None:
    known = list(enumerate(fill(journal, 5), 1))
    active(tmp_path).write_bytes(active(tmp_path).read_bytes()[:-1200])

    restored = journal.repair([line for _, line in known])

    assert restored > 0
    assert [line for _, line in known] == [line for _, line in journal.read()]


def test_damage_in_the_middle_is_set_aside_and_mended_from_what_is_known(tmp_path: Path, journal: FileJournal) -> None:
    known = fill(journal, 6)
    active(tmp_path).write_bytes(active(tmp_path).read_bytes().replace(b'"x2"', b'"y2"', 1))

    assert journal.repair(known[2:4]) == 1

    assert len(list(journal.read())) == 6
    assert any(path.name.startswith("damaged-") for path in tmp_path.iterdir())


def test_foreign_lines_are_never_put_back(tmp_path: Path, journal: FileJournal) -> None:
    fill(journal, 2)
    other = FileJournal(tmp_path / "other", segment_bytes=BIG)
    (tmp_path / "other").mkdir()
    foreign = list(enumerate(fill(other, 3, text="z"), 1))

    assert journal.restore_lines(foreign) == 0


def test_files_of_the_journal_are_for_the_owner_only(tmp_path: Path, journal: FileJournal) -> None:
    fill(journal, 1)

    assert active(tmp_path).stat().st_mode & 0o777 == 0o600
