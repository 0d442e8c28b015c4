"""What each command of the whole product costs in a workspace of many facts, run as a person runs it: as a process.

For each step the processor time, the time on the clock and the most memory are taken, over the process and what it
started. Processor time says more on a machine that does other things besides. No vectors are made.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

SCRIPTS = Path(__file__).resolve().parent
FACTS_AN_ENTITY = 50
IMPORTED = 3000  # facts of the bulk import


class Cost(NamedTuple):
    """What one step took."""

    cpu_s: float
    wall_s: float
    memory_mb: float


def measure_facts(sizes: list[int], place: Path | None, rounds: int) -> None:
    """Make a store of each size, take every step in it, and print the tables and the exponents.

    Steps that change nothing are taken for `rounds` times, and the median is told.
    """
    told: dict[int, dict[str, Cost]] = {}
    disks: dict[int, dict[str, float]] = {}
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="engram-facts-", dir=place) as folder:
            root = Path(folder) / "workspace"
            numbers = ["--entities", str(max(2, size // FACTS_AN_ENTITY)), "--facts", str(size)]
            made = run_process([sys.executable, str(SCRIPTS / "large_store.py"), str(root), *numbers])
            print(f"made {size} facts in {made.cpu_s:.0f} s of processor time", file=sys.stderr, flush=True)
            told[size] = steps_of(root, rounds)
            disks[size] = {part.name: _folder_mb(part) for part in sorted((root / ".engram").iterdir())}
            disks[size]["life"] = _folder_mb(root / "life")
            print(f"{size}: {told[size]} {disks[size]}", file=sys.stderr, flush=True)
    for title, field in (("processor time, s", 0), ("on the clock, s", 1), ("most memory, MB", 2)):
        print_table(title, {size: {name: cost[field] for name, cost in steps.items()} for size, steps in told.items()})
    print_table("disk, MB", {size: {n: mb for n, mb in disk.items() if mb >= 0.1} for size, disk in disks.items()})
    for size, steps in told.items():
        cost = steps["rebuild database"]
        rebuilt, imported = size / cost.cpu_s, IMPORTED / steps[f"import {IMPORTED}"].cpu_s
        print(f"{size} facts: {rebuilt:.0f} rebuilt and {imported:.0f} imported in a second of processor time")


def steps_of(root: Path, rounds: int) -> dict[str, Cost]:
    """Take every step in a store."""
    done: dict[str, Cost] = {}
    file = root.parent / "more.jsonl"
    entity = "people/name-1"
    file.write_text("".join(map(_line, range(IMPORTED))), encoding="utf-8")
    done["first heartbeat"] = run(root, "heartbeat", "run")
    done["quiet tick"] = repeated(rounds, root, "heartbeat", "run")
    done["write"] = repeated(rounds, root, "write", "--entity", entity, "--fact", "Name 1 keeps a boat at the lake")
    done["facts of one entity"] = repeated(rounds, root, "facts", "--entity", entity)
    done["recall"] = repeated(rounds, root, "recall", "who wants the lake")
    done["context"] = repeated(rounds, root, "context")
    done["graph neighbors"] = repeated(rounds, root, "graph", "neighbors", entity)
    done["timeline"] = repeated(rounds, root, "timeline", entity)
    done["decay"] = repeated(rounds, root, "decay")
    done["decay --forecast"] = repeated(rounds, root, "--json", "decay", "--forecast", "400d")
    done["export for others"] = run(root, "export", str(root.parent / "for-others.jsonl"), "--redacted")
    done["status"] = repeated(rounds, root, "status")
    done["tick after a write"] = run(root, "heartbeat", "run")
    done[f"import {IMPORTED}"] = run(root, "write", "--jsonl", str(file))
    tomorrow = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 86_400))
    done["day-turn tick"] = run(root, "heartbeat", "run", "--now", tomorrow)
    done["rebuild database"] = run(root, "rebuild", "database")
    done["rebuild index"] = run(root, "rebuild", "index")
    return done


def _line(number: int) -> str:
    place, text = number % 60, f"Bulk {number % 60} keeps parcel {number} in row {number * 7919}"
    return json.dumps({"entity": f"projects/bulk-{place}", "fact": text, "category": "context", "create": True}) + "\n"


def repeated(rounds: int, root: Path, *words: str) -> Cost:
    """Return the median of some runs, by processor time."""
    return sorted(run(root, *words) for _ in range(rounds))[rounds // 2]


def run(root: Path, *words: str) -> Cost:
    """Run one command to its end and return what it took; leave when it fails."""
    return run_process([sys.executable, "-m", "engram", "--workspace", str(root), *words])


def run_process(command: list[str]) -> Cost:
    """Run a process to its end and return what it took; leave when it fails.

    The memory told is at least that of this process, with which each begins: no store is made in it.
    """
    paths = [str(SCRIPTS.parent), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths)), "ENGRAM_EMBEDDINGS": "none"}
    begun = time.perf_counter()
    with tempfile.TemporaryFile() as said:
        child = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=said)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            said.seek(0)
            sys.exit(f"{' '.join(command)} left with {child.returncode}: {said.read().decode()}")
    return Cost(used.ru_utime + used.ru_stime, time.perf_counter() - begun, used.ru_maxrss / 1024)


def print_table(title: str, columns: dict[int, dict[str, float]]) -> None:
    """Print a row a name with a column a size, and the exponent from the smallest size to the largest."""
    sizes = sorted(columns)
    first, last = columns[sizes[0]], columns[sizes[-1]]
    grown = math.log(sizes[-1] / sizes[0]) if len(sizes) > 1 else 0.0
    print(f"\n{title:24}" + "".join(f"{size:>12,}" for size in sizes) + f"{'exponent':>12}")
    for name in last:
        values = [columns[size].get(name, 0.0) for size in sizes]
        is_told = grown and first.get(name, 0) > 0 and last[name] > 0
        exponent = f"{math.log(last[name] / first[name]) / grown:.2f}" if is_told else ""
        print(f"{name:24}" + "".join(f"{value:12.2f}" for value in values) + f"{exponent:>12}")


def _folder_mb(path: Path) -> float:
    files = path.rglob("*") if path.is_dir() else (path,)
    return sum(file.stat().st_blocks * 512 for file in files if file.is_file()) / 1e6
