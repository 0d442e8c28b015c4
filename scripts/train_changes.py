#!/usr/bin/env python3
"""Learn how likely a newer statement makes an older one out of date, and print how well it goes.

    scripts/train_changes.py DATA [--write FILE] [--measure DIR]

Some files of `judge_chats/` are chains of chats of one person over months, in which statements are marked; the files of
the same names in `change_pairs/` say which of them made which out of date. `change_homes/` holds short lists of what
one person said, many of it of one thing, with what is over. All other pairs of a chain did not, and
hardly any of the statements that readers marked in the notes of one agent, or in one chat, of DATA did. What is printed
was measured on chains that were not learned from, each left out in turn; with --measure on those in a folder, which
nothing is learned from.
"""

import argparse
import itertools
import json
import math
import random
import zlib
from collections import defaultdict
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score

from engram.language.compare.updates.likely_change import LearnedChange
from engram.language.compare.updates.likely_change import Tree
from engram.language.compare.updates.likely_change import chance_of
from engram.language.compare.updates.likely_change import change_features
from engram.language.compare.updates.updates import weigh
from engram.services.recall.validity.likely import LEAST
from engram.services.recall.validity.likely import PERHAPS
from engram.services.recall.validity.likely import likeliest

CHATS = Path(__file__).with_name("judge_chats")
PAIRS = Path(__file__).with_name("change_pairs")
HOMES = Path(__file__).with_name("change_homes")
STRENGTH = 0.3  # C of the regression
FEW_MARKS = "daily-"  # chats of ordinary days, in which hardly two statements are marked: 13 pairs in all
MARGIN = 0.2  # of a score, below the least from which trees have made anything likely
FEWEST_WEIGHED = 30  # statements among which a term is rare or not; a home with fewer counts as one of so many
BOOSTING: dict[str, Any] = {
    "n_estimators": 150,
    "max_depth": 4,
    "learning_rate": 0.07,
    "min_samples_leaf": 20,
    "subsample": 0.6,
    "max_features": 6,
    "random_state": 1,
}
MOST_OF_ONE = 400  # pairs of one agent or chat that are learned from
PARTS = 9  # into which what is no chain is divided
SHOWN = (0.1, 0.2, 0.3, 0.4, 0.5, 0.55, 0.6)  # chances at which is printed how often they are right

Numbers = NDArray[np.float64]
_Place = tuple[int, int]  # chat in the chain, turn in the chat


class Statement(NamedTuple):
    """A marked statement of a chain."""

    place: _Place
    chat: str
    quote: str


class Pair(NamedTuple):
    """An older and a newer statement of one chain."""

    group: str  # the chain, or "other"
    old: str  # where it stands: of one chain in the order in which it was said
    new: str
    is_change: bool
    features: dict[str, float]


def read_statements(chats: Sequence[dict[str, Any]]) -> list[Statement]:
    """Return what is marked in a chain of chats, in order."""
    found = []
    for number, chat in enumerate(chats):
        places = {turn["id"]: place for place, turn in enumerate(chat["turns"])}
        marks = (mark for mark in chat["facts"] if mark["turn"] in places)
        found += [Statement((number, places[mark["turn"]]), chat["id"], mark["quote"]) for mark in marks]
    return sorted(found)


def read_changes(file: Path, statements: Sequence[Statement]) -> set[tuple[Statement, Statement]]:
    """Return which statements of a chain made which out of date."""

    def find(chat: str, quote: str) -> Statement | None:
        of_chat = (one for one in statements if one.chat == chat)
        return next((one for one in of_chat if quote in one.quote or one.quote in quote), None)

    rows = [row for row in map(json.loads, file.read_text(encoding="utf-8").splitlines()) if row["over"]]
    found = ((find(row["old_chat"], row["old_quote"]), find(row["new_chat"], row["new_quote"])) for row in rows)
    return {(old, new) for old, new in found if old is not None and new is not None}


def list_pairs(
    group: str, statements: Sequence[Statement], changes: set[tuple[Statement, Statement]]
) -> Iterator[Pair]:
    """Yield every pair of statements of a chain that were not made in one turn."""
    weights = weigh(one.quote for one in statements)
    for (at, old), (after, new) in itertools.combinations(enumerate(statements), 2):
        if old.place != new.place:
            features = change_features(new.quote, old.quote, weights.of)
            yield Pair(group, f"{group} {at:04}", f"{group} {after:04}", (old, new) in changes, features)


def read_pairs(chats: Path, pairs: Path) -> list[Pair]:
    """Return the pairs of every chain that has a file of changes."""
    found: list[Pair] = []
    for file in sorted(pairs.glob("*.jsonl")):
        rows = (chats / file.name).read_text(encoding="utf-8").splitlines()
        statements = read_statements([json.loads(row) for row in rows])
        found += list_pairs(file.stem, statements, read_changes(file, statements))
    return found


def read_homes(folder: Path) -> list[Pair]:
    """Return the pairs of small homes of statements: one a line, `said` in order and `over` as places in it."""
    found: list[Pair] = []
    for file in sorted(folder.glob("*.jsonl")):
        for home in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
            said, over = home["said"], {tuple(pair) for pair in home["over"]}
            weights = weigh([*said, *[""] * (FEWEST_WEIGHED - len(said))])
            for old, new in itertools.combinations(range(len(said)), 2):
                features = change_features(said[new], said[old], weights.of)
                before, behind = (f"{home['id']} {one:04}" for one in (old, new))
                found.append(Pair(f"home {file.stem}", before, behind, (old, new) in over, features))
    return found


def read_others(data: Path) -> list[Pair]:
    """Return pairs of statements of one agent's notes, and of one chat, in which hardly anything changes."""
    found: list[Pair] = []
    notes: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in map(json.loads, (data / "notes.jsonl").read_text(encoding="utf-8").splitlines()):
        notes[row["agent"]].append(row)
    for agent, rows in sorted(notes.items()):
        marks = [
            (place, row["file"], mark) for place, row in enumerate(sorted(rows, key=_day)) for mark in row["facts"]
        ]
        statements = [Statement((place, at), note, mark["quote"]) for at, (place, note, mark) in enumerate(marks)]
        found += _some(list_pairs(_part(agent), statements, set()))
    for file in (data / "conversations.jsonl", *sorted(CHATS.glob("*.jsonl"))):
        if not (PAIRS / file.name).exists() and not file.name.startswith(FEW_MARKS):
            for chat in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
                found += _some(list_pairs(_part(chat["id"]), read_statements([chat]), set()))
    return found


def _some(pairs: Iterable[Pair]) -> list[Pair]:
    """Return those that share a term, of many a part that is the same every time."""
    told = [pair for pair in pairs if pair.features]
    return random.Random(len(told)).sample(told, min(len(told), MOST_OF_ONE))


def _part(name: str) -> str:
    return f"other {zlib.crc32(name.encode()) % PARTS}"


def _day(row: dict[str, Any]) -> tuple[str, str]:
    return str(row.get("date") or ""), row["file"]


def learn(pairs: Sequence[Pair]) -> LearnedChange:
    """Return what tells changes from other pairs: the mean of a regression and of trees, with numbers of few digits."""
    told = [pair for pair in pairs if pair.features]
    rows: Numbers = np.array([[*pair.features.values()] for pair in told], dtype=float)
    are_changes = [pair.is_change for pair in told]
    mean, spread = rows.mean(0), rows.std(0) + 1e-9
    linear = LogisticRegression(C=STRENGTH, max_iter=3000).fit((rows - mean) / spread, are_changes)
    weights = linear.coef_[0] / spread
    boosted = GradientBoostingClassifier(**BOOSTING).fit(rows, are_changes)
    share = sum(are_changes) / len(told)
    begin = float(linear.intercept_[0] - (weights * mean).sum()) + math.log(share / (1 - share))
    learned = LearnedChange(
        round(begin / 2, 4),
        [round(float(one) / 2, 4) for one in weights],
        -math.inf,
        [_tree(one.tree_, 0, boosted.learning_rate / 2) for (one,) in boosted.estimators_],
    )
    alone = learned.bias + rows @ np.array(learned.weights)
    least = min(score for score, pair in zip(alone, told, strict=True) if chance(learned, pair) >= PERHAPS)
    return learned._replace(trees_from=round(float(least) - MARGIN, 2))


def _tree(nodes: Any, at: int, share: float) -> Tree:
    if nodes.children_left[at] < 0:
        return round(float(nodes.value[at][0][0]) * share, 4)
    low, high = (_tree(nodes, child[at], share) for child in (nodes.children_left, nodes.children_right))
    return (int(nodes.feature[at]), round(float(nodes.threshold[at]), 4), low, high)


def chance(learned: LearnedChange, pair: Pair) -> float:
    """Return how likely a pair is a change; 0 where nothing is in common."""
    return chance_of(pair.features, learned) if pair.features else 0.0


def by_kind(pairs: Sequence[Pair]) -> dict[str, list[int]]:
    """Return the places of the pairs of each kind of chain: by the first word of its name."""
    found: dict[str, list[int]] = defaultdict(list)
    for place, pair in enumerate(pairs):
        found[pair.group.partition("-")[0].partition(" ")[0]].append(place)
    return found


def show(title: str, pairs: Sequence[Pair], chances: Sequence[float]) -> None:
    """Print how many changes are found, and how many of what is found are changes."""
    changes = [pair.is_change for pair in pairs]
    print(
        f"{title}: {len(pairs)} pairs, {sum(changes)} changes,"
        f" average precision {average_precision_score(changes, chances):.3f}"
    )
    for least in SHOWN:
        found = [is_one for is_one, one in zip(changes, chances, strict=True) if one >= least]
        precise, of_all = sum(found) / max(1, len(found)), sum(found) / sum(changes)
        print(f"  from {least}: {len(found)} found, precise {precise:.2f}, of all {of_all:.2f}")
    said = sorted(zip(pairs, chances, strict=True), key=lambda one: (one[0].new, one[0].old))
    over = likeliest((pair.old, pair.new, chance) for pair, chance in said if chance >= LEAST)
    stands = [pair.is_change for pair in pairs if over.get(pair.old) == pair.new]
    precise, of_all = sum(stands) / max(1, len(stands)), sum(stands) / sum(changes)
    print(f"  as recall takes them: {len(stands)} found, precise {precise:.2f}, of all {of_all:.2f}")


def main() -> None:
    """Learn, print, and write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path, help="folder with notes.jsonl and conversations.jsonl")
    parser.add_argument("--write", type=Path, help="file to write what was learned to")
    parser.add_argument(
        "--measure", type=Path, help="folder with judge_chats/ and change_pairs/ that are only measured on"
    )
    options = parser.parse_args()
    chains, others = [*read_pairs(CHATS, PAIRS), *read_homes(HOMES)], read_others(options.data)
    chances: dict[int, float] = {}
    beside: list[float] = []
    for number, group in enumerate(sorted({pair.group for pair in chains})):
        left = [pair for pair in chains if pair.group != group] + [
            one for one in others if one.group != f"other {number}"
        ]
        learned = learn(left)
        chances |= {place: chance(learned, pair) for place, pair in enumerate(chains) if pair.group == group}
        beside += [chance(learned, pair) for pair in others if pair.group == f"other {number}"]
    for kind, told in by_kind(chains).items():
        show(f"{kind} left out", [chains[place] for place in told], [chances[place] for place in told])
    for least in SHOWN:
        print(f"  notes and chats of others, from {least}: {sum(one >= least for one in beside)} of {len(beside)}")
    learned = learn([*chains, *others])
    if options.measure:
        kept = read_pairs(options.measure / "judge_chats", options.measure / "change_pairs")
        kept += read_homes(options.measure / "change_homes")
        for kind, told in by_kind(kept).items():
            show(
                f"{kind} kept aside", [kept[place] for place in told], [chance(learned, kept[place]) for place in told]
            )
    if options.write:
        options.write.write_text(json.dumps(learned._asdict(), separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
