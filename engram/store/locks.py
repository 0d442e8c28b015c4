"""Locks held by live processes, each with a file that says who holds it since when.

Invariant: whoever holds the lock exclusively is named in it. The lock itself is the operating system's, so it ends with
its process; the words in the file are only for people and may be stale once nobody holds it.
"""

import contextlib
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from typing import Any

import portalocker

from engram.base.clock import to_iso
from engram.base.clock import utc_now
from engram.errors import StoreBusyError

_POLL_S = 0.01  # portalocker's own 0.25 s starves waiters (measured: up to 25 s with 16 writers)


class FileLock:
    """One lock file, shared or exclusive."""

    def __init__(self, path: Path, owner: str) -> None:
        """Take the file and the name that others will read while we hold it."""
        self._path = path
        self._owner = owner

    @contextlib.contextmanager
    def hold(self, *, wait_s: float, shared: bool = False) -> Iterator[None]:
        """Hold the lock for the length of the block.

        Raises StoreBusyError with owner, pid and since when it is not free within `wait_s` seconds.
        """
        with self._acquire(wait_s=wait_s, shared=shared) as handle:
            if not shared:
                self._sign(handle)
            yield

    def holder(self) -> dict[str, Any]:
        """Return {"owner", "pid", "since"} as last written; empty when nobody ever held it exclusively."""
        try:
            text = self._path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return {}
        try:
            found = json.loads(text)
        except ValueError:  # caught between truncate and write: the holder is only just signing
            return {}
        return found if isinstance(found, dict) else {}

    @contextlib.contextmanager
    def _acquire(self, *, wait_s: float, shared: bool) -> Iterator[IO[bytes]]:
        flags = portalocker.LockFlags.SHARED if shared else portalocker.LockFlags.EXCLUSIVE
        deadline = time.monotonic() + wait_s
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600), "r+b") as handle:
            while True:
                try:
                    portalocker.lock(handle, flags | portalocker.LockFlags.NON_BLOCKING)
                    break
                except portalocker.LockException:
                    if time.monotonic() >= deadline:
                        raise self._busy() from None
                    time.sleep(_POLL_S)
            try:
                yield handle
            finally:
                portalocker.unlock(handle)

    def _sign(self, handle: IO[bytes]) -> None:
        words = {"owner": self._owner, "pid": os.getpid(), "since": to_iso(utc_now())}
        handle.seek(0)
        handle.truncate()
        handle.write(json.dumps(words).encode())
        handle.flush()

    def _busy(self) -> StoreBusyError:
        held = self.holder()
        who = f"{held.get('owner', 'a reader')} (pid {held.get('pid', 'unknown')}) since {held.get('since', 'unknown')}"
        return StoreBusyError(f"{self._path.stem} is held by {who}", lock=self._path.name, **held)
