"""Kills and errors at every single file operation of a set of commands."""

import errno
import random
import shutil
from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from crash import steps
from crash.faults import Kind
from crash.faults import Mode
from crash.faults import Plan
from crash.judge import judge
from crash.processes import call
from crash.processes import config_of
from crash.steps import Step
from crash.table import Row

_ERRORS = {  # kind of step -> what a system answers then
    Kind.OPENS: (errno.EMFILE, errno.EACCES, errno.EROFS),
    Kind.WRITES: (errno.ENOSPC, errno.EIO, errno.EDQUOT),
    Kind.SYNCS: (errno.EIO,),
    Kind.RENAMES: (errno.EIO, errno.ENOSPC),
    Kind.REMOVES: (errno.EACCES,),
    Kind.CUTS: (errno.EIO,),
    Kind.FOLDERS: (errno.ENOSPC,),
}
_REBUILD_EACH = 10  # trial: rebuilding takes longer than all else


class Load(NamedTuple):
    """A command, and the store that it is given."""

    store: str  # key of STORES
    step: Step
    each: int = 1  # which of its operations are tried: a heartbeat writes a thousand times, nearly all into the index


STORES: dict[str, dict[str, int]] = {
    "plain": {"facts": 8},
    "waiting": {"facts": 8, "waiting": 3},
    "sealing": {"facts": 8, "segment": 4096},
}
LOADS = {
    "write": Load("plain", steps.write(100)),
    "write --wait 0": Load("plain", steps.write(100, "--wait", "0")),
    "write, sealing a segment": Load("sealing", steps.write(100)),
    "write --jsonl": Load("plain", steps.rows(200, 5)),
    "correct": Load("plain", steps.correct(2, 100)),
    "note add": Load("plain", steps.note(100)),
    "capture": Load("plain", steps.capture(100)),
    "import": Load("plain", steps.bring_in(100)),
    "hook of a prompt": Load("plain", steps.prompt(100)),
    "MCP memory_remember": Load("plain", steps.tool(100)),
    "facts, with a full spool": Load("waiting", steps.plain("facts", "--json")),
    "heartbeat run": Load("waiting", steps.plain("heartbeat", "run"), each=20),
    "rebuild database": Load("plain", steps.plain("rebuild", "database")),
    "rebuild mirror": Load("plain", steps.plain("rebuild", "mirror")),
    "doctor --fix": Load("waiting", steps.plain("doctor", "--fix")),
}


def kills(folder: Path, every: int) -> Iterator[Row]:
    """Kill each command before each of its file operations, and in the middle of each write."""
    yield from _rows("killed at one file operation", folder, every, _kill_plans)


def errors(folder: Path, every: int) -> Iterator[Row]:
    """Let each file operation of each command fail: every other one once, the rest with all that follow."""
    yield from _rows("an error at one file operation", folder, every, _error_plans)


def _rows(title: str, folder: Path, every: int, plans: Callable[[str, Path, Path], list[Plan]]) -> Iterator[Row]:
    stores = {name: folder / name for name in STORES}
    acked = {name: steps.make_store(root, **STORES[name]) for name, root in stores.items()}
    turn = 0
    for name, load in LOADS.items():
        row = Row(title, name)
        work = folder / "work"
        chosen = plans(name, stores[load.store], work)
        random.Random(name).shuffle(chosen)
        for plan in sorted(chosen[:: every * load.each], key=lambda one: (one.mode, one.kinds, one.step)):
            turn += 1
            fresh(stores[load.store], work)
            problems = tried(load.step, work, plan, acked[load.store], rebuild=turn % _REBUILD_EACH == 0)
            row.add(f"{plan.mode.name} {plan.kinds.name} {plan.step} errno {plan.error}", problems)
        yield row


def tried(step: Step, root: Path, plan: Plan, acked: list[str], *, rebuild: bool) -> list[str]:
    """Run a command that meets a fault, and return what is wrong with the store then."""
    done = call(step.job(root), root, plan, step.stdin)
    problems = [f"exception: {done.broke}"] if done.broke else []
    if done.hung:
        problems.append("hung")
    have = [text for text in acked if not (done.acknowledged and text in step.takes)]
    have += steps.acknowledged(step, done)
    return problems + judge(root, have, [*acked, *step.gains], gone=step.takes, rebuild=rebuild)


def fresh(store: Path, work: Path) -> None:
    """Lay a copy of a store into the place of the last one."""
    clear(work)
    shutil.copytree(store, work, symlinks=True)
    if config_of(store).exists():
        shutil.copytree(config_of(store), config_of(work))


def clear(root: Path) -> None:
    """Remove a store, and what is known of it elsewhere."""
    for folder in (root, config_of(root)):
        shutil.rmtree(folder, ignore_errors=True)


def _count(name: str, store: Path, work: Path, kinds: Kind) -> int:
    fresh(store, work)
    step = LOADS[name].step
    return call(step.job(work), work, Plan(Mode.COUNTED, kinds=kinds), step.stdin).steps


def _kill_plans(name: str, store: Path, work: Path) -> list[Plan]:
    operations, writes = (_count(name, store, work, kinds) for kinds in (Kind.ALL, Kind.WRITES))
    return [Plan(Mode.KILLED, at) for at in range(1, operations + 1)] + [
        Plan(Mode.TORN, at, kinds=Kind.WRITES) for at in range(1, writes + 1)
    ]


def _error_plans(name: str, store: Path, work: Path) -> list[Plan]:
    found = []
    for kind, answers in _ERRORS.items():
        for at in range(1, _count(name, store, work, kind) + 1):
            mode = (Mode.FAILED, Mode.FAILING)[at % 2]
            found.append(Plan(mode, at, answers[at // 2 % len(answers)], kind))
    return found
