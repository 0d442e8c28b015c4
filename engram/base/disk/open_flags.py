"""Flags of `os.open` that not every system has: 0 where there is none, so that files are opened without it."""

import os
from typing import Final

NOFOLLOW: Final[int] = getattr(os, "O_NOFOLLOW", 0)
"""Refuse a link."""
DIRECTORY: Final[int] = getattr(os, "O_DIRECTORY", 0)
"""Refuse what is no folder."""
NONBLOCK: Final[int] = getattr(os, "O_NONBLOCK", 0)
"""Do not wait for whoever writes into a pipe."""
CLOEXEC: Final[int] = getattr(os, "O_CLOEXEC", getattr(os, "O_NOINHERIT", 0)) | getattr(os, "O_BINARY", 0)
"""Keep the handle from children; where a system tells text from bytes, these are bytes."""


def restrict(handle: int, mode: int) -> None:
    """Give an open file these rights, where a system has such rights of files."""
    if hasattr(os, "fchmod"):
        os.fchmod(handle, mode)


def read_at(handle: int, length: int, offset: int) -> bytes:
    """Return bytes of an open file from an offset on; where the system can, without moving its place."""
    if hasattr(os, "pread"):
        return os.pread(handle, length, offset)
    os.lseek(handle, offset, os.SEEK_SET)
    return os.read(handle, length)


def write_at(handle: int, data: bytes, offset: int) -> int:
    """Write bytes into an open file at an offset and return how many; where the system can, in one call."""
    if hasattr(os, "pwrite"):
        return os.pwrite(handle, data, offset)
    os.lseek(handle, offset, os.SEEK_SET)
    return os.write(handle, data)
