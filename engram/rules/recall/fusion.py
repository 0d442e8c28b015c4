"""How the scores of several legs become one order.

Scores of different legs cannot be compared, so each leg is brought to 0..1 within the query, and the legs are added
with fixed weights. Measured on conversations (a gold turn among the first ten): words alone .82, equal rank fusion less
than words alone, this .88; a share of .3 to .5 for meaning makes no difference beyond two points.
"""

import math
from collections.abc import Iterable
from collections.abc import Mapping
from typing import NamedTuple

GRAPH = "graph"
"""The leg that only lifts what another one found: being about the entity of a question is no answer to it."""

WEIGHTS: Mapping[str, float] = {"lexical": 0.5, "dense": 0.5, GRAPH: 0.25, "time": 0.25}
"""Share of each leg; the shares of the legs that found something, but the graph's, are scaled to sum to 1.

The graph adds its share of what a candidate has by the others.
"""

WEIGHTS_OF_NAMES: Mapping[str, float] = {**WEIGHTS, "lexical": 0.8, "dense": 0.2}
"""The same for a question with an identifier such as POSTGRES_URL or v2.3.1, whose meaning no model knows.

Measured on identifiers that stand in one of 1,446 documents: first in 394 of 400 answers with equal shares, 400 here.
"""

SESSION_SUPPORT = 0.2
"""What the best session adds to its members, others in proportion: a talk about the question answers it more often."""

_JUDGED = 200  # candidates of a leg without a natural zero between whose scores it is spread over 0..1
_LEAST_SPREAD = 0.15  # cosine between the best and the last of them below which the leg does not tell them apart fully
_GROUP_MEMBERS = 3  # of a session that speak for it; measured better than one, all, or the session as one text


class Fused(NamedTuple):
    """One candidate with its order and where it comes from."""

    id: str
    score: float  # 0 and up, about 1 for the best; order within this answer only
    legs: dict[str, float]  # leg -> its raw score; only legs that found it


def scale(leg: str, scores: Mapping[str, float]) -> dict[str, float]:
    """Return the scores of one leg between 0 and 1, the best 1; nothing below 0.

    Words, the graph and time have a natural zero, nothing found, so theirs are shares of the best. Cosines have none:
    they lie between that of the best and that of the 200th, and their differences count less when these two are close.
    """
    best = max(scores.values(), default=0.0)
    if leg != "dense":
        return {key: max(0.0, score) / best if best > 0 else 0.0 for key, score in scores.items()}
    last = sorted(scores.values(), reverse=True)[:_JUDGED][-1] if scores else 0.0
    spread = max(best - last, _LEAST_SPREAD)
    return {key: max(0.0, (score - best) / spread + 1.0 if best > last else 1.0) for key, score in scores.items()}


def fuse(legs: Mapping[str, Mapping[str, float]], weights: Mapping[str, float] = WEIGHTS) -> list[Fused]:
    """Return every candidate of the legs, best first; ties in order of id.

    Args:
        legs: leg name -> candidate id -> raw score, higher is better. A leg without candidates has no say.
        weights: leg name -> share, above 0; every leg that found something must be named.
    """
    found = {leg: scores for leg, scores in legs.items() if scores}
    total = math.fsum(weights[leg] for leg in found if leg != GRAPH)
    scaled = {leg: scale(leg, scores) for leg, scores in found.items()}
    near = scaled.pop(GRAPH, {})
    fused = []
    for key in _all_keys(found.values()):
        said = math.fsum(weights[leg] / total * scaled[leg].get(key, 0.0) for leg in sorted(scaled))
        score = said * (1 + weights.get(GRAPH, 0.0) * near.get(key, 0.0))
        fused.append(Fused(key, score, {leg: scores[key] for leg, scores in found.items() if key in scores}))
    return in_order(fused)


def add_support(fused: Iterable[Fused], session_of: Mapping[str, str]) -> list[Fused]:
    """Return the candidates with what their session adds to each, best first.

    A session is as strong as its three best members together. A candidate of no session (a fact) stands for itself and
    gets what it would if it were the best session of its strength: it is not pushed down by long talks.
    """
    members = in_order(fused)
    strength = _strengths(members, session_of)
    strongest = max(strength.values(), default=0.0)
    best = members[0].score if members else 0.0
    return in_order(
        one._replace(score=one.score + SESSION_SUPPORT * _share(one, session_of, strength, strongest, best))
        for one in members
    )


def fuse_groups(
    fused: Iterable[Fused], group_of: Mapping[str, str], whole: Mapping[str, float] | None = None
) -> list[Fused]:
    """Return groups (sessions) instead of candidates, best first.

    The best member says that the answer stands here, the three best together that the session is about the question,
    and the session as one text (`whole`: group -> raw score, for those that were found) that all of the question is
    spoken of in it. Each is a z-score over the groups, and they are added.
    """
    members = in_order(fused)
    best: dict[str, float] = {}
    for one in members:
        best.setdefault(group_of[one.id], one.score)
    parts = {"best": z_scores(best), "several": z_scores(_strengths(members, group_of))}
    if whole:
        parts["whole"] = z_scores({group: whole.get(group, 0.0) for group in best})
    return in_order(
        Fused(key, math.fsum(part[key] for part in parts.values()), {name: part[key] for name, part in parts.items()})
        for key in best
    )


def z_scores(scores: Mapping[str, float]) -> dict[str, float]:
    """Return how many standard deviations each score lies above the mean; all 0 when they are equal."""
    if not scores:
        return {}
    mean = math.fsum(scores.values()) / len(scores)
    spread = math.sqrt(math.fsum((score - mean) ** 2 for score in scores.values()) / len(scores))
    if spread <= abs(mean) * 1e-9:  # equal but for rounding
        return dict.fromkeys(scores, 0.0)
    return {key: (score - mean) / spread for key, score in scores.items()}


def in_order(fused: Iterable[Fused]) -> list[Fused]:
    """Return candidates best first, ties in order of id."""
    return sorted(fused, key=lambda one: (-one.score, one.id))


def _strengths(members: Iterable[Fused], group_of: Mapping[str, str]) -> dict[str, float]:
    """Sum the best members of each group; `members` are in order."""
    scores: dict[str, list[float]] = {}
    for one in members:
        if group := group_of.get(one.id):
            scores.setdefault(group, []).append(one.score)
    return {group: math.fsum(values[:_GROUP_MEMBERS]) for group, values in scores.items()}


def _share(
    one: Fused, session_of: Mapping[str, str], strength: Mapping[str, float], strongest: float, best: float
) -> float:
    group = session_of.get(one.id)
    if group:
        return strength[group] / strongest if strongest > 0 else 0.0
    return one.score / best if best > 0 else 0.0


def _all_keys(legs: Iterable[Mapping[str, float]]) -> list[str]:
    return sorted({key for scores in legs for key in scores})
