"""What is remembered about a file that was captured, so that the next capture costs a look at it, or reads its tail.

A mark is a watermark of the consumer `capture`, kept in the same record of the journal as the turns it speaks of, so
neither can be there without the other. Before an offset is trusted, the bytes just before it are compared: a file that
was cut, replaced or written anew is read from its beginning, which adds nothing twice because ids are made of content.
"""

import json
import os
from typing import IO
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.base.text import sha256_hex
from engram.model.conversation import Watermark

CONSUMER: Final = "capture"

_TAIL_BYTES = 4096  # compared before an offset


class Mark(NamedTuple):
    """How far a file has been captured."""

    format: str
    session: str | None  # the one chosen with --session
    size: int  # of the file, in bytes, when it was opened
    mtime_ns: int
    offset: int  # behind the last line that is done with
    number: int  # of lines before it
    tail: str  # SHA-256 of the bytes before it
    turns: int  # read so far
    torn: bool  # the last line was still being written
    state: dict[str, str]  # what later lines need of earlier ones

    def is_of(self, status: os.stat_result) -> bool:
        """Tell whether the file has not changed since."""
        return (self.size, self.mtime_ns) == (status.st_size, status.st_mtime_ns)

    def fits(self, stream: IO[bytes]) -> bool:
        """Tell whether what stands before the offset is what stood there; leaves the stream at the offset."""
        return self.offset > 0 and tail_of(stream, self.offset) == self.tail

    def watermark(self, key: str) -> Watermark:
        """Return the mark as it is kept."""
        return Watermark(consumer=CONSUMER, key=key, value=json.dumps(self._asdict(), sort_keys=True))


def read_mark(value: str | None) -> Mark | None:
    """Return the mark that a watermark holds; None for none, or for one of another make."""
    try:
        fields: dict[str, Any] = json.loads(value or "null") or {}
        return Mark(**fields) if fields else None
    except (ValueError, TypeError):
        return None


def tail_of(stream: IO[bytes], offset: int) -> str:
    """Return the SHA-256 of the bytes before an offset, at most 4,096; leaves the stream at the offset."""
    begin = max(0, offset - _TAIL_BYTES)
    stream.seek(begin)
    return sha256_hex(stream.read(offset - begin))
