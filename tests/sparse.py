"""Folders copied with their holes: the files of a new index are 139 MB long, hold 19 MB, and most of that is zeros.

What is nothing but zeros becomes a hole as well: it reads the same, and costs a quarter of the time.
"""

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

_PIECE = 1 << 14  # bytes, looked at together
_ZEROS = bytes(_PIECE)


def copy_folder(source: Path, target: Path) -> Path:
    """Copy a folder, into one that is there as well, and return the target."""
    return shutil.copytree(source, target, copy_function=_copy_file, dirs_exist_ok=True)


def parts_of(file: Path) -> Iterator[bytes]:
    """Yield what a file holds between its holes."""
    held = os.open(file, os.O_RDONLY)
    try:
        for at, end in _spans(held):
            yield os.pread(held, end - at, at)
    finally:
        os.close(held)


def _copy_file(source: str, target: str) -> str:
    """Copy what a file holds; what it does not hold stays a hole."""
    old = os.open(source, os.O_RDONLY)
    new = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        told = os.fstat(old)
        os.ftruncate(new, told.st_size)
        for at, end in _spans(old):
            _copy_piece_by_piece(old, new, at, end)
        os.fchmod(new, stat.S_IMODE(told.st_mode))
        os.utime(new, ns=(told.st_atime_ns, told.st_mtime_ns))
    finally:
        os.close(old)
        os.close(new)
    return target


def _spans(file: int) -> Iterator[tuple[int, int]]:
    """Yield from where to where a file holds something, where the system tells holes; all of it where it does not."""
    size, at = os.fstat(file).st_size, 0
    while at < size:
        try:
            at = os.lseek(file, at, os.SEEK_DATA)
        except OSError as problem:
            if problem.errno != errno.ENXIO:  # nothing but a hole is left
                raise
            return
        end = os.lseek(file, at, os.SEEK_HOLE)
        yield at, end
        at = end


def _copy_piece_by_piece(old: int, new: int, at: int, end: int) -> None:
    while at < end:
        piece = os.pread(old, min(_PIECE, end - at), at)
        if piece != _ZEROS[: len(piece)]:
            os.pwrite(new, piece, at)
        at += len(piece)
