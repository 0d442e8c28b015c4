#!/usr/bin/env python3
"""What a crash may cost: what kills, errors, power losses and stops lose of the acknowledged: scripts/bench crash.

scripts/bench crash [--quick] [--class NAME]... [--kills N] [--every N] [--stop-s S] [--folder DIR]
    [--json FILE]

A trial is one fault of one command on a store of its own. Afterwards the next command, or `doctor --fix`, must open the
store; everything acknowledged must be there once; `verify` must pass; a rebuild must give the same. Writers are
commands, hooks, the MCP server, imports and captures. --json writes the rows, as the page shows them
(engram/web/figures/crash.json). Printed is a table, and what was wrong; the exit code is 1 then.
Needs Linux and a C compiler: the faults come from a library that the processes load first (scripts/crash/shim.c).
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from crash import faults
from crash import processes
from crash.table import Row
from crash.table import findings
from crash.table import table
from figures import write_figures


class Size(NamedTuple):
    """How much is tried."""

    kills: int  # processes killed at random moments
    every: int  # of all points, each so many is tried
    states: int  # left by a power loss, of each sequence
    stop_s: float  # for which a process is stopped


FULL = Size(kills=1000, every=1, states=150, stop_s=180)
QUICK = Size(kills=12, every=80, states=2, stop_s=2)


def _kills(folder: Path, size: Size) -> Iterator[Row]:
    from crash.moments import at_random  # noqa: PLC0415 - loads Engram

    yield from at_random(folder, size.kills)


def _points(folder: Path, size: Size) -> Iterator[Row]:
    from crash.points import kills  # noqa: PLC0415 - loads Engram

    yield from kills(folder, size.every)


def _errors(folder: Path, size: Size) -> Iterator[Row]:
    from crash.points import errors  # noqa: PLC0415 - loads Engram

    yield from errors(folder, size.every)


def _power(folder: Path, size: Size) -> Iterator[Row]:
    from crash.power import losses  # noqa: PLC0415 - loads Engram

    yield from losses(folder, size.states)


def _index(folder: Path, size: Size) -> Iterator[Row]:
    from crash.index_pages import torn_index  # noqa: PLC0415 - loads Engram

    yield from torn_index(folder, size.states)


def _stops(folder: Path, size: Size) -> Iterator[Row]:
    from crash.stops import stopped  # noqa: PLC0415 - loads Engram

    yield from stopped(folder, size.stop_s)


CLASSES: dict[str, Callable[[Path, Size], Iterator[Row]]] = {
    "kills": _kills,
    "points": _points,
    "errors": _errors,
    "power": _power,
    "index": _index,
    "stops": _stops,
}


def main() -> int:
    """Try, print the table, and return 1 if anything acknowledged was lost or doubled, or a store stayed shut."""
    parser = argparse.ArgumentParser(prog="scripts/bench crash", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few of each")
    parser.add_argument("--class", dest="classes", choices=CLASSES, action="append", help="default: all")
    parser.add_argument("--kills", type=int, help=f"random kills (default {FULL.kills})")
    parser.add_argument("--every", type=int, help="try each N-th file operation (default 1)")
    parser.add_argument("--states", type=int, help=f"power losses of each sequence (default {FULL.states})")
    parser.add_argument("--stop-s", type=float, help=f"for how long processes are stopped (default {FULL.stop_s:.0f})")
    parser.add_argument("--folder", type=Path, help="where stores are made; a RAM disk is fastest")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows here")
    options = parser.parse_args()
    given = {name: getattr(options, name) for name in Size._fields if getattr(options, name) is not None}
    size = (QUICK if options.quick else FULL)._replace(**given)
    faults.load(Path(__file__), sys.argv[1:])
    processes.preload()
    with tempfile.TemporaryDirectory(prefix="engram-crash-", dir=options.folder) as scratch:
        rows = list(_all(Path(scratch), options.classes or list(CLASSES), size))
    print("\n" + table(rows))
    if options.json:
        command = f"scripts/bench crash{' --quick' if options.quick else ''}"
        counted = (
            {"fault": row.fault, "work": row.work, "trials": row.trials, "broken": len(row.broken)} for row in rows
        )
        write_figures(options.json, command, list(counted))
    broken = findings(rows)
    print(f"\n{broken}" if broken else "\nnothing acknowledged was lost or doubled, and every store could be opened")
    return int(bool(broken))


def _all(folder: Path, classes: list[str], size: Size) -> Iterator[Row]:
    for name in classes:
        began = time.monotonic()
        place = folder / name
        place.mkdir()
        for row in CLASSES[name](place, size):
            print(f"{row.fault}: {row.work}: {row.trials} trials, {len(row.broken)} broken", flush=True)
            if row.broken:
                print(findings([row]), flush=True)
            yield row
        print(f"-- {name}: {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)  # what was loaded for the forks is not taken apart
