"""One line of the journal: `<crc32 of the JSON, 8 hexadecimal digits> <JSON>`, and what may be wrong with it.

Three things are told apart. A *torn* line is the rest of a write that a crash cut short: it was never acknowledged. A
*rotten* one was whole and has changed since. A *newer* one is whole, and a later version of Engram wrote it.
"""

import zlib
from typing import Any

from pydantic import ValidationError

from engram.base.json_values import load_json
from engram.errors import DamagedJournalError
from engram.errors import NewerFormatError
from engram.model.changes.record import RECORD_ADAPTER
from engram.model.changes.record import Record

_BODY = 9  # where the JSON begins


def encode_line(record: Record) -> bytes:
    """Return the line of a record, without the newline. Absent values are left out."""
    body = record.model_dump_json(exclude_none=True).encode()
    return f"{zlib.crc32(body):08x} ".encode() + body


def crc_holds(line: bytes) -> bool:
    """Tell whether the line is as it was written."""
    try:
        stated = int(line[:8], 16)
    except ValueError:
        return False
    return line[8:_BODY] == b" " and stated == zlib.crc32(line[_BODY:])


def is_torn(line: bytes) -> bool:
    """Tell whether a line whose CRC is wrong is the rest of a write that a crash cut short, and not a rotten record.

    A crash leaves zeros where a part of the write never reached the disk; rot leaves a line that still ends as one.
    """
    return b"\0" in line or not line.endswith(b"}")


def decode_line(line: bytes, name: str) -> Record:
    """Return the record of a line.

    Raises DamagedJournalError when the CRC is wrong, NewerFormatError when the line is whole and this version does not
    read it: what is written with a CRC was read back before it was acknowledged.
    """
    if not crc_holds(line):
        raise DamagedJournalError(f"{name} holds a line whose checksum is wrong", path=name)
    try:
        return RECORD_ADAPTER.validate_json(line[_BODY:])
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise NewerFormatError(
            f"{name} holds a record that was written by a newer Engram ({place}: {first['msg']})", path=name
        ) from problem


def place_of(line: bytes, name: str) -> tuple[int, str]:
    """Return (position, hash of the line before) of a whole line, also of one that a newer Engram wrote.

    Raises DamagedJournalError as `decode_line` does, and NewerFormatError when this version cannot tell.
    """
    if not crc_holds(line):
        raise DamagedJournalError(f"{name} holds a line whose checksum is wrong", path=name)
    try:
        found: Any = load_json(line[_BODY:])
        return int(found["position"]), str(found["previous"])
    except (ValueError, TypeError, KeyError, OverflowError) as problem:
        raise NewerFormatError(f"{name} holds a record that was written by a newer Engram", path=name) from problem
