"""The journal: the append-only truth."""

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple
from typing import Protocol

from engram.model.changes.record import GENESIS
from engram.model.changes.record import Record


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


class SharedHead(NamedTuple):
    """Where a shared journal stands."""

    position: int = 0  # of the last record
    head: str = GENESIS  # hash of its line
    generation: int = 0  # grows when the journal is written anew; 0: there is none
    is_open: bool = True  # False: it was moved elsewhere, and takes nothing more


class SharedJournal(Journal, Protocol):
    """A journal to which several machines append; each of them keeps a replica.

    Order and atomicity are those of `Journal`, over all machines; `append` is all or nothing, also over a connection
    that breaks. Errors besides: JournalAwayError when it cannot be reached; after `append` nobody knows then whether
    the records are there, and reading tells; JournalClosedError from `append` when it is closed. Limits: one machine
    decides at a time, under `hold`.
    """

    fence: int | None
    """Number of the fleet's lease under which is appended; a later one makes `append` raise LeaseLostError."""

    def standing(self) -> SharedHead:
        """Return where it stands."""
        ...

    def hash_at(self, position: int) -> str | None:
        """Return the hash of the line at a position; None when it does not reach it."""
        ...

    def append_lines(self, pairs: Sequence[tuple[Record, bytes]]) -> None:
        """Append records with the very lines that stand for them, which an earlier version may have written."""
        ...

    def hold(self, wait_s: float) -> AbstractContextManager[None]:
        """Keep the other machines from deciding; raise StoreBusyError when they do not make room in time."""
        ...

    def rewrite(self, change: Callable[[Record], Record]) -> int:
        """Replace every record by what `change` makes of it and mend the chain: all of it or nothing.

        Returns how many are not as they were; when there are some, the generation grows.
        """
        ...

    def set_open(self, *, is_open: bool) -> None:
        """Let it take records, or no more of them: it has moved elsewhere."""
        ...
