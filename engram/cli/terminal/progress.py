"""One line on a terminal that says what takes long, how far it is and how long it will take."""

import contextlib
import threading
import time
from collections.abc import Callable
from collections.abc import Iterator
from typing import TextIO

import click

from engram.ports.progress import Progress
from engram.ports.progress import tell_nobody

_QUIET_S = 0.5  # from the beginning: what is over by then needs no line
_REDRAWN_S = 0.1  # between two drawings
_MEASURED_S = 2.0  # after which a speed is believed
_CLEARED = "\x1b[2K\r"  # the line emptied, and back to its beginning
_PASSING_S = 1.0  # between two words about what cannot be measured
_MINUTE = 60
_ROUND_S = 5  # of what is said to be left


def shown_while_it_runs(stream: TextIO) -> "TerminalProgress":
    """Return a line that goes when the command ends which runs now."""
    line = TerminalProgress(stream)
    click.get_current_context().call_on_close(line.clear)
    return line


class TerminalProgress:
    """ports.progress.Progress on a terminal. The cursor stays at the line's beginning, so that warnings cover it."""

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        """Take the terminal's stream and monotonic seconds."""
        self._stream = stream
        self._clock = clock
        self._began = clock()
        self._drawn_at = float("-inf")
        self._is_shown = False
        self._what = ""
        self._first = (0.0, 0)  # when what is done now was told first, and how far it was then

    def __call__(self, what: str, done: int = 0, total: int = 0, most_s: float | None = None) -> None:
        """See the port."""
        now = self._clock()
        is_new = what != self._what
        if is_new:
            self._what, self._first = what, (now, done)
        if now - self._began < _QUIET_S or (now - self._drawn_at < _REDRAWN_S and not is_new):
            return
        self._drawn_at = now
        self._is_shown = True
        self._write(f"{_CLEARED}{self._words(now, done, total, most_s)}\r")

    def clear(self) -> None:
        """Take the line away, so that what is printed next stands alone."""
        if self._is_shown:
            self._is_shown = False
            self._write(_CLEARED)

    def _words(self, now: float, done: int, total: int, most_s: float | None) -> str:
        if not total:
            return f"{self._what} ..."
        began, first = self._first
        took = now - began
        left = (total - done) * took / (done - first) if done > first and took >= _MEASURED_S else None
        if left is not None and most_s is not None and most_s < left:
            until = f", {_lasting(most_s)} left in this run"
        else:
            until = f", about {_lasting(left)} left" if left is not None else ""
        return f"{self._what}: {done:,} of {total:,}{until}"

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


@contextlib.contextmanager
def passing(progress: Progress, what: str, every_s: float = _PASSING_S) -> Iterator[None]:
    """Tell how long something takes of which nobody knows how far it is, such as another program's work."""
    over, begun = threading.Event(), time.monotonic()

    def tell() -> None:
        while not over.wait(every_s):
            progress(f"{what}, {time.monotonic() - begun:.0f} s so far")

    teller = threading.Thread(target=tell, daemon=True)
    if progress is not tell_nobody:
        teller.start()
    try:
        yield
    finally:
        over.set()
        if teller.is_alive():
            teller.join()


def _lasting(seconds: float) -> str:
    if seconds < _MINUTE:
        return f"{max(1, round(seconds / _ROUND_S)) * _ROUND_S} s"
    minutes = round(seconds / _MINUTE)
    return f"{minutes} min" if minutes < _MINUTE else f"{seconds / _MINUTE / _MINUTE:.1f} h"
