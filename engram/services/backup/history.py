"""Whether two places know one history: the hash of a record's line covers every record before it."""

import datetime as dt
import re
from typing import NamedTuple

from engram.base.text import sha256_hex
from engram.errors import BadValueError
from engram.model.changes.record import GENESIS
from engram.ports.journal import Journal

_HEAD = re.compile(r"(?:(\d+):)?([0-9a-f]{16,64})")  # 16 digits are enough to tell any two apart


class NotedHead(NamedTuple):
    """A head as somebody noted it down."""

    position: int | None  # None: not noted
    digits: str  # the first of its hash, or all


def head_text(position: int, head: str) -> str:
    """Return a head of the journal as people note it down, and as `engram verify --expect` takes it."""
    return f"{position}:{head}"


def parse_head(text: str) -> NotedHead:
    """Return the head that a text is; raise BadValueError for what is none."""
    found = _HEAD.fullmatch(text.strip().casefold())
    if found is None:
        raise BadValueError(f"{text!r} is no head of a journal", hint="as engram backup prints it: POSITION:HASH")
    return NotedHead(int(found[1]) if found[1] else None, found[2])


def find_head(journal: Journal, noted: NotedHead) -> int | None:
    """Return the position at which the journal has that head; None when it has it nowhere."""
    if noted.position is not None:
        return noted.position if (find_hash(journal, noted.position) or "").startswith(noted.digits) else None
    lines = ((record.position, sha256_hex(line)) for record, line in journal.read())
    return next((position for position, found in lines if found.startswith(noted.digits)), None)


def find_hash(journal: Journal, position: int) -> str | None:
    """Return the hash of the line at a position; None when the journal does not reach it."""
    head, head_hash = journal.head()
    if position >= head:
        return head_hash if position == head else None
    if position == 0:
        return GENESIS
    return sha256_hex(next(journal.read(after=position - 1))[1])


def require_chain(journal: Journal, after: int) -> None:
    """Read the records after a position; raise DamagedJournalError where one does not follow the one before it."""
    for _ in journal.read(after=max(after - 1, 0)):
        pass


def position_at(journal: Journal, at: dt.datetime) -> int:
    """Return the position of the last record that was decided at an instant or before it; 0 when there is none.

    One reading of a clock that was wrong does not cut off what came after it.
    """
    return max((record.position for record, _ in journal.read() if record.at <= at), default=0)
