#!/usr/bin/env python3
"""Whole-process times of hooks, as multiples of a bare interpreter: scripts/bench hooks [--rounds N].

Medians, all cases in turn within each round. "warm" asks the process that the first hook starts by itself; "alone" has
recall switched off. The limits are for a prompt for which nothing is recalled, and for one for which something is.
What stands in the column of processor time a machine that is busy with other things changes less.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

ENGRAM = [sys.executable, "-m", "engram"]
BASE = "python -c pass"
STARTS = "starts the process"
LIMITS = {  # times BASE
    "alone: nothing to keep": 5.0,
    "alone: kept": 8.0,
    "warm: nothing relevant": 5.0,
    "warm: recalled": 8.0,
    "warm: recalled and kept": 8.0,
    STARTS: 5.0,
}
_WARM_S = 60.0  # for the process to be ready


class Case(NamedTuple):
    """One process to time."""

    command: list[str]
    stdin: str = ""


class Taken(NamedTuple):
    """What one process took."""

    wall_s: float
    cpu_s: float


def main(arguments: list[str]) -> int:
    """Time every case and print a table."""
    parser = argparse.ArgumentParser(prog="scripts/bench hooks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=20, help="how often each case is run")
    rounds = parser.parse_args(arguments).rounds
    with tempfile.TemporaryDirectory() as folder:
        cold, warm, new = (Path(folder) / name for name in ("cold", "warm", "new"))
        for root in (cold, warm, new):
            _engram(root.parent, "init", str(root), "--owner", "people/anna")
            _engram(root, "write", "--entity", "people/anna", "--create", "--fact", "Anna prefers green tea to coffee")
        _set(cold, 'recall = "off"')
        _set(warm, "warm_ms = 5000")  # a machine that is busy shows as time taken, not as memories left out
        try:
            _start_process(warm)
            times = _interleaved(_cases(cold, warm, new), new, rounds)
        finally:
            for root in (warm, new):
                _engram(root, "hooks", "stop")
    base = Taken(*(statistics.median(column) for column in zip(*times[BASE], strict=True)))
    print(f"{'':28}{'median ms':>10}{'best ms':>10}{'times':>8}{'cpu times':>11}{'limit':>8}")
    for name, taken in times.items():
        wall, cpu = (statistics.median(column) for column in zip(*taken, strict=True))
        limit = f"{LIMITS[name]:.0f}" if name in LIMITS else ""
        best = min(one.wall_s for one in taken) * 1000
        ratios = f"{wall / base.wall_s:8.2f}{cpu / base.cpu_s:11.2f}"
        print(f"{name:28}{wall * 1000:10.1f}{best:10.1f}{ratios}{limit:>8}")
    return 0


def _cases(cold: Path, warm: Path, new: Path) -> dict[str, Case]:
    def case(root: Path, event: str, **fields: str) -> Case:
        sent = {"session_id": "bench", "transcript_path": str(root / "none.jsonl"), "cwd": str(root), **fields}
        return Case(
            [*ENGRAM, "--workspace", str(root), "hooks", "run", event, "--host", "claude-code"], json.dumps(sent)
        )

    asked = "does Anna prefer tea or coffee?"
    return {
        BASE: Case([sys.executable, "-c", "pass"]),
        "import click": Case([sys.executable, "-c", "import click"]),
        "alone: nothing to keep": case(cold, "user-prompt", prompt="please run the tests again"),
        "alone: kept": case(cold, "user-prompt", prompt="I prefer short meetings, no more than 20 minutes"),
        "warm: nothing relevant": case(warm, "user-prompt", prompt="please run the tests again"),
        "warm: recalled": case(warm, "user-prompt", prompt=asked),
        "warm: recalled and kept": case(warm, "user-prompt", prompt="I prefer green tea, as Anna does, to coffee"),
        STARTS: case(new, "user-prompt", prompt=asked),
        "post-tool": case(cold, "post-tool", hook_event_name="PostToolUse"),
        "stop, nothing to capture": case(cold, "stop"),
    }


def _interleaved(cases: Mapping[str, Case], new: Path, rounds: int) -> dict[str, list[Taken]]:
    times: dict[str, list[Taken]] = {name: [] for name in cases}
    for number in range(rounds + 1):
        for name, case in cases.items():
            if name == STARTS:
                _engram(new, "hooks", "stop")
                (new / ".engram/hooks/warm-starting").unlink(missing_ok=True)
            out, taken = _run(case, name)
            if ": recalled" in name and "green tea" not in out:
                sys.exit(f"{name}: nothing was recalled: {out!r}")
            if number:  # the first round only warms the caches
                times[name].append(taken)
    return times


def _run(case: Case, name: str) -> tuple[str, Taken]:
    """Run one process; return what it printed, and what it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    done = subprocess.run(case.command, input=case.stdin, capture_output=True, text=True, check=False, env=_env())
    wall_s = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode or done.stderr:
        sys.exit(f"{name} left with {done.returncode}: {done.stderr}")
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout, Taken(wall_s, cpu_s)


def _set(root: Path, line: str) -> None:
    with (root / "engram.toml").open("a") as settings:
        settings.write(f"\n[hooks]\n{line}\n")


def _start_process(root: Path) -> None:
    """Let a first hook start the warm process, and wait until it has loaded what it needs."""
    from engram.warm.client import ask  # noqa: PLC0415 - beside its one use

    os.environ.update(_env())
    _run(_cases(root, root, root)[STARTS], STARTS)
    deadline = time.monotonic() + _WARM_S
    while ask(root, {"do": "ping"}, 1.0) is None or (root / ".engram/hooks/warm-starting").exists():
        if time.monotonic() > deadline:
            sys.exit("the warm process did not begin")
        time.sleep(0.1)


def _engram(folder: Path, *arguments: str) -> None:
    done = subprocess.run([*ENGRAM, *arguments], cwd=folder, capture_output=True, text=True, check=False, env=_env())
    if done.returncode:
        sys.exit(f"{' '.join(arguments)} left with {done.returncode}: {done.stderr}")


def _env() -> dict[str, str]:
    left_out = ("ENGRAM_", "PYTHONDONTWRITE")  # what is installed is compiled
    kept = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    return {**kept, "ENGRAM_EMBEDDINGS": "none"}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
