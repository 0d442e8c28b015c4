"""Whether records continue a journal: the check before anything is appended, the same for every journal.

A writer that has not seen the newest record would else make a fork: two records of one position.
"""

from collections.abc import Sequence

from engram.base.text import sha256_hex
from engram.errors import BehindError
from engram.model.changes.change import Record
from engram.store.journal.line import encode_line


def continuing_lines(records: Sequence[Record], head: tuple[int, str]) -> list[bytes]:
    """Return the lines of records that continue a chain from its head; raise BehindError when they do not."""
    position, previous = head
    lines: list[bytes] = []
    for record in records:
        if (record.position, record.previous) != (position + 1, previous):
            raise BehindError(
                f"record {record.position} does not continue the journal, which stands at position {position}",
                journal=position,
                record=record.position,
            )
        lines.append(encode_line(record))
        position, previous = record.position, sha256_hex(lines[-1])
    return lines
