"""A file under its own lock: the one that has the name, not one that was replaced while its lock was waited for."""

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from engram.base.disk.handle_locks import lock_handle
from engram.base.disk.inner_folders import inner_folder
from engram.base.disk.open_flags import NOFOLLOW
from engram.base.disk.open_flags import NONBLOCK
from engram.errors import RefusedError
from engram.errors import link_refused

APPEND: Final = os.O_RDWR | os.O_CREAT | os.O_APPEND
READ: Final = os.O_RDONLY


@contextlib.contextmanager
def locked_file(path: Path, flags: int = READ, *, root: Path | None = None) -> Iterator[int]:
    """Yield a handle of the file, which nobody else holds; others wait. A file that is made is its owner's alone.

    Who replaces a file holds the old one meanwhile. Who waited for that one then holds a file without a name, and what
    is written into it is gone: so it is opened again. With `root` no link is followed on the way from there, the file
    included. Raises RefusedError for one and for what is no regular file, FileNotFoundError, and whatever else opening
    raises.
    """
    with contextlib.nullcontext() if root is None else inner_folder(root, path.parent) as folder:
        name = path if root is None else Path(path.name)
        while True:
            try:
                # Without waiting: what should be a file may be a pipe that nobody writes to.
                handle = os.open(name, flags | NONBLOCK | (0 if root is None else NOFOLLOW), 0o600, dir_fd=folder)
            except OSError as problem:
                if root is not None and problem.errno == errno.ELOOP:
                    raise link_refused(path.relative_to(root).as_posix()) from problem
                if problem.errno in {errno.EISDIR, errno.ENXIO}:  # a folder, a socket
                    raise _no_file(path, root) from problem
                raise
            try:
                if not stat.S_ISREG(os.fstat(handle).st_mode):
                    raise _no_file(path, root)
                lock_handle(handle)  # let go of when the handle is closed
                if _has_name(handle, name, folder):
                    yield handle
                    return
            finally:
                os.close(handle)


def _no_file(path: Path, root: Path | None) -> RefusedError:
    shown = path.name if root is None else path.relative_to(root).as_posix()
    return RefusedError(f"{shown} is no file", hint=f"take {shown} away: a file is made in its place")


def _has_name(handle: int, name: Path, folder: int | None) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.stat(name, dir_fd=folder))
    except FileNotFoundError:
        return False
