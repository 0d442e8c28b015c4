"""What waits for review, in which order, and when it is too much. Pure.

The score weighs what waits; an observation counts by its kind and by how often it was seen.
"""

import math
from collections.abc import Iterable
from collections.abc import Sequence
from typing import Final
from typing import NamedTuple

from engram.model.observation import Observation
from engram.model.observation import ObservationCategory

# What stands in the place of a text.
WITHHELD: Final = "(withheld: it tries to give orders to the agent; engram review shows it to a person)"
MOST_SEEN = 8  # times from which seeing it again adds no weight
TENSION_WEIGHT = 4.0  # most of all: until it is settled, recall may serve the wrong one of two facts
WEIGHTS: Final = {
    ObservationCategory.FRICTION: 1.0,  # the unit: an observation that was seen once and comes without an answer
    ObservationCategory.SURPRISE: 1.0,
    ObservationCategory.QUALITY: 1.0,
    ObservationCategory.PATTERN: 0.5,  # most come with a suggestion and are quickly settled
}
MOST_OBSERVATIONS = 20  # that wait, from which the heartbeat says so
MOST_TENSIONS = 5  # likewise
MOST_WEIGHT = 20.0  # that may wait unsaid: as many observations, or as many tensions, as their own limits


class Waiting(NamedTuple):
    """How much waits."""

    observations: int
    tensions: int
    quarantined: int
    score: float
    candidates: int = 0  # that are brought today
    names: int = 0  # pairs of entities that may be one


def weight(observation: Observation) -> float:
    """Return the weight of an observation: that of its kind, doubled when it was seen twice, three times for four."""
    return WEIGHTS[observation.category] * (1 + math.log2(min(observation.seen, MOST_SEEN)))


def by_weight(observations: Iterable[Observation]) -> list[Observation]:
    """Return observations with the weightiest first, older ones first among equals."""
    return sorted(observations, key=lambda one: (-weight(one), one.opened_at, one.id))


def count_waiting(observations: Sequence[Observation], tensions: int, quarantined: int) -> Waiting:
    """Return how much waits, with its score."""
    score = tensions * TENSION_WEIGHT + math.fsum(weight(one) for one in observations)
    return Waiting(len(observations), tensions, quarantined, round(score, 2))


def crossed(waiting: Waiting) -> list[str]:
    """Return a sentence for each threshold that is reached; none when nobody needs to look yet.

    The sentences hold no counts, so that the same state is not new at every run.
    """
    found = []
    if waiting.observations >= MOST_OBSERVATIONS:
        found.append(f"{MOST_OBSERVATIONS} observations or more wait for review: engram review")
    if waiting.tensions >= MOST_TENSIONS:
        found.append(f"{MOST_TENSIONS} tensions or more wait for review: engram review")
    if not found and waiting.score >= MOST_WEIGHT:
        found.append(f"what waits for review weighs {MOST_WEIGHT:g} or more: engram review")
    return found
