#!/usr/bin/env python3
"""Whole-process times of hooks, as multiples of a bare interpreter: scripts/bench hooks [--rounds N].

Medians, all cases in turn within each round. "recalled" asks a warm server (`engram mcp`), which is started here when
the release has one. The limits are for a prompt without recall and for one with.
"""

import argparse
import json
import os
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
LIMITS = {"user-prompt, high": 8.0, "user-prompt, nothing": 8.0, "user-prompt, recalled": 12.0}  # times BASE
_WARM_S = 60.0  # for the server to begin to listen


class Case(NamedTuple):
    """One process to time."""

    command: list[str]
    stdin: str = ""


def main(arguments: list[str]) -> int:
    """Time every case and print a table."""
    parser = argparse.ArgumentParser(prog="scripts/bench hooks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=20, help="how often each case is run")
    rounds = parser.parse_args(arguments).rounds
    with tempfile.TemporaryDirectory() as folder:
        cold, warm = Path(folder) / "cold", Path(folder) / "warm"
        for root in (cold, warm):
            _engram(root.parent, "init", str(root), "--owner", "people/anna")
            _engram(root, "write", "--entity", "people/anna", "--create", "--fact", "Anna prefers green tea to coffee")
        _switch_recall_off(cold)
        server = _start_server(warm)
        try:
            cases = _cases(cold, warm if server is not None else None)
            times = _interleaved(cases, rounds)
        finally:
            if server is not None:
                server.kill()
                server.wait()
    base = statistics.median(times[BASE])
    print(f"{'':28}{'median ms':>10}{'best ms':>10}{'times':>8}{'limit':>8}")
    for name, taken in times.items():
        median = statistics.median(taken)
        limit = f"{LIMITS[name]:.0f}" if name in LIMITS else ""
        print(f"{name:28}{median * 1000:10.1f}{min(taken) * 1000:10.1f}{median / base:8.2f}{limit:>8}")
    if server is None:
        print("no warm server could be started: nothing was recalled")
    return 0


def _cases(cold: Path, warm: Path | None) -> dict[str, Case]:
    def case(root: Path, event: str, **fields: str) -> Case:
        sent = {"session_id": "bench", "transcript_path": str(root / "none.jsonl"), "cwd": str(root), **fields}
        return Case(
            [*ENGRAM, "--workspace", str(root), "hooks", "run", event, "--host", "claude-code"], json.dumps(sent)
        )

    found = {
        BASE: Case([sys.executable, "-c", "pass"]),
        "import click": Case([sys.executable, "-c", "import click"]),
        "user-prompt, high": case(cold, "user-prompt", prompt="I prefer short meetings, no more than 20 minutes"),
        "user-prompt, nothing": case(cold, "user-prompt", prompt="please run the tests again"),
        "post-tool": case(cold, "post-tool", hook_event_name="PostToolUse"),
        "stop, nothing to capture": case(cold, "stop"),
    }
    if warm is not None:
        found["user-prompt, recalled"] = case(warm, "user-prompt", prompt="does Anna prefer tea or coffee?")
    return found


def _interleaved(cases: Mapping[str, Case], rounds: int) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in cases}
    for number in range(rounds + 1):
        for name, case in cases.items():
            begin = time.perf_counter()
            done = subprocess.run(
                case.command, input=case.stdin, capture_output=True, text=True, check=False, env=_env()
            )
            taken = time.perf_counter() - begin
            if done.returncode or done.stderr:
                sys.exit(f"{name} left with {done.returncode}: {done.stderr}")
            if name.endswith("recalled") and "green tea" not in done.stdout:
                sys.exit(f"{name}: nothing was recalled: {done.stdout!r}")
            if number:  # the first round only warms the caches
                times[name].append(taken)
    return times


def _switch_recall_off(root: Path) -> None:
    with (root / "engram.toml").open("a") as settings:
        settings.write('\n[hooks]\nrecall = "off"\n')


def _start_server(root: Path) -> subprocess.Popen[bytes] | None:
    """Start a warm server and wait until it answers; None when it cannot be had."""
    from engram.warm.client import ask  # noqa: PLC0415 - beside its one use

    os.environ.update(_env())
    server = subprocess.Popen(
        [*ENGRAM, "--workspace", str(root), "mcp"],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=_env(),
    )  # fmt: skip
    deadline = time.monotonic() + _WARM_S
    while time.monotonic() < deadline and server.poll() is None:
        if ask(root, {"do": "ping"}, 1.0) is not None:
            return server
        time.sleep(0.1)
    server.kill()
    server.wait()
    return None


def _engram(folder: Path, *arguments: str) -> None:
    done = subprocess.run([*ENGRAM, *arguments], cwd=folder, capture_output=True, text=True, check=False, env=_env())
    if done.returncode:
        sys.exit(f"{' '.join(arguments)} left with {done.returncode}: {done.stderr}")


def _env() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ENGRAM_")}
    return {**kept, "ENGRAM_EMBEDDINGS": "none"}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
