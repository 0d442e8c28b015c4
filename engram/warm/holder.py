"""Who holds the warm door of a workspace, and how the process that hooks started is ended. Light."""

import os
import signal
import time
from typing import Any
from typing import Final

from engram.config.paths import Paths
from engram.errors import StoreBusyError
from engram.store.locks import FileLock

NOT_RUNNING: Final = "not running"
STOPPED: Final = "stopped"
KILLED: Final = "killed"
RUNNING: Final = "running"
OF_ANOTHER: Final = "of another"
WARM_PROCESS: Final = "warm process"  # owner of the door: one that hooks started

_END_S = 5.0  # for it to end by itself
_LOOK_S = 0.05


def stop(paths: Paths) -> tuple[str, int | None]:
    """End the warm process that hooks started; return what became of it, and its id.

    A process that serves something else, too, such as `engram mcp`, is left alone. One that does not end within five
    seconds is killed.
    """
    found, pid = plan_stopping(paths)
    if found != RUNNING or pid is None:
        return found, pid
    _signal(pid, signal.SIGTERM)
    deadline = time.monotonic() + _END_S
    while time.monotonic() < deadline:
        if find_holder(paths).get("pid") != pid:
            return STOPPED, pid
        time.sleep(_LOOK_S)
    _signal(pid, signal.SIGKILL)
    return KILLED, pid


def plan_stopping(paths: Paths) -> tuple[str, int | None]:
    """Return whom `stop` would end: `running` and its id, or why it would end nobody."""
    held = find_holder(paths)
    pid = held.get("pid")
    if not isinstance(pid, int):
        return NOT_RUNNING, None
    return (RUNNING if held.get("owner") == WARM_PROCESS else OF_ANOTHER), pid


def _signal(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:  # it has just ended
        return


def find_holder(paths: Paths) -> dict[str, Any]:
    """Return who holds the lock of the warm door now: {"owner", "pid", "since"}; empty when nobody does."""
    lock = FileLock(paths.locks / "warm.lock", "look")
    try:
        with lock.hold(wait_s=0, shared=True):
            return {}
    except StoreBusyError as busy:
        return {name: value for name, value in busy.details.items() if name in {"owner", "pid", "since"}}
    except OSError:  # nothing can be written here, nor then held
        return {}
