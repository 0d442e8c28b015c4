"""An index held open between calls, by a process that answers many questions, without keeping others from it."""

import contextlib
import threading
import time
from collections.abc import Callable
from collections.abc import Iterator
from typing import Generic
from typing import TypeVar

from engram.errors import DegradedIndexError
from engram.errors import EngramError
from engram.ports.index import VectorIndex
from engram.store.locks import QueuedLock

Index = TypeVar("Index", bound=VectorIndex)

_LOOK_S = 0.02  # between two looks at who waits


class WarmIndex(Generic[Index]):
    """Opens the index at the first use and keeps it until another process asks, or nobody has used it for a while.

    Safe for threads: one uses the index at a time. After `close` the next use opens it again.
    """

    def __init__(
        self,
        lock: QueuedLock,
        opened: Callable[[], Index],
        *,
        idle_s: float = 60.0,
        is_stale: Callable[[], bool] = lambda: False,
    ) -> None:
        """Take the index's lock, what opens the index under it, and what tells whether the open one has to go."""
        self._lock = lock
        self._opened = opened
        self._idle_s = idle_s
        self._is_stale = is_stale
        self._one_user = threading.Lock()
        self._index: Index | None = None
        self._held = contextlib.ExitStack()
        self._watcher: threading.Thread | None = None
        self._used_at = 0.0

    @contextlib.contextmanager
    def use(self, *, wait_s: float) -> Iterator[Index]:
        """Hold the index for one call. Raises StoreBusyError, and what opening raises.

        An error in the block closes the index, so that the next use begins with a fresh one; not so what was refused
        to the caller, such as a name that is unknown.
        """
        with self._one_user:
            if self._index is not None and (self._lock.is_wanted() or self._is_stale()):
                self._let_go()
            index = self._index or self._take(wait_s)
            try:
                yield index
            except BaseException as problem:
                if not isinstance(problem, EngramError) or isinstance(problem, DegradedIndexError):
                    self._let_go()
                raise
            self._used_at = time.monotonic()
            if self._lock.is_wanted():
                self._let_go()

    def is_open(self) -> bool:
        """Tell whether the index is held open now."""
        return self._index is not None

    def close(self) -> None:
        """Let go of the index, and end the thread that looks who waits: what it holds could not be freed at exit."""
        with self._one_user:
            self._let_go()
        if self._watcher is not None:
            self._watcher.join()

    def _take(self, wait_s: float) -> Index:
        with contextlib.ExitStack() as stack:
            stack.enter_context(self._lock.hold(wait_s=wait_s))
            index = self._opened()
            stack.callback(index.close)
            self._held = stack.pop_all()
        self._index = index
        self._used_at = time.monotonic()
        self._watcher = threading.Thread(target=self._watch, args=(index,), daemon=True, name="warm-index")
        self._watcher.start()
        return index

    def _let_go(self) -> None:
        try:
            self._held.close()
        finally:
            self._index = None

    def _watch(self, index: Index) -> None:
        """Let go between two calls as soon as somebody waits, or when nobody has called for long."""
        while self._index is index:
            if self._lock.is_wanted() or time.monotonic() - self._used_at >= self._idle_s:
                with self._one_user:
                    if self._index is index and (
                        self._lock.is_wanted() or time.monotonic() - self._used_at >= self._idle_s
                    ):
                        self._let_go()
            time.sleep(_LOOK_S)
