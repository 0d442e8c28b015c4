"""How likely a newer statement makes an older one of the same home out of date, whatever words tell it. Learned, pure.

`updates.find_update` and `former_values` know what is told outright: "moved from 9 to 10". People rather say "Hal's
moving to Leeds, so Gwen is our treasurer" long after "Hal is treasurer". What speaks for a change can be seen all the
same: rare words in common, the same one at the beginning, another value or name, words that tell of a change, and no
other statement that would fit better. None of it tells by itself, and each means something else beside the others.

So a first score is given to each pair that shares a term: a logistic regression over what is seen of the pair. Then
each pair is seen beside its rivals, and two things weigh it, whose scores are averaged: a logistic regression, and
small decision trees of which each corrects those before it (gradient boosting: Friedman 2001).
`scripts/train_changes.py` learns all of it from statements over months and prints how often it is right on those of
others.
"""

import json
import math
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from functools import cache
from functools import lru_cache
from pathlib import Path
from typing import Final
from typing import NamedTuple
from typing import TypeAlias

from engram.language.compare.reading.stems import fold
from engram.language.compare.updates.likely_features import ALIKE
from engram.language.compare.updates.likely_features import Place
from engram.language.compare.updates.likely_features import Rarity
from engram.language.compare.updates.likely_features import change_features
from engram.language.compare.updates.likely_features import rival_features
from engram.language.compare.updates.likely_statement import EASTERN
from engram.language.compare.updates.likely_statement import MAX_CHARS
from engram.language.compare.updates.likely_statement import list_terms
from engram.language.compare.updates.likely_words import TellingWords

WEIGHTS: Final = Path(__file__).with_name("likely_change.json")
WORDS: Final = "words"  # the feature that was itself learned: what the words of both tell

_MOST_SCORE: Final = 60.0  # beyond which a chance is 0 or 1

Tree: TypeAlias = "float | tuple[int, float, Tree, Tree]"
"""What a leaf adds to the score; else the place of a feature, the most it is in the first branch, and both branches."""


class LearnedChange(NamedTuple):
    """What adds up to the logarithm of the odds: a weight for each feature, and a leaf of each tree."""

    words: dict[str, float]  # weight of a word, marked by which statement has it
    first_bias: float  # of the first score, by which rivals are compared
    first: list[float]  # its weights, in the order of the features of a pair
    bias: float
    weights: list[float]  # in the order of the features of a pair, and those of its rivals behind them
    trees_from: float  # score without the trees below which they hardly make anything likely: they are not asked there
    trees: list[Tree]


@lru_cache(maxsize=8192)  # a statement is compared with many
def topic_keys(text: str) -> frozenset[str]:
    """Return keys of which two statements share one when they have a term, or a form of one, in common."""
    return frozenset(_key(term) for term in list_terms(fold(text[:MAX_CHARS])))


def _key(term: str) -> str:
    return term if EASTERN.match(term) else term[:ALIKE]


def change_chances(said: Sequence[str], pairs: Iterable[Place]) -> dict[Place, float]:
    """Return how likely each newer statement makes the older one out of date, 0 to 1, of pairs that share a term.

    Args:
        said: the statements of one home that are compared, oldest first.
        pairs: the places of an older and a newer one that may make it out of date.
    """
    rarity, learned = Rarity(said), _learned()
    telling = TellingWords(learned.words)
    seen: dict[Place, dict[str, float]] = {}
    for old, new in pairs:
        if features := change_features(said[new], said[old], rarity):
            seen[old, new] = features | {WORDS: telling.score(said[new], said[old])}
    return chances_of(seen, learned)


def chances_of(seen: Mapping[Place, Mapping[str, float]], learned: LearnedChange) -> dict[Place, float]:
    """Return the chance that what was learned gives to each pair of a home, by what is seen of it."""
    scores = {pair: learned.first_bias + _linear(features, learned.first) for pair, features in seen.items()}
    rivals = rival_features(scores)
    return {pair: _chance([*features.values(), *rivals[pair].values()], learned) for pair, features in seen.items()}


def _linear(features: Mapping[str, float], weights: Sequence[float]) -> float:
    return sum(weight * value for weight, value in zip(weights, features.values(), strict=True))


def _chance(values: Sequence[float], learned: LearnedChange) -> float:
    score = learned.bias + sum(weight * value for weight, value in zip(learned.weights, values, strict=True))
    if score >= learned.trees_from:
        score += sum(_leaf(tree, values) for tree in learned.trees)
    return 1 / (1 + math.exp(-max(-_MOST_SCORE, min(_MOST_SCORE, score))))


def _leaf(tree: Tree, values: Sequence[float]) -> float:
    while not isinstance(tree, float):
        place, most, low, high = tree
        tree = low if values[place] <= most else high
    return tree


@cache
def _learned() -> LearnedChange:
    return LearnedChange(**json.loads(WEIGHTS.read_text(encoding="utf-8")))
