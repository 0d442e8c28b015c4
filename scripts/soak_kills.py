#!/usr/bin/env python3
"""Kills a run anywhere and looks at what the next run makes of it: scripts/soak kills [--every N] [--random N].

Kills a run at every point before and after a durable write, each in a fresh copy of a small workspace, runs
again, and compares with a run that nobody killed. `--random` kills the runner, or one of its children, that many times
at any moment instead.
"""

import argparse
import contextlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.heartbeat import killing  # noqa: E402 - the line above makes it known


def kills(arguments: list[str]) -> int:
    """Kill and compare; print each point that left something else than a clean run, and return 1 if any did."""
    parser = argparse.ArgumentParser(prog="scripts/soak kills")
    parser.add_argument("--every", type=int, default=1, help="try only every N-th point")
    parser.add_argument("--random", type=int, default=0, help="kill at N random moments instead")
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        prepared = killing.prepare(folder / "workspace")
        clean = killing.copy(prepared, folder / "clean")
        points = killing.points_of_one_run(clean, folder / "points")
        expected = killing.state(clean)
        print(f"{len(points)} points in a run")
        random_ones = _at_random(prepared, folder, asked.random)
        tried = bad = 0
        for name, found in random_ones if asked.random else _at_points(prepared, folder, points, asked.every):
            wrong = killing.difference(found, expected)
            tried, bad = tried + 1, bad + bool(wrong)
            print(f"{name}: {'differs in ' + ', '.join(wrong) if wrong else 'the same'}", flush=True)
    print(f"{tried} kills, {bad} of them left another state than a clean run")
    return int(bool(bad))


def _at_points(prepared: Path, folder: Path, points: list[str], every: int) -> Iterator[tuple[str, dict[str, object]]]:
    for place, name in list(enumerate(points, 1))[::every]:
        yield f"point {place} ({name})", killing.state_after_kill(prepared, folder / f"kill-{place}", place)


def _at_random(prepared: Path, folder: Path, count: int) -> Iterator[tuple[str, dict[str, object]]]:
    longest = _seconds_of_a_run(killing.copy(prepared, folder / "timed"))
    for number in range(count):
        copied = killing.copy(prepared, folder / f"random-{number}")
        moment = random.uniform(0, longest)
        runner = subprocess.Popen(
            killing.command(copied), env=killing.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(moment)
        victim = random.choice([runner.pid, *_children(runner.pid)])
        with contextlib.suppress(ProcessLookupError):  # it has just ended
            os.kill(victim, signal.SIGKILL)
        runner.wait()
        killing.run(copied)
        who = "runner" if victim == runner.pid else "child"
        yield f"{who} after {moment:.3f} s", killing.state(copied)


def _seconds_of_a_run(root: Path) -> float:
    began = time.monotonic()
    killing.run(root)
    return time.monotonic() - began


def _children(pid: int) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if int((entry / "stat").read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(entry.name))
        except (OSError, ValueError, IndexError):
            continue
    return found


if __name__ == "__main__":
    sys.exit(kills(sys.argv[1:]))
