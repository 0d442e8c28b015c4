"""A file of a workspace's or a person's own, opened so that nothing else in its place is waited for. Light.

To open a pipe waits for somebody at its other end. A pipe, a folder, a socket or a device in the place of a file is
therefore opened without waiting, and refused in one sentence.
"""

import errno
import io
import os
import stat
from typing import IO

from engram.base.disk.open_flags import CLOEXEC
from engram.base.disk.open_flags import NONBLOCK
from engram.errors import NoFileError

_NO_FILE = (errno.EISDIR, errno.ENXIO)  # what the system says of a folder that is to be written, and of a socket


def open_own(path: str | os.PathLike[str], flags: int = os.O_RDONLY, mode: int = 0o600) -> int:
    """Return a handle of a file, opened with the flags.

    Raises NoFileError, which is an OSError, where something else stands in its place, and any other OSError of `open`.
    """
    try:
        handle = os.open(path, flags | NONBLOCK | CLOEXEC, mode)
    except OSError as problem:
        if problem.errno in _NO_FILE:
            raise NoFileError(path) from problem
        raise
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return handle
    os.close(handle)
    raise NoFileError(path)


def open_own_bytes(path: str | os.PathLike[str]) -> io.BufferedReader:
    """Return a file open to be read as bytes; raises what `open_own` does."""
    return os.fdopen(open_own(path), "rb")


def read_own(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a file; raises what `open_own` does."""
    with open_own_bytes(path) as file:
        return file.read()


def read_own_text(path: str | os.PathLike[str], *, errors: str = "strict") -> str:
    """Return the text of a file in UTF-8; raises what `open_own` does, and UnicodeDecodeError."""
    file: IO[str]
    with os.fdopen(open_own(path), encoding="utf-8", errors=errors) as file:
        return file.read()
