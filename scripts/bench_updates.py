"""Measure whether a newer text finds the older one that it updates or contradicts, and leaves the others alone.

python scripts/bench_updates.py [--data DIR] [--labels FILE]

Each row's new text is written after its old one, which stands beside the old texts of the other rows of its group.
Both are split into statements; the old text is *linked* when one of its statements is superseded by, or stands in a
conflict, an update or a mention with, a statement of the new one; of all but a mention a person
is told, as a *tension*. Every other old text that is linked is a false alarm; it is
*superseded* only when both statements hold the same single-valued slot with different values.
"""

import argparse
import gzip
import json
from collections import Counter
from collections import defaultdict
from pathlib import Path
from typing import Any
from typing import NamedTuple

from bench_labels import measure
from bench_labels import show

from engram.language.compare.contradiction.compare import compare
from engram.language.compare.slots.slots import read_slot
from engram.language.compare.slots.slots import same_value
from engram.language.compare.slots.slots import single_valued
from engram.language.compare.updates.updates import Weights
from engram.language.compare.updates.updates import find_update
from engram.language.compare.updates.updates import weigh
from engram.language.text.statements import BLOCK
from engram.language.text.statements import CODE
from engram.language.text.statements import HEADING
from engram.language.text.statements import split_statements
from engram.model.comparison import EXCLUDING

Row = dict[str, Any]
DATA = Path(__file__).parents[2] / "shared" / "data"
DOCS = ("beam_100k", "beam_500k", "beam_1m", "longmemeval_pooled")
EVERYDAY = "everyday"  # the group of rows without one


class Pair(NamedTuple):
    """One row as it is measured."""

    name: str  # set
    group: str
    old: tuple[str, ...]  # statements
    new: tuple[str, ...]


def bench_updates(rows: list[Row], folder: Path = DATA) -> None:
    """Print, by set: rows, the share linked, and the shares of unrelated old texts superseded and marked."""
    texts = read_texts(rows, folder)
    pairs = [pair for row in rows if (pair := pair_of(row, texts)) is not None]
    groups: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        groups[pair.group].append(pair)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for group in groups.values():
        known = list(dict.fromkeys(pair.old for pair in group))
        weights = weigh(statement for old in known for statement in old)
        for pair in group:
            for old in known:
                kind = link(pair.new, old, weights)
                role = "own" if old == pair.old else "other"
                counts[pair.name][f"{role}:{kind}"] += 1
    print(f"{len(rows) - len(pairs)} rows lack a text, or both texts are the same: not measured")
    print(
        f"{'set':24}{'linked':>8}{'tension':>9}{'rows':>6}"
        f"{'unrelated superseded':>22}{'unrelated marked':>18}{'unrelated':>11}"
    )
    for name, seen in [*sorted(counts.items()), ("all", sum(counts.values(), Counter()))]:
        own = sum(count for key, count in seen.items() if key.startswith("own:"))
        other = sum(count for key, count in seen.items() if key.startswith("other:"))
        linked = own - seen["own:"]
        gone, marked = seen["other:superseded"], other - seen["other:"]
        told = linked - seen["own:mention"]
        found = f"{share(linked, own):>8}{share(told, own):>9}{own:>6}"
        print(f"{name:24}{found}{share(gone, other):>22}{share(marked, other):>18}{other:>11}")


def link(new: tuple[str, ...], old: tuple[str, ...], weights: Weights) -> str:
    """Return "superseded", a kind of conflict, or "" for how the new statements stand to the old ones."""
    kinds = {kind for after in new for before in old if (kind := compare_statements(after, before, weights))}
    return "superseded" if "superseded" in kinds else min(kinds - {"mention"} or kinds, default="")


def compare_statements(new: str, old: str, weights: Weights) -> str:
    """Return how one statement stands to an older one, in one word; "" when both may hold."""
    newer, older = read_slot(new), read_slot(old)
    if newer and older and newer.attribute == older.attribute and single_valued(newer.attribute):
        same_subject = not newer.who or not older.who or newer.who == older.who
        if same_subject and not same_value(newer.value, older.value):
            return "superseded"
    kind = compare(new, old).kind
    if kind in EXCLUDING:
        return kind
    update = find_update(new, old, weights)
    return update.kind if update is not None else ""


def pair_of(row: Row, texts: dict[str, str]) -> Pair | None:
    """Return a row's statements; None when there is nothing to compare."""
    group = row["group"] or EVERYDAY
    if "old_fact" in row:
        question = row["question"].rstrip("? ")
        sides: list[tuple[str, ...]] = [(f"{question}: {row[key]}",) for key in ("old_fact", "new_fact")]
    else:
        sides = [statements(row, side, texts) for side in ("old", "new")]
    old, new = sides
    return Pair(row["set"], group, old, new) if old and new and old != new else None


def statements(row: Row, side: str, texts: dict[str, str]) -> tuple[str, ...]:
    """Return the statements of one side: the texts of the row, else those that its ids name."""
    said = row.get(f"{side}_text") or [texts[key] for key in ids_of(row, side) if key in texts]
    found = [one for text in said for one in split_statements(text) if one.kind not in {CODE, BLOCK, HEADING}]
    return tuple(dict.fromkeys(one.text for one in found))


def ids_of(row: Row, side: str) -> list[str]:
    """Return the document ids that a row names."""
    ids = row.get(f"{side}_ids") or []
    return [one if isinstance(one, str) else f"beam{row['group']}/{one}" for one in ids]


def read_texts(rows: list[Row], folder: Path) -> dict[str, str]:
    """Return the texts of the documents that the rows only name."""
    wanted = {
        key for row in rows for side in ("old", "new") if not row.get(f"{side}_text") for key in ids_of(row, side)
    }
    found: dict[str, str] = {}
    for name in DOCS:
        path = folder / f"{name}.docs.jsonl.gz"
        if path.exists():
            with gzip.open(path, "rt", encoding="utf-8") as lines:
                found |= {doc["id"]: text_of(doc) for doc in map(json.loads, lines) if doc["id"] in wanted}
    return found


def text_of(doc: Row) -> str:
    """Return what the user said in a document."""
    turns = doc.get("turns")
    if turns is None:
        return str(doc["text"])
    return "\n".join(turn["content"] for turn in turns if turn["role"] == "user")


def share(part: int, whole: int) -> str:
    """Return a share with three digits, or a dash when there is nothing to share."""
    return f"{part / whole:.3f}" if whole else "-"


def main() -> None:
    """Measure the set in the data folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--labels", type=Path, help="measure these labels of engram review labels --jsonl instead")
    chosen = parser.parse_args()
    if chosen.labels:
        with chosen.labels.open(encoding="utf-8") as lines:
            show(measure(json.loads(line) for line in lines if line.strip()))
        return
    folder: Path = chosen.data
    with gzip.open(folder / "memory_updates.jsonl.gz", "rt", encoding="utf-8") as lines:
        bench_updates([json.loads(line) for line in lines], folder)


if __name__ == "__main__":
    main()
