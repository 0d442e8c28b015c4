"""What the benchmarks of whole commands share: a command run as a process, with what it and its children took."""

import json
import resource
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from typing import NamedTuple


class Ran(NamedTuple):
    """What one command took, with all processes that it started and waited for, and what it said."""

    wall: float  # seconds that passed
    cpu: float  # seconds of the processor
    out: dict[str, Any]


def run_engram(*args: str, folder: Path | None = None, environment: Mapping[str, str] | None = None) -> Ran:
    """Run `engram ... --json` in a folder and environment, None for those of this process; leave when it fails."""
    before, begun = _children_cpu(), time.perf_counter()
    command = [sys.executable, "-m", "engram", *args, "--json"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    wall = time.perf_counter() - begun
    if done.returncode:
        sys.exit(f"engram {' '.join(args)} left with {done.returncode}: {done.stderr}")
    return Ran(wall, _children_cpu() - before, json.loads(done.stdout))


def _children_cpu() -> float:
    """Return the seconds of the processor that ended children took."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
