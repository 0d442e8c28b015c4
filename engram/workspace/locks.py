"""The locks of one workspace, as one process asks for them."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from engram.store.locks import QueuedLock


class Locks:
    """Gives out locks by name; nothing is held between calls."""

    def __init__(self, folder: Path) -> None:
        """Take the folder of the locks' files."""
        self._folder = folder
        self._in_vain: set[Path] | None = None  # locks that were waited for to no end; None: each time is waited anew

    def named(self, name: str, owner: str) -> QueuedLock:
        """Return the lock of that name, given in the order of asking; `owner` is what others read while we hold it."""
        return QueuedLock(self._folder / f"{name}.lock", owner, self._in_vain)

    @contextlib.contextmanager
    def waiting_once(self) -> Iterator[None]:
        """For the length of the block, a lock that was waited for in vain is waited for no more until it was had.

        For what consists of many steps: else each of them would wait anew for who holds the store all the while.
        """
        before = self._in_vain
        self._in_vain = set() if before is None else before
        try:
            yield
        finally:
            self._in_vain = before
