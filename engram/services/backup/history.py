"""Whether two places know one history: the hash of a record's line covers every record before it."""

import datetime as dt

from engram.model.change import GENESIS
from engram.ports.journal import Journal


def find_hash(journal: Journal, position: int) -> str | None:
    """Return the hash of the line at a position, as the chain says it; None when the journal does not reach it."""
    head, head_hash = journal.head()
    if position >= head:
        return head_hash if position == head else None
    if position == 0:
        return GENESIS
    return next(journal.read(after=position))[0].previous


def position_at(journal: Journal, at: dt.datetime) -> int:
    """Return the position of the last record that was decided at an instant or before it; 0 when there is none.

    One reading of a clock that was wrong does not cut off what came after it.
    """
    return max((record.position for record, _ in journal.read() if record.at <= at), default=0)
