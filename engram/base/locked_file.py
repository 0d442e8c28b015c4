"""A file under its own lock: the one that has the name, not one that was replaced while its lock was waited for."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

APPEND: Final = os.O_RDWR | os.O_CREAT | os.O_APPEND
READ: Final = os.O_RDONLY


@contextlib.contextmanager
def locked_file(path: Path, flags: int = READ) -> Iterator[int]:
    """Yield a handle of the file, which nobody else holds; others wait. A file that is made gets mode 0644.

    Who replaces a file holds the old one meanwhile. Who waited for that one then holds a file without a name, and what
    is written into it is gone: so it is opened again. Raises FileNotFoundError, and whatever else opening raises.
    """
    while True:
        handle = os.open(path, flags | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)  # let go of when the handle is closed
            if _has_name(handle, path):
                yield handle
                return
        finally:
            os.close(handle)


def _has_name(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False
