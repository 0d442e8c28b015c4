"""Machines over one PostgreSQL, cut off and killed at random: scripts/bench partitions [--commands N] [--machines N].

Each machine is a process with a folder of its own. While they write, their connections are cut (`pg_terminate_backend`)
and the server is killed (SIGKILL) and started again; every fifth fault is a kill. Some commands are sent by two
machines under one id. Then every machine delivers what waited, and it is counted: commands that are in no record, in
two, and replicas that differ in a byte of the journal or in a digest of the database. Leaves with 1 when there are
some.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from tests.postgres.partitions import run_partitions
from tests.postgres.server import running_server


def main() -> int:
    """Run it and print the table."""
    parser = argparse.ArgumentParser(prog="scripts/bench partitions", description=__doc__)
    parser.add_argument("--commands", type=int, default=10_000)
    parser.add_argument("--machines", type=int, default=4)
    parser.add_argument("--faults", type=int, default=400, help="most cuts and kills together")
    parser.add_argument("--seed", type=int, default=18)
    asked = parser.parse_args()
    with running_server() as server, tempfile.TemporaryDirectory() as folder:
        outcome = run_partitions(
            server,
            Path(folder),
            machines=asked.machines,
            commands=asked.commands,
            faults=asked.faults,
            seed=asked.seed,
        )
    rows = {
        "machines": asked.machines,
        "commands": outcome.commands,
        "answered: not yet shared": outcome.kept,
        "connections cut": outcome.cuts,
        "server killed": outcome.kills,
        "lost": len(outcome.lost),
        "doubled": len(outcome.doubled),
        "replicas that differ": len(outcome.differing),
        "seconds": round(outcome.seconds),
        "commands/s": round(outcome.commands / outcome.seconds, 1),
    }
    for name, value in rows.items():
        print(f"{name:26}{value:>10}")
    for what in (*outcome.lost[:5], *outcome.doubled[:5], *outcome.differing):
        print(f"  {what}", file=sys.stderr)
    return 0 if outcome.holds else 1


if __name__ == "__main__":
    sys.exit(main())
