"""A damaged journal is put together again from every whole line there is, and never made smaller."""

import gzip
import json
import zlib
from pathlib import Path

import pytest

from engram.base.text import sha256_hex
from engram.errors import DamagedJournalError
from engram.errors import NewerFormatError
from engram.store.journal.file_journal import FileJournal
from tests.store.journal.test_file_journal import BIG
from tests.store.journal.test_file_journal import active
from tests.store.journal.test_file_journal import fill


def sealed_journal(folder: Path) -> tuple[FileJournal, list[bytes]]:
    """A journal of several segments, the first ones sealed, and its lines."""
    journal = FileJournal(folder, segment_bytes=600)
    lines = fill(journal, 12)
    assert sorted(folder.iterdir())[0].name.endswith(".gz")
    return journal, lines


def read_lines(journal: FileJournal) -> list[bytes]:
    return [line for _, line in journal.read()]


def newer_line(after: bytes, position: int, **fields: object) -> bytes:
    """A line as a version to come may write it."""
    record = {"v": 1, "position": position, "previous": sha256_hex(after), "at": "2026-01-01T00:00:00Z"}
    body = json.dumps({**record, **fields}).encode()
    return f"{zlib.crc32(body):08x} ".encode() + body


@pytest.mark.parametrize("how", ["deleted", "empty"])
def test_reading_begins_at_position_1_and_an_empty_sealed_segment_is_damage(tmp_path: Path, how: str) -> None:
    journal, lines = sealed_journal(tmp_path)
    first = sorted(tmp_path.iterdir())[0]
    if how == "deleted":
        first.unlink()
    else:
        first.write_bytes(b"")

    with pytest.raises(DamagedJournalError):
        read_lines(journal)

    assert journal.repair(lines) > 0
    assert read_lines(journal) == lines


def test_a_sealed_segment_in_the_middle_that_is_empty_is_damage(tmp_path: Path) -> None:
    journal, lines = sealed_journal(tmp_path)
    sorted(tmp_path.iterdir())[1].write_bytes(gzip.compress(b""))

    with pytest.raises(DamagedJournalError):
        read_lines(journal)
    with pytest.raises(DamagedJournalError):
        journal.repair(lines[:2])
    assert journal.repair(lines) > 0
    assert read_lines(journal) == lines


def test_a_sealed_segment_at_the_end_that_is_empty_is_damage_at_the_head_as_well(tmp_path: Path) -> None:
    journal, _ = sealed_journal(tmp_path)
    last = sorted(tmp_path.iterdir())[-1]
    last.rename(last.with_name(last.name + ".gz")).write_bytes(b"")

    with pytest.raises(DamagedJournalError):
        journal.head()


def test_repair_is_refused_when_a_known_line_would_go(tmp_path: Path) -> None:
    journal, _ = sealed_journal(tmp_path)
    sorted(tmp_path.iterdir())[0].unlink()
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    with pytest.raises(DamagedJournalError, match="known records would no longer be"):
        journal.repair()

    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_repair_is_refused_when_nobody_knows_a_record_that_was_there(tmp_path: Path) -> None:
    journal = FileJournal(tmp_path, segment_bytes=BIG)
    lines = fill(journal, 3)
    active(tmp_path).write_bytes(active(tmp_path).read_bytes().replace(b'"x2"', b'"y2"'))
    before = active(tmp_path).read_bytes()

    with pytest.raises(DamagedJournalError, match="position 3 does not read"):
        journal.repair(lines[:2])

    assert active(tmp_path).read_bytes() == before
    assert journal.repair(lines) == 1


def test_rot_of_the_last_line_is_not_taken_for_a_torn_write(tmp_path: Path) -> None:
    journal = FileJournal(tmp_path, segment_bytes=BIG)
    fill(journal, 3)
    active(tmp_path).write_bytes(active(tmp_path).read_bytes().replace(b'"x2"', b'"y2"'))

    assert journal.torn_tail() is None
    assert journal.cut_torn_tail() is None
    with pytest.raises(DamagedJournalError, match="checksum"):
        read_lines(journal)


@pytest.mark.parametrize("fields", [{"v": 2}, {"signature": "abc"}, {"decisions": [{"kind": "unheard of"}]}])
def test_what_a_newer_version_wrote_is_told_as_that_and_never_cut(tmp_path: Path, fields: dict[str, object]) -> None:
    journal = FileJournal(tmp_path, segment_bytes=BIG)
    lines = fill(journal, 3)
    newer = newer_line(lines[-1], 4, **fields)
    with active(tmp_path).open("ab") as file:
        file.write(newer + b"\n")

    with pytest.raises(NewerFormatError, match="written by a newer Engram"):
        read_lines(journal)

    assert journal.head() == (4, sha256_hex(newer))
    assert journal.torn_tail() is None
    assert journal.repair(lines) == 0
    assert active(tmp_path).read_bytes().endswith(newer + b"\n")


def test_damage_before_a_newer_record_is_mended_around_it(tmp_path: Path) -> None:
    journal = FileJournal(tmp_path, segment_bytes=BIG)
    lines = fill(journal, 3)
    newer = newer_line(lines[-1], 4, signature="abc")
    broken = active(tmp_path).read_bytes().replace(b'"x1"', b'"y1"')
    active(tmp_path).write_bytes(broken + newer + b"\n")

    assert journal.repair(lines) == 1

    assert active(tmp_path).read_bytes() == b"".join(line + b"\n" for line in [*lines, newer])


def test_lines_of_an_earlier_repair_that_were_set_aside_are_put_back(tmp_path: Path) -> None:
    journal, lines = sealed_journal(tmp_path)
    first = sorted(tmp_path.iterdir())[0]
    first.rename(first.with_name(f"damaged-{first.name}"))

    assert journal.repair() > 0

    assert read_lines(journal) == lines


def test_what_is_left_of_a_sealed_segment_is_used(tmp_path: Path) -> None:
    journal, lines = sealed_journal(tmp_path)
    first = sorted(tmp_path.iterdir())[0]
    first.write_bytes(first.read_bytes()[:-8] + b"\0" * 8)  # only the sum at its end is wrong

    with pytest.raises(DamagedJournalError):
        read_lines(journal)
    journal.repair()

    assert read_lines(journal) == lines


def test_a_sound_journal_is_left_as_it_is(tmp_path: Path) -> None:
    journal, lines = sealed_journal(tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    assert journal.repair(lines) == 0

    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
