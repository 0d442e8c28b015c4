"""A process that backs up or restores again and again and dies of SIGKILL at each durable step once.

Forking spares a new interpreter for each death. What a backup loads late is loaded before the fork, but for what starts
threads. Prints a line of JSON for each step: what is found in the folder afterwards, by a process of its own.
"""

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb  # noqa: F401 - else each child would load it, and the modules below
import portalocker  # noqa: F401 - as above

import engram.store.database.engine.duck_engine  # noqa: F401 - as above
from engram.base.clock import utc_now
from engram.base.disk import faults
from engram.operations.backups.backup import back_up
from engram.operations.backups.backup_check import verify_backups
from engram.operations.backups.restore import Point
from engram.operations.backups.restore import restore
from engram.workspace import open_workspace


def in_child(work: Callable[[], object]) -> tuple[int, str]:
    """Do some work in a process of its own; return the signal that ended it, and what the work returned as JSON."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writing, json.dumps(work()).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        said = answer.read()
    return os.WTERMSIG(os.waitpid(child, 0)[1]), said


def dying(work: Callable[[], object], step: int) -> int:
    """Do some work and die at its step of that number; return the signal."""

    def armed() -> None:
        faults._IS_ON, faults._AT, faults._Reached.count = True, str(step), 0
        work()

    return in_child(armed)[0]


def seen_after(root: str, disk: Path) -> tuple[list[dict[str, Any]], int]:
    """Return the backups of the folder with their problems, and how far one more backup reaches."""
    found = [one.as_json() for one in verify_backups(disk)]
    return found, back_up(open_workspace(root), disk).manifest.position


def main(verb: str, root: str, folder: str) -> None:
    """Kill at every step, each time from the same beginning."""
    disk, copy = Path(folder), Path(f"{folder}-copy")
    target = disk.with_name("target")
    shutil.copytree(disk, copy)
    for step in range(1, 1000):
        shutil.rmtree(disk)
        shutil.copytree(copy, disk)
        if verb == "restore":
            ended = dying(lambda: restore(disk, target, Point(), utc_now()).position, step)
            head = open_workspace(str(target)).journal.head()[0] if target.exists() else None
            whole = head is not None and (target / ".engram/engram.duckdb").exists()
            print(json.dumps({"ended": ended, "there": target.exists(), "whole": whole, "head": head}), flush=True)
            shutil.rmtree(target, ignore_errors=True)
        else:
            ended = dying(lambda: back_up(open_workspace(root), disk).is_new, step)
            after, again = json.loads(in_child(lambda: seen_after(root, disk))[1])
            halves = [path.name for path in disk.rglob(".tmp-*")]
            print(json.dumps({"ended": ended, "after": after, "again": again, "halves": halves}), flush=True)
        if ended != signal.SIGKILL:
            return


if __name__ == "__main__":
    main(*sys.argv[1:])
