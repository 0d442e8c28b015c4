"""How the scores of several legs become one order.

Scores of different legs cannot be compared, so each leg is z-normalised over its own candidates within the query, and
the z-scores are added with fixed weights. Measured on conversations: a mix of normalised scores beats fusing by rank,
which lets the weaker leg outvote the stronger one.
"""

import math
from collections.abc import Iterable
from collections.abc import Mapping
from typing import NamedTuple

WEIGHTS: Mapping[str, float] = {"lexical": 0.5, "dense": 0.5}
"""Share of each leg; the shares of the legs that found something are scaled to sum to 1."""

_LEAST = {"lexical": 0.1}  # least spread, as a share of the best score: only words have a natural zero to measure from
_ABSENT = 0.5  # standard deviations below a leg's worst candidate at which the leg puts what it did not find

_GROUP_MEMBERS = 3  # of a session that speak for it; measured better than one, all, or the session as one text


class Fused(NamedTuple):
    """One candidate with its order and where it comes from."""

    id: str
    score: float  # standard deviations; order within this answer only
    legs: dict[str, float]  # leg -> its raw score; only legs that found it


def z_scores(scores: Mapping[str, float], *, least: float = 0.0) -> dict[str, float]:
    """Return how many standard deviations each score lies above the mean; all 0 when they are equal.

    `least` is the smallest standard deviation that counts, so that a near tie of a few candidates stays a near tie.
    """
    if not scores:
        return {}
    mean = math.fsum(scores.values()) / len(scores)
    spread = math.sqrt(math.fsum((score - mean) ** 2 for score in scores.values()) / len(scores))
    if spread <= abs(mean) * 1e-9:  # equal but for rounding
        return dict.fromkeys(scores, 0.0)
    return {key: (score - mean) / max(spread, least) for key, score in scores.items()}


def fuse(legs: Mapping[str, Mapping[str, float]], weights: Mapping[str, float] = WEIGHTS) -> list[Fused]:
    """Return every candidate of the legs, best first; ties in order of id.

    Args:
        legs: leg name -> candidate id -> raw score, higher is better. A leg without candidates has no say.
        weights: leg name -> share, above 0; every leg that found something must be named.
    """
    found = {leg: scores for leg, scores in legs.items() if scores}
    total = math.fsum(weights[leg] for leg in found)
    normal = {leg: z_scores(scores, least=_LEAST.get(leg, 0.0) * max(scores.values())) for leg, scores in found.items()}
    floors = {leg: min(scores.values()) - _ABSENT for leg, scores in normal.items()}
    fused = [
        Fused(
            key,
            math.fsum(weights[leg] / total * normal[leg].get(key, floors[leg]) for leg in sorted(found)),
            {leg: scores[key] for leg, scores in found.items() if key in scores},
        )
        for key in _all_keys(found.values())
    ]
    return sorted(fused, key=lambda one: (-one.score, one.id))


def fuse_groups(fused: Iterable[Fused], group_of: Mapping[str, str]) -> list[Fused]:
    """Return groups (sessions) instead of candidates, best first: by the best member and by the three best together.

    The best member says that the answer stands here, the three best that the session is about the question; both as
    z-scores, added. A member counts with what it lies above the weakest candidate: one that says nothing adds nothing.
    """
    members = list(fused)
    weakest = min((one.score for one in members), default=0.0)
    strengths: dict[str, list[float]] = {}
    for one in sorted(members, key=lambda one: -one.score):
        strengths.setdefault(group_of[one.id], []).append(one.score - weakest)
    best = z_scores({group: values[0] for group, values in strengths.items()})
    whole = z_scores({group: math.fsum(values[:_GROUP_MEMBERS]) for group, values in strengths.items()})
    ranked = [Fused(key, best[key] + whole[key], {"best": best[key], "whole": whole[key]}) for key in strengths]
    return sorted(ranked, key=lambda one: (-one.score, one.id))


def _all_keys(legs: Iterable[Mapping[str, float]]) -> list[str]:
    return sorted({key for scores in legs for key in scores})
