"""How likely a newer statement makes an older one of the same home out of date, whatever words tell it. Learned, pure.

`updates.find_update` and `former_values` know what is told outright: "moved from 9 to 10". People rather say "Hal's
moving to Leeds, so Gwen is our treasurer" long after "Hal is treasurer". What speaks for a change can be seen all the
same: rare words in common, the same one at the beginning, another value of the same kind, words that tell of a change.
None of it tells by itself, and each means something else beside the others. So two things weigh it, whose scores are
averaged: a logistic regression, and small decision trees of which each corrects those before it (gradient boosting:
Friedman 2001). `scripts/train_changes.py` learns both from chains of statements over months and prints how often they
are right on chains of others.
"""

import json
import math
import re
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from functools import cache
from functools import lru_cache
from pathlib import Path
from typing import Final
from typing import NamedTuple
from typing import TypeAlias

from engram.language.compare.reading.lexicon import load_lexicon
from engram.language.compare.reading.stems import fold
from engram.language.compare.reading.tokens import DATE
from engram.language.compare.reading.tokens import NUMBER
from engram.language.compare.reading.tokens import VERSION
from engram.language.compare.reading.tokens import tokenize
from engram.language.compare.updates.change_words import announces_change
from engram.language.compare.updates.former_values import FormerValue
from engram.language.compare.updates.former_values import find_former_values
from engram.language.compare.updates.former_values import says_former_value
from engram.language.compare.updates.update_statement import content_terms
from engram.language.compare.updates.update_statement import telling_words
from engram.language.compare.updates.update_values import find_values

WEIGHTS: Final = Path(__file__).with_name("likely_change.json")
MAX_CHARS: Final = 400  # of a statement that is read; a longer one tells a story

_DAY: Final = "day"  # of the week
_CLOCK: Final = "clock"
_ALIKE: Final = 5  # first letters that words have in common of which one is a form of the other
_OF_ALIKE: Final = 0.7  # weight of such a word
_SHORTEST_DAY: Final = 4  # letters of a name of a day that an ending may follow
_MOST_WEIGHT: Final = 3.0
_MOST_COUNTED: Final = 2
_FIRST_OF_NEW: Final = 2  # terms at the beginning of the newer one
_FIRST_OF_OLD: Final = 3
_FEW: Final = 3  # terms of a short statement
_EASTERN: Final = re.compile("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]")


Tree: TypeAlias = "float | tuple[int, float, Tree, Tree]"
"""What a leaf adds to the score; else the place of a feature, the most it is in the first branch, and both branches."""


class LearnedChange(NamedTuple):
    """What adds up to the logarithm of the odds: a weight for each feature, and a leaf of each tree."""

    bias: float
    weights: list[float]  # in the order of the features
    trees_from: float  # score without the trees below which they have made nothing likely: most pairs never ask them
    trees: list[Tree]


class _Read(NamedTuple):
    """What is seen of one statement."""

    terms: tuple[str, ...]  # in order, without days
    values: dict[str, frozenset[str]]  # by kind
    tells_change: bool
    has_cue: bool
    is_denial: bool
    ends: bool  # says that something is no more
    former: tuple[FormerValue, ...]  # what it says outright that something was


@lru_cache(maxsize=8192)  # a statement is compared with many
def topic_keys(text: str) -> frozenset[str]:
    """Return keys of which two statements share one when they have a term, or a form of one, in common."""
    return frozenset(_key(term) for term in _terms(fold(text[:MAX_CHARS])))


def _key(term: str) -> str:
    return term if _EASTERN.match(term) else term[:_ALIKE]


def change_chance(new: str, old: str, weight: Callable[[str], float]) -> float:
    """Return how likely the newer statement makes the older one out of date, 0 to 1; 0 when they share no term.

    Args:
        new: what was said later.
        old: what was said before.
        weight: how rare a term is in the statements of their home, 0 to nearly 1 (see `updates.Weights.of`).
    """
    features = change_features(new, old, weight)
    return chance_of(features, _learned()) if features else 0.0


def chance_of(features: Mapping[str, float], learned: LearnedChange) -> float:
    """Return the chance that what was learned gives to what is seen of two statements."""
    values = [*features.values()]
    linear = sum(weight * value for weight, value in zip(learned.weights, values, strict=True))
    score = learned.bias + linear
    if score >= learned.trees_from:
        score += sum(_leaf(tree, values) for tree in learned.trees)
    return 1 / (1 + math.exp(-max(-60.0, min(60.0, score))))


def _leaf(tree: Tree, values: Sequence[float]) -> float:
    while not isinstance(tree, float):
        place, most, low, high = tree
        tree = low if values[place] <= most else high
    return tree


def change_features(new: str, old: str, weight: Callable[[str], float]) -> dict[str, float]:
    """Return what speaks for or against a change, by name; empty when the statements share no term."""
    newer, older = _read(new[:MAX_CHARS]), _read(old[:MAX_CHARS])
    mine, theirs = frozenset(newer.terms), frozenset(older.terms)
    shared, alike = mine & theirs, _forms(mine, theirs)
    if not shared and not alike:
        return {}
    weights = [*map(weight, shared), *(_OF_ALIKE * weight(term) for term in alike)]
    held = math.fsum(weights) / max(1e-6, math.fsum(map(weight, theirs)))
    differ, same, is_day = _compare_values(newer, older)
    return {
        "rarest": max(weights),
        "shared": min(_MOST_WEIGHT, math.fsum(weights)),
        "held": held,
        "begins with it": sum(term in theirs for term in newer.terms[:_FIRST_OF_NEW]) / _FIRST_OF_NEW,
        "began with it": sum(term in mine for term in older.terms[:_FIRST_OF_OLD]) / _FIRST_OF_OLD,
        "same beginning": float(bool(newer.terms and older.terms) and newer.terms[0] == older.terms[0]),
        "length of old": math.log(1 + len(theirs)),
        "short old": float(len(theirs) <= _FEW),
        "tells change": float(newer.tells_change),
        "tells change, held": newer.tells_change * held,
        "cue": float(newer.has_cue),
        "denial, held": newer.is_denial * held,
        "ends": float(newer.ends),
        "ends, held": newer.ends * held,
        "old told a change": float(older.tells_change),
        "other value": min(_MOST_COUNTED, differ),
        "other day": float(is_day),
        "same value": min(_MOST_COUNTED, same),
        "old has value alone": float(bool(older.values) and not newer.values),
        "former value": float(any(says_former_value(old, one) for one in newer.former)),
    }


def _forms(mine: frozenset[str], theirs: frozenset[str]) -> set[str]:
    """Return the terms of the one that begin as a term of the other: swimming and swims."""
    begins = {term[:_ALIKE] for term in theirs - mine if len(term) >= _ALIKE and not _EASTERN.match(term)}
    return {term for term in mine - theirs if term[:_ALIKE] in begins}


def _compare_values(newer: _Read, older: _Read) -> tuple[int, int, bool]:
    """Return how many kinds of values differ, how many have one in common, and whether the days of the week differ."""
    kinds = newer.values.keys() & older.values.keys()
    differing = {kind for kind in kinds if newer.values[kind].isdisjoint(older.values[kind])}
    return len(differing), len(kinds) - len(differing), _DAY in differing


@lru_cache(maxsize=8192)
def _read(text: str) -> _Read:
    folded = fold(text)
    tokens = tokenize(text)
    values: dict[str, set[str]] = {}
    for value in find_values(folded):
        values.setdefault(value.kind, set()).add(value.value)
    for token in tokens.items:
        if token.kind == DATE:
            values.setdefault(_kind_of_date(token.value), set()).add(token.value)
        elif token.kind in {NUMBER, VERSION}:
            values.setdefault(token.kind, set()).add(token.value)
    days = set(_days(folded))
    if days:
        values.setdefault(_DAY, set()).update(days)
    return _Read(
        tuple(_terms(folded)),
        {kind: frozenset(some) for kind, some in values.items()},
        announces_change(text),
        bool(telling_words(folded)),
        tokens.negated,
        bool(tokens.ceased),
        tuple(find_former_values(text)),
    )


def _kind_of_date(value: str) -> str:
    if ":" in value:
        return _CLOCK
    return DATE if value[:1].isdigit() or value[:1] == "-" else _DAY


def _terms(folded: str) -> Iterator[str]:
    """Yield the terms of a text once each, in order; a day of the week is a value, and no term."""
    found = dict.fromkeys(content_terms(folded))
    return (term for term in found if not term.startswith(_day_names()))


def _days(folded: str) -> Iterator[str]:
    """Yield the days of the week that a text names in any form, by their first letters: mondays, montags."""
    return (term[:_SHORTEST_DAY] for term in content_terms(folded) if term.startswith(_day_names()))


@cache
def _day_names() -> tuple[str, ...]:
    return tuple(sorted(day for day in load_lexicon().days if len(day) >= _SHORTEST_DAY))


@cache
def _learned() -> LearnedChange:
    return LearnedChange(**json.loads(WEIGHTS.read_text(encoding="utf-8")))
