"""What `.engram/format` says: how new an Engram must be to read a store, and to write to it.

A store without the file is of format 1, as every Engram before 0.8 made them.
"""

import time
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from engram.base.disk.files import make_folder
from engram.base.disk.files import write_durably
from engram.base.disk.own_files import read_own
from engram.errors import DamagedStateError
from engram.errors import NewerFormatError
from engram.model.value import Value

KNOWN = 2  # the format that this version writes: 2 brought this file and the checksum of commands in the spool
ENCRYPTED = 3  # the format of a store that is encrypted, and the newest that this version knows


class StoreFormat(Value):
    """The format of a store."""

    v: Literal[1] = 1  # version of this file
    format: int = 1  # number of the newest format that was written here
    min_reader: int = 1  # number of the format that an Engram must know to read the store
    min_writer: int = 1  # the same, to write to it


def read_format(path: Path) -> StoreFormat:
    """Return the format of a store. Raises DamagedStateError when the file does not read."""
    try:
        return StoreFormat.model_validate_json(read_own(path))
    except FileNotFoundError:
        return StoreFormat()
    except ValidationError as problem:
        raise DamagedStateError(f"{path.name} does not read as the format of a store", path=path.name) from problem


def require_readable(path: Path) -> None:
    """Raise NewerFormatError when the store may not be read by this version; a damaged file says nothing."""
    try:
        least = read_format(path).min_reader
    except DamagedStateError:
        return  # every record says by itself whether it reads; doctor finds the file
    if least > ENCRYPTED:
        raise NewerFormatError(
            f"the store was written by a newer Engram: reading it takes format {least}, not {ENCRYPTED}"
        )


def require_writable(path: Path) -> StoreFormat:
    """Return the format of a store that this version may write to; raise NewerFormatError for another one."""
    found = read_format(path)
    least = max(found.min_reader, found.min_writer)
    if least > ENCRYPTED:
        raise NewerFormatError(
            f"the store was written by a newer Engram: writing takes format {least}, not {ENCRYPTED}"
        )
    return found


def prepare_to_write(path: Path) -> None:
    """Raise the store to our format, under its lock. Raises NewerFormatError when this version may not write to it."""
    found = require_writable(path)
    if found.format < KNOWN:
        write_format(path, found.model_copy(update={"format": KNOWN}))


def make_anew(path: Path) -> None:
    """Write a file that does not read anew, as it is for a store that this version can read; the old one is kept."""
    path.replace(path.with_name(f"{path.name}.damaged-{time.time_ns()}"))
    write_format(path, StoreFormat(format=KNOWN))


def note_encryption(path: Path, *, is_on: bool) -> None:
    """Keep every Engram out that knows no encryption, or let it in again."""
    number = ENCRYPTED if is_on else KNOWN
    least = ENCRYPTED if is_on else StoreFormat().min_reader
    found = require_writable(path)
    write_format(path, found.model_copy(update={"format": number, "min_reader": least, "min_writer": least}))


def write_format(path: Path, value: StoreFormat) -> None:
    """Write the file durably."""
    make_folder(path.parent)
    write_durably(path, value.model_dump_json().encode() + b"\n")
