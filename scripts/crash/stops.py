"""Processes that stand still in the middle of their work, as on a suspended machine, while others go on."""

import itertools
import os
import signal
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from crash import steps
from crash.faults import Mode
from crash.faults import Plan
from crash.judge import judge
from crash.points import LOADS
from crash.points import STORES
from crash.points import clear
from crash.points import fresh
from crash.processes import Done
from crash.processes import Running
from crash.processes import call
from crash.processes import finish
from crash.processes import start
from crash.table import Row

_PLACES = (0.25, 0.5, 0.75)  # of all operations of a command
_WAIT_S = 2  # of those who want the lock that a stopped process holds
_STOPPED = (
    "write",
    "write, sealing a segment",
    "capture",
    "MCP memory_remember",
    "facts, with a full spool",
    "heartbeat run",
)


class _Held(NamedTuple):
    """A stopped process, its store, and what others were told meanwhile."""

    name: str
    root: Path
    running: Running
    acked: list[str]
    sent: list[str]
    since: float  # monotonic time at which it was stopped

    def is_over(self, stop_s: float) -> bool:
        """Tell whether it has been stopped for so long."""
        return time.monotonic() - self.since >= stop_s


def stopped(folder: Path, stop_s: float) -> Iterator[Row]:
    """Stop commands of each kind at several places, let others write, let them go on, and judge."""
    rows = {name: Row(f"stopped for {stop_s:.0f} s while others write", name) for name in _STOPPED}
    waiting: deque[_Held] = deque()
    for number, (name, place) in enumerate(itertools.product(_STOPPED, _PLACES)):
        waiting.append(_held(folder, name, place))
        _let_others_write(waiting[-1], number)
        while waiting and waiting[0].is_over(stop_s):  # else the first would stand until the last one is stopped
            _go_on(waiting.popleft(), rows)
    for one in waiting:
        time.sleep(max(0.0, one.since + stop_s - time.monotonic()))
        _go_on(one, rows)
    yield from rows.values()


def _let_others_write(one: _Held, number: int) -> None:
    for step in (steps.write(500 + number, "--wait", "0"), steps.write(600 + number), steps.plain("heartbeat", "run")):
        done = call(step.job(one.root), one.root, stdin=step.stdin)
        one.acked.extend(steps.acknowledged(step, done))
        one.sent.extend(step.gains)


def _go_on(one: _Held, rows: dict[str, Row]) -> None:
    os.kill(one.running.pid, signal.SIGCONT)
    rows[one.name].add(one.root.name, _problems(one, finish(one.running, timeout_s=180)))


def _held(folder: Path, name: str, place: float) -> _Held:
    load = LOADS[name]
    base, root = folder / "base", folder / f"{len(list(folder.iterdir()))}-{int(place * 100)}"
    acked = steps.make_store(base, **STORES[load.store])
    done = call(steps.plain("config", "store.wait_s", str(_WAIT_S)).job(base), base)
    if not done.acknowledged:
        raise RuntimeError(done.err)
    fresh(base, root)
    operations = call(load.step.job(root), root, Plan(), load.step.stdin).steps
    fresh(base, root)
    clear(base)
    running = start(load.step.job(root), root, Plan(Mode.STOPPED, max(1, int(operations * place))), load.step.stdin)
    _, status = os.waitpid(running.pid, os.WUNTRACED)
    if not os.WIFSTOPPED(status):
        raise RuntimeError(f"{name} ended before it could be stopped")
    return _Held(name, root, running, acked, [*acked, *load.step.gains], time.monotonic())


def _problems(one: _Held, done: Done) -> list[str]:
    problems = [f"exception: {done.broke}"] if done.broke else []
    if done.hung:
        problems.append("hung")
    step = LOADS[one.name].step
    return problems + judge(one.root, [*one.acked, *steps.acknowledged(step, done)], one.sent, rebuild=True)
