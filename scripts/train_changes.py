#!/usr/bin/env python3
"""Learn how likely a newer statement makes an older one out of date, and print how well it goes.

    scripts/train_changes.py DATA [--write FILE] [--measure DIR]

Some files of `judge_chats/` are chains of chats of one person over months, in which statements are marked; the files of
the same names in `change_pairs/` say which of them made which out of date. `change_homes/` holds lists of what one
person said, many of it of one thing, with what is over. All other pairs of a chain did not, and hardly any of the
statements that readers marked in the notes of one agent, of DATA, did. What was said in one chat is never compared.
What is printed was measured on people who were not learned from, in nine parts of which each is left out in turn; with
--measure on those in a folder, which nothing is learned from.
"""

import argparse
import json
import math
from collections import defaultdict
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from told_changes import CHATS
from told_changes import PARTS
from told_changes import Pair
from told_changes import read_others
from told_changes import read_told

from engram.language.compare.updates.likely_change import WORDS
from engram.language.compare.updates.likely_change import LearnedChange
from engram.language.compare.updates.likely_change import Tree
from engram.language.compare.updates.likely_change import chances_of
from engram.language.compare.updates.likely_features import rival_features
from engram.services.recall.validity.likely import LEAST
from engram.services.recall.validity.likely import PERHAPS
from engram.services.recall.validity.likely import likeliest

STRENGTH = 0.3  # C of the regressions
STRENGTH_OF_WORDS = 0.05
FEWEST_PEOPLE = 3  # that have a word, before anything is learned of it
MOST_WORDS = 800
OF_TREES = 0.6  # share of the trees in the score
MISSED = 0.01  # share of what trees would make likely that they are not asked for: most of all pairs are not
OF_CHAINS, OF_LOOK_ALIKES = 3.0, 1.25  # weights: chains are what people say, lists hold more look-alikes than that
BOOSTING: dict[str, Any] = {
    "n_estimators": 150,
    "max_depth": 4,
    "learning_rate": 0.08,
    "min_samples_leaf": 20,
    "subsample": 0.6,
    "max_features": 6,
    "random_state": 1,
}
SHOWN = (0.1, 0.2, 0.3, 0.4, 0.45, 0.5, 0.55, 0.6)  # chances at which is printed how often they are right

Numbers = NDArray[np.float64]


def part_of(group: str, groups: Sequence[str]) -> int:
    """Return the part of a person: those of a kind are dealt one after the other."""
    if group.startswith("other"):
        return int(group.split()[1])
    alike = [one for one in groups if one[:3] == group[:3]]
    return alike.index(group) % PARTS


def learn(pairs: Sequence[Pair]) -> LearnedChange:
    """Return what tells changes from other pairs, with numbers of few digits.

    What words tell is a feature of its own: while the rest is learned, it comes from people who did not say them.
    """
    told = [pair for pair in pairs if pair.is_learned]
    told_by_others = [0.0] * len(pairs)
    groups = sorted({pair.group for pair in pairs})
    parts = [part_of(pair.group, groups) for pair in pairs]
    for part in range(PARTS):
        words = learn_words([one for one, of in zip(pairs, parts, strict=True) if of != part and one.is_learned])
        for place, pair in enumerate(pairs):
            if parts[place] == part:
                told_by_others[place] = _told(pair, words)
    seen = [pair.features | {WORDS: score} for pair, score in zip(pairs, told_by_others, strict=True)]
    learned = LearnedChange(learn_words(told), 0.0, [], 0.0, [], -math.inf, [])
    return _learn_scores(pairs, seen, learned)


def learn_words(pairs: Sequence[Pair]) -> dict[str, float]:
    """Return the words that tell most, each with its weight."""
    people: dict[str, set[str]] = defaultdict(set)
    for pair in pairs:
        for word in pair.words:
            people[word].add(pair.home if pair.group.startswith("other") else pair.group)
    known = {word: at for at, word in enumerate(sorted(one for one, by in people.items() if len(by) >= FEWEST_PEOPLE))}
    cells = [(row, known[word]) for row, pair in enumerate(pairs) for word in pair.words if word in known]
    rows, columns = zip(*cells, strict=True)
    table = csr_matrix((np.ones(len(cells)), (rows, columns)), shape=(len(pairs), len(known)))
    regression = LogisticRegression(C=STRENGTH_OF_WORDS, max_iter=200, solver="liblinear")
    weights = regression.fit(table, [pair.is_change for pair in pairs]).coef_[0]
    telling = np.argsort(-np.abs(weights) * np.sqrt(np.asarray(table.sum(0))[0]), kind="stable")[:MOST_WORDS]
    names = [*known]
    return {names[at]: round(float(weights[at]), 3) for at in sorted(telling)}


def _told(pair: Pair, words: Mapping[str, float]) -> float:
    return sum(words.get(word, 0.0) for word in pair.words)


def _learn_scores(pairs: Sequence[Pair], seen: Sequence[dict[str, float]], words: LearnedChange) -> LearnedChange:
    is_told = np.array([pair.is_learned for pair in pairs])
    are_changes = np.array([pair.is_change for pair in pairs])[is_told]
    own: Numbers = np.array([[*one.values()] for one in seen], dtype=float)
    bias, weights = _regression(own[is_told], are_changes)
    rivals = _rivals(pairs, bias + own @ np.array(weights))
    rows = np.c_[own, rivals][is_told]
    amounts = np.array([_amount(pair) for pair in pairs if pair.is_learned])
    last_bias, last = _regression(rows, are_changes, amounts)
    boosted = GradientBoostingClassifier(**BOOSTING).fit(rows, are_changes, amounts)
    share = float((amounts * are_changes).sum() / amounts.sum())
    prior = math.log(share / (1 - share))
    learned = words._replace(
        first_bias=round(bias, 4),
        first=[round(one, 4) for one in weights],
        bias=round((1 - OF_TREES) * last_bias + OF_TREES * prior, 4),
        weights=[round((1 - OF_TREES) * one, 4) for one in last],
        trees=[_tree(one.tree_, 0, boosted.learning_rate * OF_TREES) for (one,) in boosted.estimators_],
    )
    alone = learned.bias + rows @ np.array(learned.weights)
    both = alone + OF_TREES * (boosted.decision_function(rows) - prior)
    least = np.quantile(alone[both >= math.log(PERHAPS / (1 - PERHAPS))], MISSED)
    return learned._replace(trees_from=round(float(least), 2))


def _regression(rows: Numbers, are_changes: Any, amounts: Any = None) -> tuple[float, list[float]]:
    mean, spread = rows.mean(0), rows.std(0) + 1e-9
    linear = LogisticRegression(C=STRENGTH, max_iter=3000).fit((rows - mean) / spread, are_changes, amounts)
    weights = linear.coef_[0] / spread
    return float(linear.intercept_[0] - (weights * mean).sum()), [float(one) for one in weights]


def _rivals(pairs: Sequence[Pair], scores: Numbers) -> Numbers:
    homes: dict[str, dict[tuple[int, int], float]] = defaultdict(dict)
    for pair, score in zip(pairs, scores, strict=True):
        homes[pair.home][pair.old, pair.new] = float(score)
    rivals = {home: rival_features(some) for home, some in homes.items()}
    return np.array([[*rivals[pair.home][pair.old, pair.new].values()] for pair in pairs], dtype=float)


def _amount(pair: Pair) -> float:
    """Return how much a pair counts while it is learned from."""
    kind = kind_of(pair)
    if kind == "weeks":
        return OF_CHAINS
    return OF_LOOK_ALIKES if kind in {"home", "told"} and not pair.is_change else 1.0


def _tree(nodes: Any, at: int, share: float) -> Tree:
    if nodes.children_left[at] < 0:
        return round(float(nodes.value[at][0][0]) * share, 4)
    low, high = (_tree(nodes, child[at], share) for child in (nodes.children_left, nodes.children_right))
    return (int(nodes.feature[at]), round(float(nodes.threshold[at]), 4), low, high)


def list_chances(learned: LearnedChange, pairs: Sequence[Pair]) -> list[float]:
    """Return how likely each pair is a change, beside the others of its home."""
    homes: dict[str, dict[tuple[int, int], dict[str, float]]] = defaultdict(dict)
    for pair in pairs:
        homes[pair.home][pair.old, pair.new] = pair.features | {WORDS: _told(pair, learned.words)}
    chances = {home: chances_of(some, learned) for home, some in homes.items()}
    return [chances[pair.home][pair.old, pair.new] for pair in pairs]


def kind_of(pair: Pair) -> str:
    """Return the kind of home of a pair: the first word of its name."""
    return pair.group.partition("-")[0].partition(" ")[0]


def show(kind: str, title: str, told: Sequence[tuple[Pair, float]], counts: Mapping[str, int]) -> None:
    """Print how many changes are found, and how many of what is found are changes."""
    some = sorted(
        (one for one in told if kind_of(one[0]) == kind), key=lambda one: (one[0].home, one[0].new, one[0].old)
    )
    pairs, chances = [pair for pair, _ in some], [chance for _, chance in some]
    changes = [pair.is_change for pair in pairs]
    of_all = sum(count for group, count in counts.items() if group.startswith(kind))
    print(
        f"{kind} {title}: {len(pairs)} pairs, {of_all} changes, average precision"
        f" {average_precision_score(changes, chances) * sum(changes) / of_all:.3f}"
    )
    for least in SHOWN:
        found = [is_one for is_one, one in zip(changes, chances, strict=True) if one >= least]
        print(f"  from {least}: {_shares(found, of_all)}")
    over = likeliest(
        (f"{pair.home} {pair.old:05}", f"{pair.home} {pair.new:05}", chance) for pair, chance in some if chance >= LEAST
    )
    stands = [
        pair.is_change for pair in pairs if over.get(f"{pair.home} {pair.old:05}") == f"{pair.home} {pair.new:05}"
    ]
    print(f"  as recall takes them: {_shares(stands, of_all)}")
    changed = {f"{pair.home} {pair.old:05}" for pair in pairs if pair.is_change}
    print(f"  of what is out of date: {_shares([old in changed for old in over], len(changed))}")


def _shares(found: Sequence[bool], of_all: int) -> str:
    return f"{len(found)} found, precise {sum(found) / max(1, len(found)):.2f}, of all {sum(found) / of_all:.2f}"


def main() -> None:
    """Learn, print, and write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path, help="folder with notes.jsonl")
    parser.add_argument("--write", type=Path, help="file to write what was learned to")
    parser.add_argument(
        "--measure",
        type=Path,
        help="folder with judge_chats/, change_pairs/ and change_homes/ that are only measured on",
    )
    options = parser.parse_args()
    told, counts = read_told(CHATS.parent)
    pairs = [*told, *read_others(options.data)]
    groups = sorted({pair.group for pair in pairs})
    parts = [part_of(pair.group, groups) for pair in pairs]
    measured: list[tuple[Pair, float]] = []
    for part in range(PARTS):
        learned = learn([pair for pair, of in zip(pairs, parts, strict=True) if of != part])
        left = [pair for pair, of in zip(pairs, parts, strict=True) if of == part]
        measured += zip(left, list_chances(learned, left), strict=True)
    for kind in ("passing", "weeks", "home", "told"):
        show(kind, "left out", measured, counts)
    beside = [chance for pair, chance in measured if kind_of(pair) == "other" and pair.is_learned]
    for least in SHOWN:
        print(f"  notes of others, from {least}: {sum(one >= least for one in beside)} of {len(beside)}")
    learned = learn(pairs)
    if options.measure:
        kept, of_kept = read_told(options.measure)
        for kind in ("passing", "weeks", "home"):
            show(kind, "kept aside", [*zip(kept, list_chances(learned, kept), strict=True)], of_kept)
    if options.write:
        text = json.dumps(learned._asdict(), separators=(",", ":"), ensure_ascii=False)
        options.write.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
