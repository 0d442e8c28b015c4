"""Files below a folder, listed and read without ever following a link: nothing outside can be reached, at any moment.

A path is walked folder by folder from an open handle, so a folder that becomes a link between the listing and the
reading is refused and not followed.
"""

import errno
import os
import stat
from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path

from engram.base.disk.open_flags import CLOEXEC
from engram.base.disk.open_flags import DIRECTORY
from engram.base.disk.open_flags import NOFOLLOW
from engram.base.disk.open_flags import NONBLOCK

MAX_READ_BYTES = 64 * 1024 * 1024  # of one file; what is larger is no note
_TRIES = 3  # to read a file that is being written to
_OPEN = os.O_RDONLY | CLOEXEC | NOFOLLOW
_Tell = Callable[[str, OSError], None]  # path relative to the root, and what is wrong with it


class StillWrittenError(OSError):
    """A file grew or changed each time that it was read."""


def iter_files(root: Path, folder: str, tell: _Tell = lambda _path, _problem: None) -> Iterator[str]:
    """Yield the regular files below a folder of the root, as paths relative to the root, in the order of their paths.

    Hidden folders are left out, hidden files are not, and links are neither followed nor listed. A link that leads out
    of the root, a folder that is one, and a folder that cannot be read are told.
    """
    try:
        listed = _list_folder(root / folder)
    except OSError as problem:
        if problem.errno != errno.ENOENT:
            tell(folder, problem)
        return
    for entry in listed:
        path = f"{folder}/{entry.name}"
        if entry.is_symlink():
            if not _is_within(root, path):
                tell(path, OSError(errno.ELOOP, "it is a link out of the workspace"))
        elif entry.is_file(follow_symlinks=False):
            yield path
    for entry in listed:
        if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
            yield from iter_files(root, f"{folder}/{entry.name}", tell)


def _list_folder(folder: Path) -> list[os.DirEntry[str]]:
    if folder.is_symlink():
        raise OSError(errno.ELOOP, "it is a link")
    with os.scandir(folder) as entries:
        return sorted(entries, key=lambda entry: entry.name)


def read_within(root: Path, path: str, *, most_bytes: int = MAX_READ_BYTES, at_rest: bool = True) -> bytes:
    """Return the bytes of a regular file below the root: all of one moment, or if not `at_rest` as they are read.

    Raises OSError: FileNotFoundError, PermissionError, ELOOP or ENOTDIR when a part of the path is a link, EINVAL when
    it is no regular file or the path leaves the root, EFBIG when it is too large, StillWrittenError when it does not
    come to rest.
    """
    handle = open_within(root, path)
    try:
        return _read_at_rest(handle, most_bytes, _TRIES if at_rest else 0)
    finally:
        os.close(handle)


def open_within(root: Path, path: str) -> int:
    """Return a handle of a file below the root, to read; no part of the path is followed where it is a link.

    Raises OSError as `read_within` does, except that what is opened may be no regular file.
    """
    parts = path.split("/")
    if path.startswith("/") or not {"", ".", ".."}.isdisjoint(parts):
        raise OSError(errno.EINVAL, "it is no path within the workspace")
    folder = os.open(root, os.O_RDONLY | DIRECTORY | CLOEXEC)
    try:
        for part in parts[:-1]:
            inner = os.open(part, _OPEN | DIRECTORY, dir_fd=folder)
            os.close(folder)
            folder = inner
        # Without waiting: what was a file a moment ago may be a pipe that nobody writes to.
        return os.open(parts[-1], _OPEN | NONBLOCK, dir_fd=folder)
    finally:
        os.close(folder)


def _read_at_rest(handle: int, most_bytes: int, tries: int) -> bytes:
    """Return the bytes of a file that did not change meanwhile; without tries, those that it has."""
    for _ in range(tries or 1):
        before = os.fstat(handle)
        if not stat.S_ISREG(before.st_mode):
            raise OSError(errno.EINVAL, "it is no regular file")
        if before.st_size > most_bytes:
            raise OSError(errno.EFBIG, f"it is larger than {most_bytes >> 20} MiB")
        if not tries:
            return _read_all(handle, most_bytes)
        data = _read_all(handle, before.st_size + 1)
        after = os.fstat(handle)
        if len(data) == after.st_size == before.st_size and after.st_mtime_ns == before.st_mtime_ns:
            return data
    raise StillWrittenError(errno.EAGAIN, "it is being written to")


def _read_all(handle: int, most: int) -> bytes:
    os.lseek(handle, 0, os.SEEK_SET)
    parts = []
    while most > 0 and (part := os.read(handle, most)):
        parts.append(part)
        most -= len(part)
    return b"".join(parts)


def _is_within(root: Path, path: str) -> bool:
    return Path(os.path.realpath(root / path)).is_relative_to(os.path.realpath(root))
