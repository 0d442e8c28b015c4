"""How sure a fact is once those who were given it said whether it helped, and how well confidence foretold that."""

from collections.abc import Iterable
from collections.abc import Mapping
from itertools import pairwise
from typing import Any
from typing import Final

from engram.model.fact import Fact
from engram.model.fact import Usage
from engram.ports.overview import RatedFact

_STATED_WEIGHT: Final = 4  # ratings that the confidence with which a fact was stated counts for
_BANDS: Final = (0.0, 0.5, 0.7, 0.8, 0.9, 1.0)  # of confidence, each from one bound to before the next; 1 in the last


def rated_confidence(stated: float, useful: int, wrong: int) -> float:
    """Return the confidence of a fact after its ratings, 0 to 1: they outweigh what was stated from the fifth on."""
    return (stated * _STATED_WEIGHT + useful) / (_STATED_WEIGHT + useful + wrong)


def rated_confidences(facts: Iterable[Fact], usages: Mapping[str, Usage]) -> dict[str, float]:
    """Return fact id -> confidence, of those that somebody rated."""
    used = [(fact, usages[fact.id]) for fact in facts if fact.id in usages]
    return {
        fact.id: rated_confidence(fact.confidence, use.useful_count, use.wrong_count)
        for fact, use in used
        if use.useful_count or use.wrong_count
    }


def calibration(rated: Iterable[RatedFact]) -> dict[str, Any]:
    """Return how well the stated confidence foretold the ratings.

    {"ratings", "brier", "bands": [{"from", "to", "ratings", "confidence", "useful"}]}: the Brier score is the mean
    squared difference of confidence and outcome (1 useful, 0 wrong), None without ratings; a band tells the mean
    confidence of its ratings, and the share of them that were useful.
    """
    facts = [one for one in rated if one.useful_count + one.wrong_count > 0]
    total = sum(one.useful_count + one.wrong_count for one in facts)
    missed = sum(one.useful_count * (1 - one.confidence) ** 2 + one.wrong_count * one.confidence**2 for one in facts)
    bounds = pairwise(_BANDS)
    bands = [band for low, high in bounds if (band := _band(facts, low, high)) is not None]
    return {"ratings": total, "brier": round(missed / total, 4) if total else None, "bands": bands}


def _band(facts: Iterable[RatedFact], low: float, high: float) -> dict[str, Any] | None:
    within = [one for one in facts if low <= one.confidence < high or one.confidence == high == _BANDS[-1]]
    useful = sum(one.useful_count for one in within)
    ratings = useful + sum(one.wrong_count for one in within)
    if not ratings:
        return None
    mean = sum(one.confidence * (one.useful_count + one.wrong_count) for one in within) / ratings
    shares = {"confidence": round(mean, 4), "useful": round(useful / ratings, 4)}
    return {"from": low, "to": high, "ratings": ratings, **shares}
