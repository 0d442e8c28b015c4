"""Folders below a root, reached and made from open handles without ever following a link: nothing is written outside.

The counterpart of `safe_files`, which reads.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from pathlib import PurePosixPath

from engram.base.disk.open_flags import CLOEXEC
from engram.base.disk.open_flags import DIRECTORY
from engram.base.disk.open_flags import NOFOLLOW
from engram.errors import RefusedError
from engram.errors import link_refused

MODE = 0o700  # of every folder that is made: a memory is its owner's alone
_FOLDER = os.O_RDONLY | DIRECTORY | CLOEXEC


@contextlib.contextmanager
def inner_folder(root: Path, folder: Path, *, make: bool = False) -> Iterator[int]:
    """Yield a handle of a folder that is the root or lies below it; with `make` what is missing is made, durably.

    Raises RefusedError when a part of the way below the root is a link, or leads out of the root; FileNotFoundError;
    NotADirectoryError.
    """
    handle = os.open(root, _FOLDER)
    try:
        way = PurePosixPath()
        for part in _parts(root, folder):
            way = way / part
            inner = _entered(handle, way, make=make)
            os.close(handle)
            handle = inner
        yield handle
    finally:
        os.close(handle)


def refuse_link(path: Path, shown: str) -> None:
    """Raise RefusedError when the path is a link; `shown` is how people read it."""
    if os.path.islink(path):  # noqa: PTH114 - the same question, without building another Path
        raise link_refused(shown)


def _parts(root: Path, folder: Path) -> tuple[str, ...]:
    try:
        parts = folder.relative_to(root).parts
    except ValueError:
        parts = ("..",)
    if ".." in parts:
        raise RefusedError(f"{folder} lies outside of {root}", hint="name a place in the workspace")
    return parts


def _entered(outer: int, way: PurePosixPath, *, make: bool) -> int:
    """Return a handle of the folder `way` in the one that is held; made when it is missing and `make`."""
    try:
        return os.open(way.name, _FOLDER | NOFOLLOW, dir_fd=outer)
    except FileNotFoundError:
        if not make:
            raise
    except OSError as problem:
        raise _refusal(outer, way, problem) from problem
    with contextlib.suppress(FileExistsError):  # another process made it meanwhile
        os.mkdir(way.name, MODE, dir_fd=outer)
    os.fsync(outer)
    try:
        return os.open(way.name, _FOLDER | NOFOLLOW, dir_fd=outer)
    except OSError as problem:
        raise _refusal(outer, way, problem) from problem


def _refusal(outer: int, way: PurePosixPath, problem: OSError) -> Exception:
    """Return what to raise for a part of a way that is no folder."""
    if problem.errno in {errno.ELOOP, errno.ENOTDIR} and _is_link(outer, way.name):
        return link_refused(str(way))
    return OSError(problem.errno, problem.strerror, str(way))


def _is_link(outer: int, name: str) -> bool:
    return stat.S_ISLNK(os.stat(name, dir_fd=outer, follow_symlinks=False).st_mode)
