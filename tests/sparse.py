"""Folders copied with their holes: the files of a new index hold 19 MB and are 139 MB long."""

import errno
import os
import shutil
from pathlib import Path


def copy_folder(source: Path, target: Path) -> Path:
    """Copy a folder, into one that is there as well, and return the target."""
    return shutil.copytree(source, target, copy_function=_copy_file, dirs_exist_ok=True)


def _copy_file(source: str, target: str) -> str:
    """Copy what a file holds; what it does not hold stays a hole, where the system tells holes."""
    with Path(source).open("rb") as old, Path(target).open("wb") as new:
        size, at = os.fstat(old.fileno()).st_size, 0
        new.truncate(size)
        while at < size:
            try:
                at = os.lseek(old.fileno(), at, os.SEEK_DATA)
            except OSError as problem:
                if problem.errno != errno.ENXIO:  # nothing but a hole is left
                    raise
                break
            end = os.lseek(old.fileno(), at, os.SEEK_HOLE)
            new.seek(at)
            old.seek(at)
            new.write(old.read(end - at))
            at = end
    shutil.copystat(source, target)
    return target
