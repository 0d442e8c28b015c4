#!/usr/bin/env python3
"""How many commands a second many writers get acknowledged beside a heartbeat: scripts/bench writers [--wait 0].

Writers start `engram write` again and again, each as a process of its own, on one workspace, while one heartbeat after
another runs. With `--wait 0` a command is acknowledged once it is durable, else once its result is there. Beside
the rate stands what a command and the heartbeats took of the processor, which a busy machine changes less, and how many
writers had to load the database. Afterwards everything acknowledged must be there once: the exit code is 1 otherwise.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any
from typing import NamedTuple

ENGRAM = [sys.executable, "-m", "engram"]
ENTITY = "projects/crates"
_GOALS = {True: 20, False: 40}  # commands a second on two cores: whether the result is waited for
_PAUSE_S = 1.0  # between two heartbeats
_LOADED = 4.0  # times the median of the processor's time: a writer that took more has loaded the database
_WOODS = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron", "larch", "maple", "onyx", "slate")


class Ran(NamedTuple):
    """One process that has ended."""

    code: int
    wall_s: float
    cpu_s: float
    out: str
    err: str


def main(arguments: list[str]) -> int:
    """Let the writers write, print the rates, and tell whether anything is lost or doubled."""
    parser = argparse.ArgumentParser(prog="scripts/bench writers", description=__doc__)
    parser.add_argument("--writers", type=int, default=16, help="how many write at once")
    parser.add_argument("--each", type=int, default=20, help="commands that each of them sends, one after another")
    parser.add_argument("--wait", type=float, help="seconds to wait for a result (default: what the settings say)")
    parser.add_argument("--no-heartbeat", action="store_true", help="let no heartbeat run beside them")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="engram-writers-") as folder:
        environment = _environment(Path(folder))
        _checked(["init", folder], environment)
        return 0 if _measure(options, environment) else 1


def _measure(options: argparse.Namespace, environment: dict[str, str]) -> bool:
    sent = [_statement(number) for number in range(options.writers * options.each)]
    shares = [sent[first :: options.writers] for first in range(options.writers)]
    wait = [] if options.wait is None else ["--wait", f"{options.wait:g}"]
    written: dict[str, Ran] = {}
    beats: list[Ran] = []
    ended = threading.Event()

    def write(statements: list[str]) -> None:
        for statement in statements:
            command = ["write", "--entity", ENTITY, "--create", "--category", "context", "--fact", statement]
            written[statement] = _run([*command, *wait, "--json"], environment)

    def beat() -> None:
        while not ended.is_set():
            beats.append(_run(["heartbeat", "run", "--json"], environment))
            ended.wait(_PAUSE_S)

    heart = threading.Thread(target=beat)
    if not options.no_heartbeat:
        heart.start()
    begun = time.perf_counter()
    writers = [threading.Thread(target=write, args=[share]) for share in shares]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    taken_s = time.perf_counter() - begun
    ended.set()
    if heart.is_alive():
        heart.join()
    _print(options, list(written.values()), beats, taken_s)
    return _all_there(written, environment)


def _print(options: argparse.Namespace, runs: list[Ran], beats: list[Ran], taken_s: float) -> None:
    waits = options.wait != 0
    cpu = statistics.median(run.cpu_s for run in runs)
    walls = sorted(run.wall_s for run in runs)
    used_s = sum(run.cpu_s for run in [*runs, *beats])
    alone = 2 * len(runs) / used_s
    print(f"{options.writers} writers, {'waiting for the result' if waits else 'acknowledged once durable'}")
    _row("commands/s", len(runs) / taken_s, f"goal: {_GOALS[waits]} on two cores, beside a heartbeat")
    _row("  by the processor", alone, "what two cores with nothing else to do would manage")
    _row("a command, ms", walls[len(walls) // 2] * 1000, f"median; 99%: {walls[len(walls) * 99 // 100] * 1000:.0f}")
    _row("  of the processor", cpu * 1000, f"median; mean: {statistics.fmean(run.cpu_s for run in runs) * 1000:.1f}")
    _row("loaded the database", sum(run.cpu_s > _LOADED * cpu for run in runs), f"of {len(runs)}")
    _row("heartbeats", len(beats), f"{sum(beat.cpu_s for beat in beats):.1f} s of the processor")


def _row(name: str, value: float, remark: str) -> None:
    shown = f"{value}" if isinstance(value, int) else f"{value:.1f}"
    print(f"  {name:20}{shown:>8}   {remark}")


def _all_there(written: dict[str, Ran], environment: dict[str, str]) -> bool:
    """Print what became of what was acknowledged, and tell whether all of it is there, once."""
    refused = [run for run in written.values() if run.code]
    acknowledged = [statement for statement, run in written.items() if not run.code]
    _checked(["heartbeat", "run"], environment)
    listed: Any = json.loads(_checked(["facts", "--status", "active", "--json"], environment).out)
    times = Counter(fact["text"] for fact in (listed["facts"] if isinstance(listed, dict) else listed))
    lost = sum(not times[statement] for statement in acknowledged)
    doubled = sum(times[statement] > 1 for statement in written)
    _row("acknowledged", len(acknowledged), f"lost: {lost}, doubled: {doubled}, refused: {len(refused)}")
    if refused:
        print(f"  the first refusal: {refused[0].err.strip()}")
    return not (lost or doubled or refused)


def _statement(number: int) -> str:
    """Return a statement that shares little with those of other numbers, so that none corrects another."""
    first, second = _WOODS[number % len(_WOODS)], _WOODS[number // len(_WOODS) % len(_WOODS)]
    return f"Crate {number} holds {first} {second} sample {number * 7919 % 100003}"


def _run(arguments: list[str], environment: dict[str, str]) -> Ran:
    begun = time.perf_counter()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            [*ENGRAM, *arguments], stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=environment
        )
        _, status, used = os.wait4(process.pid, 0)  # of this process and its children alone; `resource` knows only all
        process.returncode = os.waitstatus_to_exitcode(status)
        texts = [file.read().decode() for file in (out, err) if not file.seek(0)]
    return Ran(process.returncode, time.perf_counter() - begun, used.ru_utime + used.ru_stime, *texts)


def _checked(arguments: list[str], environment: dict[str, str]) -> Ran:
    ran = _run(arguments, environment)
    if ran.code:
        sys.exit(f"engram {' '.join(arguments)} left with {ran.code}: {ran.err}")
    return ran


def _environment(workspace: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ENGRAM_", "PYTHONDONTWRITE"))}
    return {**kept, "ENGRAM_WORKSPACE": str(workspace), "ENGRAM_EMBEDDINGS": "none"}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
