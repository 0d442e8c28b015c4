"""A file that somebody names, opened to be read: one that has an end, and is not waited for. Light.

What is no ordinary file is told before it is opened: to open a pipe waits for whoever writes into it, and a device such
as /dev/zero can be read for ever. A pipe that somebody writes into is taken where it is read only once.
"""

import errno
import io
import os
import stat
import time
from typing import BinaryIO

from engram.base.disk.open_flags import CLOEXEC
from engram.base.disk.open_flags import NONBLOCK

MOST_BYTES = 1 << 30  # of one file that is read as a whole
_WRITER_S = 2.0  # waited for somebody to open a pipe for writing
_LOOKS_S = 0.02  # between two looks whether somebody has
_CHUNK = 1 << 16  # bytes that a pipe holds
_OPEN = os.O_RDONLY | CLOEXEC | NONBLOCK | getattr(os, "O_NOCTTY", 0)


def open_given(name: str | os.PathLike[str], *, takes_pipes: bool = True) -> io.BufferedReader:
    """Return a file that is named, open to be read.

    Raises OSError whose strerror says what is wrong with it: FileNotFoundError and its like, and EINVAL for a folder, a
    socket, a device, a pipe where none is taken, and a pipe that nobody writes into.
    """
    # A device may already do something when it is opened.
    _refuse(os.stat(name), takes_pipes=takes_pipes)  # noqa: PTH116 - pathlib is another import
    handle = os.open(name, _OPEN)
    try:
        found = os.fstat(handle)
        _refuse(found, takes_pipes=takes_pipes)  # as it may be another one by now
        if not stat.S_ISFIFO(found.st_mode):
            return os.fdopen(handle, "rb")
        first = _first_of_pipe(handle, has_name=not _is_nameless(found))
        os.set_blocking(handle, True)
        return io.BufferedReader(_Pipe(handle, first))
    except BaseException:
        os.close(handle)
        raise


def read_given(name: str | os.PathLike[str], *, most_bytes: int = MOST_BYTES) -> bytes:
    """Return the bytes of a file that somebody may have put something else in the place of.

    Raises OSError as `open_given` does, and EFBIG for one that is larger.
    """
    with open_given(name, takes_pipes=False) as file:
        data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise OSError(errno.EFBIG, f"it is larger than {most_bytes >> 20} MiB")
    return data


def refuse_endless(stream: BinaryIO) -> None:
    """Raise OSError, as `open_given` does, for a stream that the process was given and that has no end."""
    try:
        found = os.fstat(stream.fileno())
    except (OSError, ValueError):  # a stream in memory
        return
    if stat.S_ISBLK(found.st_mode) or (stat.S_ISCHR(found.st_mode) and not stream.isatty()):
        _refuse(found, takes_pipes=True)


def _refuse(found: os.stat_result, *, takes_pipes: bool) -> None:
    mode = found.st_mode
    if stat.S_ISREG(mode) or (takes_pipes and stat.S_ISFIFO(mode)) or _is_empty_device(found):
        return
    kinds = ((stat.S_ISDIR, "folder"), (stat.S_ISFIFO, "pipe"), (stat.S_ISSOCK, "socket"))
    kind = next((kind for is_it, kind in kinds if is_it(mode)), "device")
    raise OSError(errno.EINVAL, f"it is a {kind}, and no file")


def _is_empty_device(found: os.stat_result) -> bool:
    return stat.S_ISCHR(found.st_mode) and found.st_rdev == os.stat(os.devnull).st_rdev  # noqa: PTH116 - as above


def _is_nameless(found: os.stat_result) -> bool:
    """Tell whether a pipe was made by a shell, such as `<(zcat old.jsonl.gz)`: whoever writes into it is there."""
    ends = os.pipe()
    try:
        return os.fstat(ends[0]).st_dev == found.st_dev
    finally:
        os.close(ends[0])
        os.close(ends[1])


def _first_of_pipe(handle: int, *, has_name: bool) -> bytes:
    """Return what a pipe begins with, b"" when somebody is about to write into it; raise OSError where nobody is."""
    until = time.monotonic() + _WRITER_S
    while True:
        try:
            first = os.read(handle, _CHUNK)
        except BlockingIOError:  # somebody has it open, and wrote nothing yet
            return b""
        if first or not has_name:
            return first
        if time.monotonic() > until:
            raise OSError(errno.EINVAL, "it is a pipe that nobody writes into")
        time.sleep(_LOOKS_S)


class _Pipe(io.RawIOBase):
    """A pipe whose first bytes were read already."""

    def __init__(self, handle: int, first: bytes) -> None:
        self._handle = handle
        self._first = first

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._handle

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]  # the type of a buffer has no length before Python 3.12
        data = self._first[: len(buffer)] or os.read(self._handle, len(buffer))
        self._first = self._first[len(data) :]
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed:
            super().close()
            os.close(self._handle)
