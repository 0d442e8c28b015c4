"""Files written so that a reader sees the old or the new content, never half of one."""

import contextlib
import errno
import os
from pathlib import Path

from engram.base.disk.faults import fault_point
from engram.base.disk.inner_folders import MODE
from engram.base.disk.inner_folders import inner_folder
from engram.base.disk.inner_folders import refuse_link
from engram.base.disk.open_flags import restrict
from engram.base.ids import new_id

_MODE = 0o600  # of a file of a memory, which is its owner's alone
TEMPORARY = ".tmp-"  # begins the name of a file that is being written


def write_durably(path: Path, content: bytes, *, mode: int = _MODE, root: Path | None = None) -> None:
    """Write the file under a temporary name, flush it to the disk, rename it into place, flush the folder.

    When this returns, the content survives a crash of the machine. A crash before that leaves the old file
    and at most one `.tmp-*` beside it. With `root` the folder is reached from there without following links, and
    RefusedError is raised for one.
    """
    _replace(path, content, mode=mode, durable=True, root=root)


def write_atomically(path: Path, content: bytes, *, mode: int = _MODE, root: Path | None = None) -> None:
    """Write the file by rename but without waiting for the disk: for what can be made again. `root` as above."""
    _replace(path, content, mode=mode, durable=False, root=root)


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


def make_folder(folder: Path, *, root: Path | None = None) -> None:
    """Make a folder that is missing, and those above it, so that they survive a crash of the machine.

    Only their owner may look into them. Raises RefusedError when a link stands there, with `root` also when one stands
    on the way from it.
    """
    if root is not None:
        with inner_folder(root, folder, make=True):
            return
    refuse_link(folder, str(folder))
    if folder.is_dir():
        return
    _make_folder(folder)


def _make_folder(folder: Path) -> None:
    if folder.is_dir():
        return
    _make_folder(folder.parent)
    try:
        folder.mkdir(MODE, exist_ok=True)
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


def _replace(path: Path, content: bytes, *, mode: int, durable: bool, root: Path | None) -> None:
    if root is None:
        _replace_in(None, path.parent, path.name, content, mode=mode, durable=durable)
        return
    with inner_folder(root, path.parent) as folder:
        _replace_in(folder, Path(), path.name, content, mode=mode, durable=durable)


def _replace_in(folder: int | None, way: Path, name: str, content: bytes, *, mode: int, durable: bool) -> None:
    """Replace the file that the name has in a folder: the one that is held, else the one that the way leads to."""
    path, temporary = way / name, way / f"{TEMPORARY}{new_id()}"
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode, dir_fd=folder)
    try:
        with os.fdopen(handle, "wb") as out:
            restrict(out.fileno(), mode)  # also where the process takes rights away from every file
            out.write(content)
            if durable:
                out.flush()
                os.fsync(out.fileno())
        fault_point("before-rename")
        os.replace(temporary, path, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary, dir_fd=folder)
        raise
    fault_point("after-rename")
    if not durable:
        return
    if folder is None:
        fsync_folder(path.parent)
    else:
        os.fsync(folder)
