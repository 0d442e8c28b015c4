"""Measure the rule that opens tensions on what a person decided in reviews.

engram review labels --jsonl > labels.jsonl; python scripts/bench_labels.py labels.jsonl

Each pair of statements is compared anew with the rule of today. It is right when it says that a pair labelled
`contradiction` excludes each other, and wrong when it says so of one labelled `both_true` or `no_conflict`. Pairs that
somebody put together by hand (`kind` is manual) tell what the rule misses; the others were found by it, so they tell
more about precision than about recall.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from engram.language.compare.contradiction.compare import compare
from engram.model.comparison import DISPUTED
from engram.model.comparison import EXCLUDING

Row = dict[str, Any]


def measure(rows: Iterable[Row]) -> dict[str, Counter[str]]:
    """Return, by language and for "all": how many pairs are `hit`, `false`, `missed` and `quiet` (rightly silent)."""
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        if "old" not in row:
            continue
        says = compare(row["new"], row["old"]).kind in EXCLUDING | DISPUTED
        is_one = row["label"] == "contradiction"
        name = ("hit" if is_one else "false") if says else ("missed" if is_one else "quiet")
        for group in (str(row["language"]), "all"):
            counts.setdefault(group, Counter())[name] += 1
    return counts


def show(counts: dict[str, Counter[str]]) -> None:
    """Print precision and recall, one line a language."""
    print(f"{'language':12}{'pairs':>7}{'precision':>11}{'recall':>8}{'false alarms':>14}{'missed':>8}")
    for name, seen in sorted(counts.items(), key=lambda pair: (pair[0] == "all", pair[0])):
        said, there = seen["hit"] + seen["false"], seen["hit"] + seen["missed"]
        shares = f"{_share(seen['hit'], said):>11}{_share(seen['hit'], there):>8}"
        print(f"{name:12}{seen.total():>7}{shares}{seen['false']:>14}{seen['missed']:>8}")


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else "-"


def main() -> None:
    """Read the labels and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labels", type=Path, help="JSON lines of engram review labels --jsonl")
    with parser.parse_args().labels.open(encoding="utf-8") as lines:
        show(measure(json.loads(line) for line in lines if line.strip()))


if __name__ == "__main__":
    main()
