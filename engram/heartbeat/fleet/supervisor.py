"""Several workers of a fleet on one host, each a process: started together, started again when one dies."""

import subprocess
import threading
import time
from collections.abc import Sequence
from typing import Final

from engram.base.log import warn

_LOOK_S: Final = 0.2
_PAUSE_S: Final = 1.0  # before a worker that died is started again
_END_S: Final = 30.0  # that workers may take to end when they are told to


def supervise(command: Sequence[str], workers: int, is_over: threading.Event, *, is_once: bool) -> int:
    """Run that many processes of a worker's command until it is over; return how many ended with an error at last.

    Once: each is run to its end, and none again.
    """
    running = [subprocess.Popen(list(command)) for _ in range(workers)]
    try:
        while not is_over.is_set():
            ended = [place for place, one in enumerate(running) if one.poll() is not None]
            if is_once and len(ended) == len(running):
                return sum(one.returncode != 0 for one in running)
            for place in () if is_once else ended:
                warn(f"a worker ended with {running[place].returncode}; starting another")
                time.sleep(_PAUSE_S)
                running[place] = subprocess.Popen(list(command))
            is_over.wait(_LOOK_S)
        return 0
    finally:
        _end(running)


def _end(running: Sequence["subprocess.Popen[bytes]"]) -> None:
    for one in running:
        one.terminate()
    deadline = time.monotonic() + _END_S
    for one in running:
        try:
            one.wait(timeout=max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            one.kill()
            one.wait()
