"""What a warm process knows of itself: since when it runs, how much it was asked, how much memory it takes."""

import datetime as dt
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

from engram import __version__
from engram.base.clock import to_iso
from engram.base.clock import utc_now
from engram.base.machine.processes import memory_held

_PAGES_HELD = 1  # place of what is held of memory in /proc/self/statm, in pages


class Tally:
    """Counts of one process, from when it is made. Safe for threads."""

    def __init__(self, owner: str) -> None:
        """Take what the process is, in words."""
        self._owner = owner
        self._since: dt.datetime = utc_now()
        self._answered = 0
        self._last = time.monotonic()
        self._one = threading.Lock()

    def count(self) -> None:
        """Count a question."""
        with self._one:
            self._answered += 1
            self._last = time.monotonic()

    @property
    def answered(self) -> int:
        """Questions so far."""
        return self._answered

    def idle_s(self) -> float:
        """Return the seconds since the last question, or since the process began."""
        return time.monotonic() - self._last

    def as_json(self) -> dict[str, Any]:
        """Return {"pid", "version", "program", "owner", "since", "answered", "idle_s", "memory_bytes"}."""
        return {
            "pid": os.getpid(),
            "version": __version__,
            "program": sys.executable,
            "owner": self._owner,
            "since": to_iso(self._since),
            "answered": self._answered,
            "idle_s": round(self.idle_s(), 1),
            "memory_bytes": memory_bytes(),
        }


def memory_bytes() -> int:
    """Return the memory that this process holds."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[_PAGES_HELD])
    except OSError:
        return memory_held()
    return pages * os.sysconf("SC_PAGE_SIZE")
