"""What waits for review, in which order, and when it is too much. Pure.

The score weighs what waits: a tension is a contradiction that recall may serve, so it counts most; an observation
counts by its kind and by how often it was seen.
"""

import math
from collections.abc import Iterable
from collections.abc import Sequence
from typing import NamedTuple

from engram.config.memory_settings import ReviewSettings
from engram.model.observation import Observation

MOST_SEEN = 8  # times from which seeing it again adds no weight


class Waiting(NamedTuple):
    """How much waits."""

    observations: int
    tensions: int
    quarantined: int
    score: float
    candidates: int = 0  # that are brought today
    names: int = 0  # pairs of entities that may be one


def weight(observation: Observation, settings: ReviewSettings) -> float:
    """Return the weight of an observation: that of its kind, doubled when it was seen twice, three times for four."""
    base: float = getattr(settings, f"{observation.category}_weight")
    return base * (1 + math.log2(min(observation.seen, MOST_SEEN)))


def by_weight(observations: Iterable[Observation], settings: ReviewSettings) -> list[Observation]:
    """Return observations with the weightiest first, older ones first among equals."""
    return sorted(observations, key=lambda one: (-weight(one, settings), one.opened_at, one.id))


def count_waiting(
    observations: Sequence[Observation], tensions: int, quarantined: int, settings: ReviewSettings
) -> Waiting:
    """Return how much waits, with its score."""
    score = tensions * settings.tension_weight + math.fsum(weight(one, settings) for one in observations)
    return Waiting(len(observations), tensions, quarantined, round(score, 2))


def crossed(waiting: Waiting, settings: ReviewSettings) -> list[str]:
    """Return a sentence for each threshold that is reached; none when nobody needs to look yet.

    The sentences hold no counts, so that the same state is not new at every run.
    """
    found = []
    if waiting.observations >= settings.observations:
        found.append(f"{settings.observations} observations or more wait for review: engram review")
    if waiting.tensions >= settings.tensions:
        found.append(f"{settings.tensions} tensions or more wait for review: engram review")
    if not found and waiting.score >= settings.score:
        found.append(f"what waits for review weighs {settings.score:g} or more: engram review")
    return found
