"""One heartbeat of one workspace of a fleet, in a process of its own with a limit on its time and memory.

Invariant: the process appends to the journal only while its lease is the latest one, which the server itself checks in
the transaction that appends. It ends with its worker: one that was killed leaves no heartbeat behind.
"""

import json
import multiprocessing
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from multiprocessing import connection
from pathlib import Path
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.base import telemetry
from engram.base.ids import new_id
from engram.base.log import warn
from engram.errors import EngramError
from engram.heartbeat.child.process_tree import MARK
from engram.heartbeat.child.process_tree import end_descendants
from engram.heartbeat.child.process_tree import group_memory
from engram.heartbeat.fleet.tick_limits import TickLimits
from engram.heartbeat.run.options import RunOptions
from engram.heartbeat.run.runner import run_heartbeat
from engram.workspace import Workspace
from engram.workspace import open_workspace

FAILED, TIMED_OUT, LOST, TOO_MUCH_MEMORY = "failed", "timed_out", "lost", "too_much_memory"
_POLL_S: Final = 0.2
if sys.platform == "linux":
    _CONTEXT: Final = multiprocessing.get_context("fork")  # no second to load what a heartbeat needs; opens nothing yet
else:
    _CONTEXT: Final = multiprocessing.get_context("spawn")


class Ticked(NamedTuple):
    """What became of a tick."""

    status: str  # of the run, or failed, timed_out, lost, too_much_memory
    said: str = ""  # why, when it failed


def run_tick(folder: Path, fence: int, position: int, limits: TickLimits, check: Callable[[], None]) -> Ticked:
    """Run the heartbeat of a workspace and return what became of it; nothing that it started is left.

    `position` is where its journal stands on the server. `check` is called all the while; what it raises ends the tick
    and is raised.
    """
    mark = new_id()
    with tempfile.TemporaryDirectory(prefix="engram-tick-") as scratch:
        answer = Path(scratch) / "answer.json"
        sys.stdout.flush()
        sys.stderr.flush()
        child = _CONTEXT.Process(target=_tick, args=(str(folder), fence, position, str(answer), mark))
        child.start()
        try:
            stopped = _watch(child, limits, check)
        finally:
            assert child.pid is not None  # noqa: S101 - it was started
            end_descendants(child.pid, mark, None)
            child.join()
        if stopped is not None:
            return stopped
        if answer.exists():
            return Ticked(**json.loads(answer.read_bytes()))
        return Ticked(FAILED, f"the process ended with {child.exitcode} and no answer")


def _watch(child: Any, limits: TickLimits, check: Callable[[], None]) -> Ticked | None:
    deadline = time.monotonic() + limits.timeout_s
    while True:
        child.join(timeout=_POLL_S)
        if child.exitcode is not None:
            return None
        if time.monotonic() >= deadline:
            return Ticked(TIMED_OUT, f"not done after {limits.timeout_s:.0f} s")
        check()
        if group_memory(child.pid) > limits.memory_mb << 20:
            return Ticked(TOO_MUCH_MEMORY, f"more than {limits.memory_mb} MB")


def _tick(folder: str, fence: int, position: int, answer: str, mark: str) -> None:
    """Run in the child: the process boundary of a tick."""
    _end_with_parent()
    os.environ[MARK] = mark
    if hasattr(os, "setsid"):
        os.setsid()
    _silence()
    try:
        ticked = _heartbeat(open_workspace(folder), fence, position)
    except EngramError as problem:
        ticked = Ticked(FAILED, f"{problem.message} ({problem.hint})")
    except Exception as problem:  # noqa: BLE001 - the boundary of a process
        ticked = Ticked(FAILED, f"{type(problem).__name__}: {problem}")
    Path(answer).write_text(json.dumps(ticked._asdict()), encoding="utf-8")
    telemetry.flush()  # a forked process ends without a word


def _heartbeat(workspace: Workspace, fence: int, position: int) -> Ticked:
    replica = workspace.store.shared.replica
    if replica is None:
        return Ticked(FAILED, "its journal does not lie on the server: engram fleet add FOLDER moves it there")
    replica.shared.fence = fence
    if replica.head()[0] != position:  # other machines have written, and a quiet tick looks at files alone
        with workspace.writing("fleet"):
            pass
    done = run_heartbeat(workspace, RunOptions(adopts_orphans=True))
    return Ticked(done.status, "; ".join(done.alerts) if done.status == FAILED else "")


def _silence() -> None:
    """Let what the heartbeat says go nowhere: its record in the workspace holds it."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for handle in (0, 1, 2):
        os.dup2(nowhere, handle)


def _end_with_parent() -> None:
    """End this process, and what it started, when the worker ends, however that comes about."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def wait() -> None:
        connection.wait([parent.sentinel])
        warn("the worker has ended")
        end_descendants(os.getpid(), os.environ.get(MARK, "none"), None)
        os._exit(1)

    threading.Thread(target=wait, daemon=True, name="parent").start()
