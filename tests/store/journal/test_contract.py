"""The contract of the journal, on files and on the in-memory double of other tests."""

from pathlib import Path

import pytest

from engram.config.encryption_state import FILE
from engram.ports.journal import Journal
from engram.store.journal import segments
from engram.store.journal.file_journal import FileJournal
from tests.store.encryption.making import make_encrypted
from tests.store.journal.contract import JournalContract
from tests.store.journal.memory_journal import MemoryJournal


class TestFileJournal(JournalContract):
    """Files: one segment that is appended to."""

    segment_bytes = 1 << 30

    @pytest.fixture(autouse=True)
    def _in_folder(self, tmp_path: Path) -> None:
        self.folder = tmp_path

    def reopen(self) -> Journal:
        return FileJournal(self.folder, segment_bytes=self.segment_bytes)

    def spoil(self, position: int, line: bytes) -> None:
        for path in segments.list_segments(self.folder):
            first = segments.first_position(path)
            lines = segments.content(path).split(b"\n")
            if first <= position < first + len(lines) - 1:
                lines[position - first] = line
                path.unlink()
                segments.segment_path(self.folder, first).write_bytes(b"\n".join(lines))


class TestSealedFileJournal(TestFileJournal):
    """Files: a segment is sealed after each record or two."""

    segment_bytes = 200


class TestEncryptedFileJournal(TestFileJournal):
    """Files of an encrypted store."""

    @pytest.fixture(autouse=True)
    def _in_folder(self, tmp_path: Path) -> None:
        self.folder = tmp_path / "state" / "journal"
        make_encrypted(tmp_path / "state" / FILE, tmp_path / "own.key")


class TestMemoryJournal(JournalContract):
    """The double."""

    @pytest.fixture(autouse=True)
    def _with_lines(self) -> None:
        self.lines: list[bytes] = []

    def reopen(self) -> Journal:
        return MemoryJournal(self.lines)

    def spoil(self, position: int, line: bytes) -> None:
        self.lines[position - 1] = line
