#!/usr/bin/env python3
"""Sends hook events from many processes at once and accounts for each: scripts/soak hooks [--events N] [--processes N].

Each event is a prompt that is worth keeping, background, small talk, an attempt to give orders, or broken; each has its
own words, so that a turn that is lost, doubled or trusted too much is found. Leaves with 1 when one is.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from engram.base.clock import utc_now  # noqa: E402 - the line above makes it known
from engram.operations.setup import make_workspace  # noqa: E402 - as above
from tests.hooks.flood import flood  # noqa: E402 - as above


def main(arguments: list[str]) -> int:
    """Send, account, print."""
    parser = argparse.ArgumentParser(prog="scripts/soak hooks", description=__doc__)
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--processes", type=int, default=16)
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="engram-soak-") as folder:
        root = Path(folder) / "workspace"
        make_workspace(root, {"timezone": "UTC"}, now=utc_now, force=False, dry_run=False)
        begin = time.monotonic()
        account = flood(root, events=asked.events, processes=asked.processes)
        taken = time.monotonic() - begin
    for name, value in account._asdict().items():
        print(f"{name:10}{dict(value) if isinstance(value, dict) else value}")
    print(f"{asked.events} events from {asked.processes} processes in {taken:.0f} s, applying included")
    print("every one is accounted for, none twice" if account.holds() else "THE ACCOUNT DOES NOT HOLD")
    return 0 if account.holds() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
