"""A file that many append to: one at a time reads what stands there and adds to it, so that it survives a crash."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from engram.base.disk.files import append
from engram.base.disk.files import fsync_folder
from engram.base.disk.locked_file import APPEND
from engram.base.disk.locked_file import locked_file


class AppendedFile:
    """A file that is held for appending."""

    def __init__(self, handle: int) -> None:
        """Take a handle that nobody else holds."""
        self._handle = handle
        self.is_new = os.fstat(handle).st_size == 0  # empty when it was opened, as one that was just made

    def read(self) -> bytes:
        """Return all that stands in it."""
        with os.fdopen(self._handle, "rb", buffering=0, closefd=False) as file:
            file.seek(0)
            return file.read()

    def append(self, data: bytes) -> None:
        """Add to its end and flush it to the disk: all of it, or nothing."""
        append(self._handle, data)


@contextlib.contextmanager
def appended_file(path: Path, *, root: Path | None = None) -> Iterator[AppendedFile]:
    """Hold a file for appending, made when it is missing; others wait. Raises what `locked_file` does."""
    with locked_file(path, APPEND, root=root) as handle:
        held = AppendedFile(handle)
        yield held
        has_begun = held.is_new and os.fstat(handle).st_size > 0
    if has_begun:
        fsync_folder(path.parent)
