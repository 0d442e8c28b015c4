"""A lease: the right to be the one that does something, held by name in a file, and lost by whoever stands still.

The system's own locks end with their process, but a process that is stopped (a debugger, a laptop that sleeps) keeps
them for as long as it is stopped. So the file names the holder, and a lock is only held while the file is looked at or
written: whoever finds the holder dead, or its lease run out, takes over with the next number. A holder that wakes up
finds another number in the file and is refused.

Invariant: the numbers in the file only grow, and whoever's number stands there as held is the one holder. The file has
one fixed size and is written in one call, so a process that is killed leaves the old words or the new ones.

The time of a lease is that of `CLOCK_BOOTTIME`, which counts sleep and no change of the clock; it is only ever compared
while the holder's process is alive, so with another reading of the same boot. Where there is no such clock, the
monotonic one is taken: a lease then lasts as long as the machine was awake.
"""

import contextlib
import json
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engram.base.clock import to_iso
from engram.base.clock import utc_now
from engram.base.disk.faults import fault_point
from engram.base.disk.open_flags import NOFOLLOW
from engram.base.disk.open_flags import write_at
from engram.base.disk.own_files import open_own
from engram.base.disk.own_files import read_own
from engram.base.machine.processes import birth_of
from engram.base.machine.processes import is_alive
from engram.errors import LeaseLostError
from engram.errors import StoreBusyError
from engram.store.locks import take

_BYTES = 2048  # of the file, always
_MUTEX_WAIT_S = 10.0  # for the few microseconds that others need to read or write it
_POLL_S = 0.005
_RENEWALS = 4  # in the time of one lease
_CLOCK: int | None = getattr(time, "CLOCK_BOOTTIME", None)

Words = dict[str, Any]


class Lease:
    """The lease of one file, as one process sees it; usable for one holding after the other."""

    def __init__(self, path: Path, owner: str, lease_s: float) -> None:
        """Take the file, the name that others will read, and for how many seconds a holder may stand still."""
        self._path = path
        self._owner = owner
        self._lease_s = lease_s
        self._fence = 0  # our number; 0: not held
        self.followed_a_crash = False  # the holder before us did not let go of it

    @contextlib.contextmanager
    def hold(self) -> Iterator[int]:
        """Hold the lease for the length of the block, renewed all the while, and give its number.

        Raises StoreBusyError with owner, pid and since when a live process holds one that has not run out. Leaving the
        block after another has taken over is no error: `check` is what tells.
        """
        self._fence = self._take()
        ended = threading.Event()
        renewing = threading.Thread(target=self._renew_until, args=(ended,), daemon=True, name="lease")
        renewing.start()
        try:
            yield self._fence
        finally:
            ended.set()
            renewing.join()
            with contextlib.suppress(StoreBusyError):  # then it runs out
                self._write_own(held=False)
            self._fence = 0

    def check(self) -> None:
        """Raise LeaseLostError unless the lease is ours still."""
        words = self.words()
        if words.get("fence") != self._fence or not words.get("held"):
            by = f": run {self._fence} was followed by run {words.get('fence')} (pid {words.get('pid')})"
            raise LeaseLostError(
                f"this run stood still for longer than its lease, and another has taken over{by}",
                fence=self._fence,
                current=words.get("fence"),
            )

    def words(self) -> Words:
        """Return what stands in the file, {"owner", "pid", "born", "fence", "since", "held", ...}; empty: nothing."""
        return noted(self._path)

    def holder(self) -> Words | None:
        """Return the words of the process that holds the lease now; None when none does."""
        words = self.words()
        return words if _is_held(words) else None

    def note(self, **words: Any) -> None:
        """Keep words in the file while we hold it; they stay when it is free, and go when a holder dies.

        Raises LeaseLostError when it is not ours any more.
        """
        self.check()
        self._write_own(held=True, more=words)

    def _take(self) -> int:
        with self._mutex() as handle:
            words = self.words()
            if _is_held(words):
                raise self._busy(words)
            fence = int(words.get("fence", 0)) + 1
            born = birth_of(os.getpid())
            own = {"owner": self._owner, "pid": os.getpid(), "born": born, "fence": fence, "since": to_iso(utc_now())}
            self.followed_a_crash = bool(words.get("held"))
            noted = {} if self.followed_a_crash else words  # what was noted before may be true no more
            self._write(handle, {**noted, **own, "held": True, "until": _now() + self._lease_s})
            return fence

    def _write_own(self, *, held: bool, more: Words | None = None) -> None:
        """Write the file anew if it still has our number; renews the lease."""
        with self._mutex() as handle:
            words = self.words()
            if words.get("fence") == self._fence:
                self._write(handle, {**words, **(more or {}), "held": held, "until": _now() + self._lease_s})

    def _renew_until(self, ended: threading.Event) -> None:
        while not ended.wait(self._lease_s / _RENEWALS):
            with contextlib.suppress(StoreBusyError, OSError):  # the next renewal may succeed
                self._write_own(held=True)

    def _write(self, handle: int, words: Words) -> None:
        data = json.dumps(words).encode()
        fault_point("before-lease")
        write_at(handle, data.ljust(_BYTES), 0)
        os.ftruncate(handle, max(_BYTES, len(data)))
        fault_point("after-lease")

    def _busy(self, words: Words) -> StoreBusyError:
        who = f"{words.get('owner', 'unknown')} (pid {words.get('pid')}) since {words.get('since')}"
        shown: Words = {name: words.get(name) for name in ("owner", "pid", "since", "fence")}
        return StoreBusyError(f"{self._path.stem} is held by {who}", lock=self._path.name, **shown)

    @contextlib.contextmanager
    def _mutex(self) -> Iterator[int]:
        deadline = time.monotonic() + _MUTEX_WAIT_S
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = open_own(self._path, os.O_RDWR | os.O_CREAT | NOFOLLOW)
        try:
            while not take(handle, self._path):
                if time.monotonic() >= deadline:  # stopped just there
                    raise self._busy(self.words())
                time.sleep(_POLL_S)
            yield handle
        finally:
            os.close(handle)  # which ends the lock


def noted(path: Path) -> Words:
    """Return the words in a lease's file, whoever holds it; empty: nothing that reads."""
    try:
        found = json.loads(read_own(path) or b"{}")
    except (FileNotFoundError, ValueError):  # a machine that lost its power may leave anything
        return {}
    return found if isinstance(found, dict) else {}


def _is_held(words: Words) -> bool:
    pid = words.get("pid")
    if not words.get("held") or not isinstance(pid, int) or not _now() < float(words.get("until", 0)):
        return False
    born = words.get("born")
    return is_alive(pid) if born is None else born == birth_of(pid)


def _now() -> float:
    return time.monotonic() if _CLOCK is None else time.clock_gettime(_CLOCK)
