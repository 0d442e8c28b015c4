"""Finding and ending every process that a child has started, also those that hide from its process group.

Three nets are laid: the tree of parents below the child, a mark in the environment that every descendant inherits, and,
on Linux, the runner as "subreaper", to whom the system gives processes whose parent has ended. So one that forks twice,
begins a session of its own and clears its environment is found. The third is only for a process that is the heartbeat's
own: in a program that starts other processes meanwhile, those would be taken for orphans. Elsewhere (macOS) what clears
its environment and whose parents have ended lives on.
"""

import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path

import psutil

MARK = "ENGRAM_CHILD_OF_RUN"  # environment variable of every child: the id of its run
_PR_SET_CHILD_SUBREAPER = 36
_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # on Windows either ends a process at once
_ROUNDS = 100  # of looking again: a process may fork while it is being ended
_ROUND_S = 0.01
_DEAD = frozenset({psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD})  # ended, and nobody has asked how


@contextlib.contextmanager
def adopting() -> Iterator[frozenset[int]]:
    """Be given the orphans of our descendants for the length of the block; gives the children that we had before."""
    before = frozenset(_below(os.getpid(), is_recursive=False))
    is_set = _set_subreaper(on=True)
    try:
        yield before
    finally:
        if is_set:
            _set_subreaper(on=False)


def end_descendants(child: int, mark: str, before: frozenset[int] | None) -> None:
    """End the child's group and every process that comes from it; returns when none is left.

    Args:
        child: the process id, which is also that of its group and its session.
        mark: what stands in the environment of the child under `MARK`.
        before: children that we had before; whatever else is our child in a session of its own is an orphan of it. None
            where we are given none.
    """
    known: set[int] = set()  # to be dead: whose parent dies while we look is seen in the next round at the latest
    for _ in range(_ROUNDS):
        _kill_group(child)
        found = _descendants(child, mark, before)
        if found <= known:
            return
        known = set(filter(_is_dead, found))
        for pid in found:
            _kill(pid)
        for pid in (found - {child}) & _below(os.getpid(), is_recursive=False):
            _bury(pid)
        time.sleep(_ROUND_S)


def end_marked(mark: str) -> int:
    """End every process that has the mark, such as what a runner that was killed has left; return how many."""
    ended = 0
    for _ in range(_ROUNDS):
        found = [pid for pid in _marked(mark) if not _is_dead(pid)]
        ended += sum(map(_kill, found))
        if not found:
            break
        time.sleep(_ROUND_S)
    return ended


def group_memory(child: int) -> int:
    """Return the resident bytes of a child and all below it, and of its group.

    It is asked for several times a second, beside whatever else the machine does.
    """
    total = 0
    for pid in {child} | _quickly_below(child) | _grouped(child):
        with contextlib.suppress(psutil.Error):
            total += psutil.Process(pid).memory_info().rss
    return total


def _descendants(child: int, mark: str, before: frozenset[int] | None) -> set[int]:
    found = _below(child) | _grouped(child) | _marked(mark)
    if before is not None:
        ours = _session_of(0)
        orphans = _below(os.getpid(), is_recursive=False) - before
        found |= {pid for pid in orphans if _session_of(pid) not in {None, ours}}
    return found - {os.getpid()}


def _below(pid: int, *, is_recursive: bool = True) -> set[int]:
    """Return the children of a process, and theirs."""
    try:
        return {one.pid for one in psutil.Process(pid).children(recursive=is_recursive)}
    except psutil.Error:
        return set()


def _quickly_below(pid: int) -> set[int]:
    """Return what `_below` does, where the system lists the children of each process, without a look at all others.

    One that comes or goes meanwhile may be missed: enough to count memory, and not to end what is left.
    """
    found: set[int] = set()
    waiting = [pid]
    try:
        while waiting:
            children = set(_listed_children(waiting.pop())) - found
            found |= children
            waiting += children
    except OSError:  # no such list: another system, or a process that has just ended
        return _below(pid)
    return found


def _listed_children(pid: int) -> Iterator[int]:
    """Yield the children of a process, which the system lists by thread; raise OSError where there is no list."""
    for task in Path(f"/proc/{pid}/task").iterdir():
        yield from map(int, (task / "children").read_bytes().split())


def _grouped(group: int) -> set[int]:
    """Return the processes of a group; none on a system without groups, where the tree and the mark find them."""
    if not hasattr(os, "getpgid"):
        return set()
    return {pid for pid in psutil.pids() if _asked(os.getpgid, pid) == group}


def _session_of(pid: int) -> int | None:
    """Return the session of a process, 0 for ours; None where it is gone, or the system has none."""
    return _asked(os.getsid, pid) if hasattr(os, "getsid") else None


def _kill_group(group: int) -> None:
    """End a group at once, before one of it can fork again."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, _KILL)


def _marked(mark: str) -> set[int]:
    """Return the processes, but for our own, that have the mark in their environment, where we may read it."""
    found = set()
    for pid in psutil.pids():
        with contextlib.suppress(psutil.Error, OSError):
            if pid != os.getpid() and psutil.Process(pid).environ().get(MARK) == mark:
                found.add(pid)
    return found


def _asked(question: Callable[[int], int], pid: int) -> int | None:
    """Return what the system says of a process; None when it is gone or not ours to ask about."""
    try:
        return question(pid)
    except OSError:
        return None


def _is_dead(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() in _DEAD
    except psutil.Error:
        return True


def _kill(pid: int) -> bool:
    """End a process; return whether we could."""
    try:
        os.kill(pid, _KILL)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _bury(pid: int) -> None:
    if hasattr(os, "WNOHANG"):  # elsewhere nobody has to ask how a process ended
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)


def _set_subreaper(*, on: bool) -> bool:
    """Ask the system for orphans, or no longer; return whether it can."""
    if sys.platform != "linux":
        return False
    try:
        return bool(ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, int(on), 0, 0, 0) == 0)
    except (OSError, AttributeError):
        return False
