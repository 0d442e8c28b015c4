"""The warm process as the command line sees it: run it, look at it, stop it. Heavy only where it runs."""

import os
import signal
import time
from typing import Any
from typing import Final

from engram.config.paths import Paths
from engram.hooks.log import log
from engram.store.locks import FileLock
from engram.warm.client import ask

NOT_RUNNING: Final = "not running"
STOPPED: Final = "stopped"
KILLED: Final = "killed"
OF_ANOTHER: Final = "of another"

_ASK_S = 2.0  # for a process that is busy with a question
_END_S = 5.0  # for it to end by itself
_LOOK_S = 0.05


def serve(paths: Paths, idle_s: int | None = None) -> str:
    """Run the warm process until there is a reason to end, log the reason, and return it; raises SettingsError.

    `idle_s` seconds without a question are a reason; without it, those of the settings.
    """
    os.chdir("/")  # the folder in which a host works can be removed while this process lives
    from engram.warm.self_started import serve_alone  # noqa: PLC0415 - heavy

    reason = serve_alone(paths.root, idle_s)
    if paths.state.is_dir():
        log(paths, f"the warm process {os.getpid()} ends: {reason}")
    return reason


def warm_state(paths: Paths) -> dict[str, Any] | None:
    """Return what a process that answers for this workspace says of itself; None when none does.

    {"pid", "owner", "since"}, and when it understands this release also {"version", "program", "answered", "idle_s",
    "memory_bytes", "warm", "answers", "differs"}: the requests from here that it answers, and in what it is not like
    this process (see `warm.likeness`).
    """
    reply = ask(paths.root, {"do": "ping"}, _ASK_S)
    if reply is not None and "answer" in reply:
        return dict(reply["answer"])
    held = _holder(paths)
    return held if "pid" in held else None


def stop(paths: Paths) -> tuple[str, int | None]:
    """End the warm process that hooks started; return what became of it, and its id.

    A process that serves something else, too, such as `engram mcp`, is left alone. One that does not end within five
    seconds is killed.
    """
    from engram.warm.server import WARM_PROCESS  # noqa: PLC0415 - heavy

    held = _holder(paths)
    pid = held.get("pid")
    if not isinstance(pid, int):
        return NOT_RUNNING, None
    if held.get("owner") != WARM_PROCESS:
        return OF_ANOTHER, pid
    _signal(pid, signal.SIGTERM)
    deadline = time.monotonic() + _END_S
    while time.monotonic() < deadline:
        if _holder(paths).get("pid") != pid:
            return STOPPED, pid
        time.sleep(_LOOK_S)
    _signal(pid, signal.SIGKILL)
    return KILLED, pid


def _signal(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:  # it has just ended
        return


def _holder(paths: Paths) -> dict[str, Any]:
    """Return who holds the lock of the warm door now: {"owner", "pid", "since"}; empty when nobody does."""
    from engram.errors import StoreBusyError  # noqa: PLC0415 - beside its one use

    lock = FileLock(paths.locks / "warm.lock", "look")
    try:
        with lock.hold(wait_s=0, shared=True):
            return {}
    except StoreBusyError as busy:
        return {name: value for name, value in busy.details.items() if name in {"owner", "pid", "since"}}
    except OSError:  # nothing can be written here, nor then held
        return {}
