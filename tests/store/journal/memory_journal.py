"""A journal that lies in a list: the double for tests that need one and no disk."""

from collections.abc import Iterator
from collections.abc import Sequence

from engram.base.text import sha256_hex
from engram.errors import DamagedJournalError
from engram.model.changes.record import GENESIS
from engram.model.changes.record import Record
from engram.store.journal.continuation import continuing_lines
from engram.store.journal.line import decode_line
from engram.store.journal.line import encode_line


class MemoryJournal:
    """`ports.journal.Journal` over a list of lines, which several may share."""

    def __init__(self, lines: list[bytes]) -> None:
        """Take the lines that are there."""
        self._lines = lines

    def head(self) -> tuple[int, str]:
        """See the port."""
        return (len(self._lines), sha256_hex(self._lines[-1])) if self._lines else (0, GENESIS)

    def encode(self, record: Record) -> bytes:
        """See the port."""
        return encode_line(record)

    def append(self, records: Sequence[Record]) -> list[bytes]:
        """See the port."""
        lines = continuing_lines(records, self.head())
        self._lines += lines
        return lines

    def read(self, after: int = 0) -> Iterator[tuple[Record, bytes]]:
        """See the port."""
        previous = sha256_hex(self._lines[after - 1]) if after else GENESIS
        for position, line in enumerate(self._lines[after:], after + 1):
            record = decode_line(line, "memory")
            if (record.position, record.previous) != (position, previous):
                raise DamagedJournalError(f"the chain of the journal breaks at position {position}")
            yield record, line
            previous = sha256_hex(line)
