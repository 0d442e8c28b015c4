"""When nobody waits for the page's server: what makes later answers fast is done then, not before the first one."""

import contextlib
import threading
import time
from collections.abc import Iterator
from typing import Final

QUIET_S: Final = 0.4  # without a request, after which nobody is taken to wait for a view
FIRST_S: Final = 20.0  # after which we no longer wait for somebody to look
_LOOK_S: Final = 0.1


class Requests:
    """Counts the requests for views that are being answered. Safe for threads."""

    def __init__(self) -> None:
        """Nothing was asked yet."""
        self._lock = threading.Lock()
        self._running = 0
        self._ended_at: float | None = None

    @contextlib.contextmanager
    def answering(self) -> Iterator[None]:
        """Count one for a block."""
        with self._lock:
            self._running += 1
        try:
            yield
        finally:
            with self._lock:
                self._running -= 1
                self._ended_at = time.monotonic()

    def is_quiet(self) -> bool:
        """Tell whether something was answered, and nobody asked for a while since."""
        with self._lock:
            return not self._running and self._ended_at is not None and time.monotonic() - self._ended_at >= QUIET_S

    def wait_until_quiet(self) -> None:
        """Return when the first view was answered and nobody waits for another one, or when nobody looks at all."""
        begun = time.monotonic()
        while not self.is_quiet() and (self._ended_at is not None or time.monotonic() - begun < FIRST_S):
            time.sleep(_LOOK_S)
