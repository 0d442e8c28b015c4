"""A process that serves: the store held for its calls, and the warm door beside it."""

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from engram.warm.server import WarmServer
from engram.warm.warm_store import WarmStore


@contextlib.contextmanager
def serving_warm(root: Path) -> Iterator[WarmStore]:
    """Open the store for calls, and its warm door; a signal to end closes the door first."""
    store = WarmStore(root)
    door = WarmServer(store)

    def leave(_number: int, _frame: FrameType | None) -> None:
        door.close()
        os._exit(0)  # a thread that reads standard input, or a client that listens, cannot be told to end

    before = {number: signal.signal(number, leave) for number in (signal.SIGTERM, signal.SIGINT)}
    door.start()
    try:
        yield store
    finally:
        door.close()
        store.close()
        for number, handler in before.items():
            signal.signal(number, handler)
