"""Locks held by live processes, each with a file that says who holds it since when.

Invariant: whoever holds the lock exclusively is named in it. The lock itself is the operating system's, so it ends with
its process; the words in the file are only for people and may be stale once nobody holds it.
"""

import contextlib
import errno
import itertools
import json
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from typing import Any

import portalocker

from engram.base.clock import to_iso
from engram.base.clock import utc_now
from engram.base.disk.files import make_folder
from engram.base.disk.open_flags import NOFOLLOW
from engram.base.disk.open_flags import write_at
from engram.base.disk.own_files import open_own
from engram.base.disk.own_files import open_own_bytes
from engram.base.disk.own_files import read_own_text
from engram.errors import NoFileError
from engram.errors import NoLocksError
from engram.errors import StoreBusyError

_TICKET = ".ticket"
_HELD = (errno.EAGAIN, errno.EACCES)  # what the system says of a lock that somebody holds
_READ_ONLY = (errno.EROFS, errno.EACCES, errno.EPERM)
_STANDS_STILL_S = 2.0  # without a sign of life: a process that waits and was stopped keeps nobody else waiting
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
            if not shared and handle is not None:
                self._sign(handle)
            yield

    def holder(self) -> dict[str, Any]:
        """Return {"owner", "pid", "since"} as last written; empty when nobody ever held it exclusively."""
        try:
            text = read_own_text(self._path)
        except FileNotFoundError:
            return {}
        try:
            found = json.loads(text)
        except ValueError:  # caught between truncate and write: the holder is only just signing
            return {}
        return found if isinstance(found, dict) else {}

    @contextlib.contextmanager
    def _acquire(self, *, wait_s: float, shared: bool) -> Iterator[IO[bytes] | None]:
        deadline = time.monotonic() + wait_s
        with self._opened() as handle:
            while handle is not None and not take(handle, self._path, shared=shared):
                if time.monotonic() >= deadline:
                    raise self.busy()
                time.sleep(_POLL_S)
            try:
                yield handle
            finally:
                if handle is not None:
                    portalocker.unlock(handle)

    @contextlib.contextmanager
    def _opened(self) -> Iterator[IO[bytes] | None]:
        """Open the file of the lock; where nothing can be written and there is none, nobody needs it."""
        try:
            make_folder(self._path.parent)
            number = open_own(self._path, os.O_RDWR | os.O_CREAT | NOFOLLOW)
        except OSError as problem:
            if problem.errno not in _READ_ONLY:
                raise
            try:
                number = open_own(self._path)
            except FileNotFoundError:
                yield None
                return
        with os.fdopen(number, "rb") as handle:
            yield handle

    def _sign(self, handle: IO[bytes]) -> None:
        words = {"owner": self._owner, "pid": os.getpid(), "since": to_iso(utc_now())}
        with contextlib.suppress(OSError):  # the words are only for people; a full or read-only disk takes none
            os.ftruncate(handle.fileno(), 0)
            write_at(handle.fileno(), json.dumps(words).encode(), 0)

    def busy(self) -> StoreBusyError:
        """Return the error that says who holds the lock."""
        held = self.holder()
        who = f"{held.get('owner', 'a reader')} (pid {held.get('pid', 'unknown')}) since {held.get('since', 'unknown')}"
        return StoreBusyError(f"{self._path.stem} is held by {who}", lock=self._path.name, **held)


class QueuedLock:
    """An exclusive lock that is given in the order of asking, and whose holder can tell that somebody waits.

    Who does not get it at once leaves a ticket: a file named for the time, locked as long as its process waits. The
    oldest ticket is next; a ticket that nobody locks is a dead process's and is removed. A holder that keeps something
    warm looks at `is_wanted` between two uses and lets go.
    """

    def __init__(self, path: Path, owner: str, in_vain: set[Path] | None = None) -> None:
        """Take the file and the name that others will read while we hold it.

        `in_vain` holds the locks that were waited for to no end: such a one is tried, and waited for no more, until it
        was had. None: each asking waits anew.
        """
        self._path = path
        self._in_vain = in_vain
        self._lock = FileLock(path, owner)
        self._queue = path.with_suffix(".queue")

    @contextlib.contextmanager
    def hold(self, *, wait_s: float, shared: bool = False) -> Iterator[None]:
        """Hold the lock for the length of the block, alone or with others who share it.

        Raises StoreBusyError with owner, pid and since when our turn does not come within `wait_s` seconds.
        """
        with contextlib.ExitStack() as stack:
            if self.is_wanted() or not self._try(stack, shared=shared):
                self._wait_once(stack, wait_s, shared=shared)
            if self._in_vain is not None:
                self._in_vain.discard(self._path)
            yield

    def is_wanted(self) -> bool:
        """Tell whether a live process waits for its turn."""
        return any(_is_alive(ticket) for ticket in self._tickets())

    def _wait_once(self, stack: contextlib.ExitStack, wait_s: float, *, shared: bool) -> None:
        """Wait for our turn, or only try where the last wait was in vain."""
        knows = self._in_vain if self._in_vain is not None else set()
        try:
            self._wait(stack, time.monotonic() + (0 if self._path in knows else wait_s), shared=shared)
        except StoreBusyError:
            if wait_s > 0:  # a look without a wait says nothing
                knows.add(self._path)
            raise

    def _wait(self, stack: contextlib.ExitStack, deadline: float, *, shared: bool) -> None:
        with self._ticket() as own:
            while True:
                ahead = itertools.takewhile(lambda ticket: own is None or ticket.name < own.name, self._tickets())
                if not any(_is_alive(ticket) for ticket in ahead) and self._try(stack, shared=shared):
                    return
                if time.monotonic() >= deadline:
                    raise self._lock.busy()
                if own is not None:
                    os.utime(own)  # who stands still does not, and keeps nobody waiting
                time.sleep(_POLL_S)

    def _try(self, stack: contextlib.ExitStack, *, shared: bool) -> bool:
        try:
            stack.enter_context(self._lock.hold(wait_s=0, shared=shared))
        except StoreBusyError:
            return False
        return True

    def _tickets(self) -> list[Path]:
        """Return the tickets, oldest first."""
        try:
            names = os.listdir(self._queue)  # noqa: PTH208 - looked at many times a second
        except FileNotFoundError:
            return []
        return [self._queue / name for name in sorted(names) if name.endswith(_TICKET)]

    @contextlib.contextmanager
    def _ticket(self) -> Iterator[Path | None]:
        """Leave a ticket while we wait; None where nothing can be written."""
        try:
            making = self._new_ticket()
        except OSError as problem:
            if problem.errno not in _READ_ONLY:
                raise
            yield None
            return
        own = making.with_suffix(_TICKET)
        with making.open("r+b") as handle:
            try:
                take(handle, making)
                making.rename(own)  # locked before it can be seen: never taken for a dead one
                yield own
            finally:
                own.unlink(missing_ok=True)
                making.unlink(missing_ok=True)

    def _new_ticket(self) -> Path:
        make_folder(self._queue)
        # The clock is the same for all processes of a machine; what an earlier start of the machine left is dead.
        path = self._queue / f"{time.monotonic_ns():020d}-{os.getpid()}-{threading.get_native_id()}.new"
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        return path


def _is_alive(ticket: Path) -> bool:
    """Tell whether a process waits with this ticket; remove it when none does."""
    try:
        with open_own_bytes(ticket) as handle:
            if not take(handle, ticket):
                return time.time() - os.fstat(handle.fileno()).st_mtime < _STANDS_STILL_S
            with contextlib.suppress(OSError):  # where nothing can be removed it keeps nobody waiting either
                ticket.unlink(missing_ok=True)
    except (FileNotFoundError, NoFileError):
        pass
    return False


def take(handle: IO[bytes] | int, path: Path, *, shared: bool = False) -> bool:
    """Lock an open file without waiting; tell whether that could be had.

    Raises NoLocksError when the file system gives none, which is not the same as that somebody holds it.
    """
    flags = portalocker.LockFlags.SHARED if shared else portalocker.LockFlags.EXCLUSIVE
    try:
        portalocker.lock(handle, flags | portalocker.LockFlags.NON_BLOCKING)
    except portalocker.LockException as problem:
        cause = problem.__cause__ if isinstance(problem.__cause__, OSError) else None
        if cause is None or cause.errno in _HELD:
            return False
        raise NoLocksError(f"the file system gives no lock on {path.name}: {cause.strerror}") from problem
    return True
