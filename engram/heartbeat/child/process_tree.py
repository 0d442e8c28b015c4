"""Finding and ending every process that a child has started, also those that hide from its process group.

On Linux three nets are laid: the tree of parents below the child, a mark in the environment that every descendant
inherits, and the runner as "subreaper", to whom the system gives processes whose parent has ended. So one that forks
twice, begins a session of its own and clears its environment is found. The third is only for a process that is the
heartbeat's own: in a program that starts other processes meanwhile, those would be taken for orphans. Where there is no
/proc (macOS) only the process group of the child is ended; what leaves it lives on.
"""

import contextlib
import ctypes
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

MARK = "ENGRAM_CHILD_OF_RUN"  # environment variable of every child: the id of its run
_PROC = Path("/proc")
_PR_SET_CHILD_SUBREAPER = 36
_ROUNDS = 100  # of looking again: a process may fork while it is being ended
_ROUND_S = 0.01


class _Seen(NamedTuple):
    """One process as the system shows it."""

    pid: int
    parent: int
    group: int
    session: int
    is_dead: bool  # ended, and nobody has asked how


@contextlib.contextmanager
def adopting() -> Iterator[frozenset[int]]:
    """Be given the orphans of our descendants for the length of the block; gives the children that we had before."""
    before = frozenset(one.pid for one in _processes() if one.parent == os.getpid())
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
    for _ in range(_ROUNDS):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child, signal.SIGKILL)
        found = _descendants(child, mark, before)
        for one in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(one.pid, signal.SIGKILL)
        for one in found:
            if one.parent == os.getpid() and one.pid != child:
                _bury(one.pid)
        if all(one.is_dead for one in found):
            return
        time.sleep(_ROUND_S)


def end_marked(mark: str) -> int:
    """End every process that has the mark, such as what a runner that was killed has left; return how many."""
    ended = 0
    for _ in range(_ROUNDS):
        found = [one for one in _processes() if not one.is_dead and one.pid != os.getpid() and _has_mark(one.pid, mark)]
        for one in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(one.pid, signal.SIGKILL)
                ended += 1
        if not found:
            break
        time.sleep(_ROUND_S)
    return ended


def group_memory(child: int) -> int:
    """Return the resident bytes of a child and all below it, and of its group; 0 where there is no /proc."""
    page = os.sysconf("SC_PAGE_SIZE")
    total = 0
    processes = list(_processes())
    below = _below(child, processes)
    for one in processes:
        if one.group == child or one.pid in below:
            with contextlib.suppress(OSError, ValueError, IndexError):
                total += int((_PROC / str(one.pid) / "statm").read_text(encoding="utf-8").split()[1]) * page
    return total


def _descendants(child: int, mark: str, before: frozenset[int] | None) -> list[_Seen]:
    processes = list(_processes())
    below = _below(child, processes)
    us, our_session = os.getpid(), os.getsid(0)

    def is_orphan(one: _Seen) -> bool:
        return before is not None and one.parent == us and one.pid not in before and one.session != our_session

    def comes_from_it(one: _Seen) -> bool:
        if one.pid == us:
            return False
        return one.group == child or one.pid in below or is_orphan(one) or _has_mark(one.pid, mark)

    return [one for one in processes if comes_from_it(one)]


def _below(pid: int, processes: list[_Seen]) -> set[int]:
    """Return a process and all whose parents lead to it."""
    found = {pid}
    while more := {one.pid for one in processes if one.parent in found} - found:
        found |= more
    return found


def _processes() -> Iterator[_Seen]:
    """Yield every process that /proc shows; none where there is no /proc."""
    for entry in _PROC.glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            # The name in brackets may hold anything; what is asked for stands behind it.
            fields = (entry / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            yield _Seen(int(entry.name), int(fields[1]), int(fields[2]), int(fields[3]), fields[0] in {"Z", "X"})


def _has_mark(pid: int, mark: str) -> bool:
    try:
        environment = (_PROC / str(pid) / "environ").read_bytes()
    except OSError:  # another user's, or ended
        return False
    return f"{MARK}={mark}".encode() in environment.split(b"\0")


def _bury(pid: int) -> None:
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


def _set_subreaper(*, on: bool) -> bool:
    """Ask the system for orphans, or no longer; return whether it can."""
    if not _PROC.joinpath("self", "stat").exists():
        return False
    try:
        return bool(ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, int(on), 0, 0, 0) == 0)
    except (OSError, AttributeError):
        return False
