"""The journal: the append-only truth."""

from collections.abc import Iterator
from collections.abc import Sequence
from typing import Protocol

from engram.model.changes.change import Record


class Journal(Protocol):
    """Records in order of position, each chained to the one before it by hash.

    Order: positions count from 1 without gaps. Atomicity: `append` makes all its records durable or, after a crash,
    a prefix of them; a record is never there in part. Errors: DamagedJournalError where the chain does not hold,
    BehindError for records that do not continue it. Limits: one appender at a time, under the store lock; readers need
    no lock.
    """

    def head(self) -> tuple[int, str]:
        """Return the position and hash of the last record; (0, 64 zeros) when there is none."""
        ...

    def encode(self, record: Record) -> bytes:
        """Return the line of a record as `append` writes it, for the hash that the next record carries."""
        ...

    def append(self, records: Sequence[Record]) -> list[bytes]:
        """Append records that continue the chain, flush them to the disk, return the written lines.

        Raises BehindError, and appends nothing, when they do not: another has appended, or they were made wrongly.
        """
        ...

    def read(self, after: int = 0) -> Iterator[tuple[Record, bytes]]:
        """Yield (record, line) with position > after, checking CRC and chain on the way."""
        ...
