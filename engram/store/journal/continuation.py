"""How records continue a journal: the check before anything is appended, and the mending of a chain that is changed.

A writer that has not seen the newest record would else make a fork: two records of one position.
"""

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence

from engram.base.text import sha256_hex
from engram.errors import BehindError
from engram.model.changes.record import GENESIS
from engram.model.changes.record import Record
from engram.store.journal.line import encode_line


def continuing_lines(records: Sequence[Record], head: tuple[int, str]) -> list[bytes]:
    """Return the lines of records that continue a chain from its head; raise BehindError when they do not."""
    pairs = [(record, encode_line(record)) for record in records]
    require_continuation(pairs, head)
    return [line for _, line in pairs]


def require_continuation(pairs: Sequence[tuple[Record, bytes]], head: tuple[int, str]) -> None:
    """Raise BehindError when records, with the lines that stand for them, do not continue a chain from its head."""
    position, previous = head
    for record, line in pairs:
        if (record.position, record.previous) != (position + 1, previous):
            raise BehindError(
                f"record {record.position} does not continue the journal, which stands at position {position}",
                journal=position,
                record=record.position,
            )
        position, previous = record.position, sha256_hex(line)


def rechained_lines(
    found: Iterable[tuple[Record, bytes]], change: Callable[[Record], Record]
) -> Iterator[tuple[bytes, bool]]:
    """Yield each line as it will stand when every record is what `change` makes of it, and whether that changed it.

    Lines behind a changed one carry other hashes; they do not count as changed.
    """
    previous = GENESIS
    for record, line in found:
        kept = change(record)
        if kept is not record or record.previous != previous:
            line = encode_line(kept.model_copy(update={"previous": previous}))  # noqa: PLW2901 - as it will stand
        yield line, kept is not record
        previous = sha256_hex(line)
