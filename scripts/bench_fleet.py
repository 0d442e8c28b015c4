"""A fleet over one PostgreSQL: scripts/bench fleet [--workspaces N] [--workers N] [--seconds S] [--sizes N,N,N].

First the server alone: what adding, connecting, appending, a lease and a list cost as workspaces come. Then the whole
product: workers that run heartbeats and are killed at random, while two processes write and one asks. It is counted
what was acknowledged and is in no journal, in two places or in another's, and which ticks began later than their
interval. Leaves with 1 when there are some.
"""

import argparse
import math
import sys
import tempfile
from pathlib import Path

from generated_text import quantile

from tests.postgres.fleet_run import Costs
from tests.postgres.fleet_run import measure_costs
from tests.postgres.fleet_run import run_fleet
from tests.postgres.server import running_server


def main() -> int:
    """Run it and print the tables."""
    parser = argparse.ArgumentParser(prog="scripts/bench fleet", description=__doc__)
    parser.add_argument("--workspaces", type=int, default=1000, help="0: the server alone")
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--every", type=int, default=300, metavar="SECONDS", help="interval of the heartbeats")
    parser.add_argument("--sizes", default="10,100,1000", help="of the fleets with which the server alone is measured")
    parser.add_argument("--seed", type=int, default=18)
    asked = parser.parse_args()
    sizes = [int(size) for size in asked.sizes.split(",") if size]
    with running_server() as server, tempfile.TemporaryDirectory() as folder:
        if sizes:
            print_costs(measure_costs(server, sizes, lambda one: print(one, file=sys.stderr, flush=True)))
        if not asked.workspaces:
            return 0
        outcome = run_fleet(
            server,
            Path(folder),
            workspaces=asked.workspaces,
            workers=asked.workers,
            seconds=asked.seconds,
            every_s=asked.every,
            seed=asked.seed,
        )
    lags = list(outcome.lags_s) or [0.0]
    rows = {
        "workspaces": asked.workspaces,
        "workers": asked.workers,
        "first round, s": round(outcome.filled_s),
        "seconds": round(outcome.seconds),
        "ticks": outcome.ticks,
        **{f"  {status}": count for status, count in sorted(outcome.statuses.items())},
        "workers killed": outcome.kills,
        "writes acknowledged": outcome.commands,
        "questions": outcome.questions,
        "lost": len(outcome.lost),
        "doubled": len(outcome.doubled),
        "in another's journal": len(outcome.strayed),
        "tick begins late by, p50 s": round(quantile(lags, 0.5), 1),
        "tick begins late by, p95 s": round(quantile(lags, 0.95), 1),
        "latest, s": round(max(lags), 1),
        f"later than {asked.every} s": outcome.late,
    }
    for name, value in rows.items():
        print(f"{name:28}{value:>10}")
    for what in (*outcome.lost[:5], *outcome.doubled[:5], *outcome.strayed[:5]):
        print(f"  {what}", file=sys.stderr)
    return 0 if outcome.holds else 1


def print_costs(told: list[Costs]) -> None:
    """Print a row for each step: its cost at each size, and the exponent with which it grows from first to last."""
    print(f"{'workspaces':16}" + "".join(f"{one.workspaces:>12}" for one in told) + f"{'exponent':>12}")
    for place, name in enumerate(Costs._fields[1:], 1):
        values = [float(one[place]) for one in told]
        grown = math.log(told[-1].workspaces / told[0].workspaces) if len(told) > 1 else 0.0
        exponent = math.log(values[-1] / values[0]) / grown if grown and values[0] > 0 and values[-1] > 0 else 0.0
        print(f"{name:16}" + "".join(f"{value:12.1f}" for value in values) + f"{exponent:12.2f}")
    print()


if __name__ == "__main__":
    sys.exit(main())
