#!/usr/bin/env python3
"""Random sequences of commands against a rebuild and an oracle: scripts/soak sequences [--count N] [--seed N].

Each sequence (2,000 of them by default) gives a memory random commands: statements, corrections, verdicts, undo,
entities that are merged and split, notes, edits in life/, questions, heartbeats, a clock that goes back. They are
applied one by one or several together, by one process that holds the store, and life/ is written now and then.
Afterwards database, life/ and index must be what folding the journal anew makes; every eighth memory must come out of
an archive as it went in, and every twentieth be the same after a rebuild of everything. Then as many histories are told
over both axes of time as an oracle of dictionaries tells them. Leaves with 1 when something differs, and prints the
commands that led there; `--seed N --count 1` tries one again. A sequence takes half a second of a processor.
"""

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ |= {"ENGRAM_EMBEDDINGS": "none", "ENGRAM_NO_WARM_START": "1"}

from tests.heartbeat.in_process import answer_here  # noqa: E402 - the lines above make it known, and set what it reads
from tests.sequence_checks import problems_of  # noqa: E402
from tests.services.facts.test_bitemporal import differences  # noqa: E402
from tests.temporary import use_memory  # noqa: E402

_EVERY = 100  # sequences between two lines that tell how far it is


def sequences(seeds: range, commands: int, folder: Path | None) -> int:
    """Live through sequences; print what was wrong with each, and return with how many something was."""
    bad = 0
    given: Counter[str] = Counter()
    began = time.monotonic()
    for number, seed in enumerate(seeds, 1):
        with tempfile.TemporaryDirectory(prefix="engram-sequence-", dir=folder) as place:
            problems, counts = problems_of(Path(place), seed, commands)
        given += counts
        bad += bool(problems)
        print("\n  ".join(problems), end="\n" if problems else "", flush=True)
        if number % _EVERY == 0:
            print(f"{number} sequences, {bad} differ, {time.monotonic() - began:.0f} s", flush=True)
    print(", ".join(f"{count} {name}" for name, count in sorted(given.items())))
    return bad


def main() -> int:
    """Read the command line, and compare."""
    parser = argparse.ArgumentParser(prog="scripts/soak sequences", description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0, help="of the first")
    parser.add_argument("--commands", type=int, default=20, help="of one sequence (default 20)")
    parser.add_argument("--folder", type=Path, help="where memories are made; else in memory")
    asked = parser.parse_args()
    seeds = range(asked.seed, asked.seed + asked.count)
    use_memory()
    answer_here()
    with tempfile.TemporaryDirectory() as keys:  # none of those that a person signs with
        os.environ["XDG_CONFIG_HOME"] = keys
        bad = sequences(seeds, asked.commands, asked.folder)
    told = [found for seed in seeds if (found := differences(seed))]
    print("\n".join("\n  ".join(found) for found in told))
    print(
        f"{asked.count} sequences, {bad} differ from a rebuild; as many histories, {len(told)} differ from the oracle"
    )
    return int(bool(bad or told))


if __name__ == "__main__":
    sys.exit(main())
