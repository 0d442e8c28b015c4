"""Files written so that a reader sees the old or the new content, never half of one."""

import contextlib
import errno
import os
from pathlib import Path

from engram.base.faults import fault_point
from engram.base.ids import new_id

TEMPORARY = ".tmp-"  # begins the name of a file that is being written


def write_durably(path: Path, content: bytes, *, mode: int = 0o600) -> None:
    """Write the file under a temporary name, flush it to the disk, rename it into place, flush the folder.

    When this returns, the content survives a crash of the machine. A crash before that leaves the old file
    and at most one `.tmp-*` beside it.
    """
    _replace(path, content, mode=mode, durable=True)


def write_atomically(path: Path, content: bytes, *, mode: int = 0o644) -> None:
    """Write the file by rename but without waiting for the disk: for what can be made again."""
    _replace(path, content, mode=mode, durable=False)


def append(handle: int, data: bytes) -> None:
    """Write to the end of an open file and flush it to the disk: all of it, or nothing.

    Whoever calls holds the file for itself. When a write stops short or the disk does not take it, the file is cut back
    to what it was, so that nothing is ever appended behind bytes that may not be there after a crash.
    """
    size = os.lseek(handle, 0, os.SEEK_END)
    try:
        write_all(handle, data)
        os.fsync(handle)
    except BaseException:
        os.ftruncate(handle, size)
        with contextlib.suppress(OSError):  # what stays of the disk's trouble is the error below
            os.fsync(handle)
        raise


def write_all(handle: int, data: bytes) -> None:
    """Write all of the data: a single call may stop short."""
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def make_folder(folder: Path, *, mode: int = 0o777) -> None:
    """Make a folder that is missing, and those above it, so that they survive a crash of the machine.

    The mode is that of the folder; those above it get the usual one.
    """
    if folder.is_dir():
        return
    make_folder(folder.parent)
    try:
        folder.mkdir(mode, exist_ok=True)
    except FileExistsError:  # a file: what is to lie below it has no folder
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder)) from None
    fsync_folder(folder.parent)


def fsync_folder(folder: Path) -> None:
    """Flush a folder's entries to the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _replace(path: Path, content: bytes, *, mode: int, durable: bool) -> None:
    temporary = path.with_name(f"{TEMPORARY}{new_id()}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(content)
            if durable:
                out.flush()
                os.fsync(out.fileno())
        fault_point("before-rename")
        os.replace(temporary, path)  # noqa: PTH105 - the same call, without building another Path
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    fault_point("after-rename")
    if durable:
        fsync_folder(path.parent)
