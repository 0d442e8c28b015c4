"""How much a fact is worth a reader's line: from what it is, how sure it is, who said it how often, and its use. Pure.

No clock passes here, so that the same facts give the same pages. What time takes away is the tier (`rules.life.decay`).
"""

import math
from collections.abc import Mapping
from typing import Final

from engram.model.fact import Abstraction
from engram.model.fact import Actor
from engram.model.fact import Category
from engram.model.fact import Fact
from engram.model.fact import Source
from engram.model.fact import Usage
from engram.rules.life.decay import COLD
from engram.rules.life.decay import HOT
from engram.rules.life.decay import WARM

# What a statement of each kind is worth to somebody who is to act on it, beside the others.
WORTH_OF_KIND: Final[Mapping[Category, float]] = {
    Category.INSTRUCTION: 1.0,
    Category.IDENTITY: 0.95,
    Category.PREFERENCE: 0.9,
    Category.DECISION: 0.9,
    Category.COMMITMENT: 0.9,
    Category.CORRECTION: 0.85,
    Category.LESSON: 0.85,
    Category.RELATIONSHIP: 0.8,
    Category.STATUS: 0.65,
    Category.MILESTONE: 0.6,
    Category.CONTEXT: 0.5,
}
WORTH_OF_VOICE: Final[Mapping[Actor, float]] = {
    Actor.USER: 1.0,
    Actor.FILE: 1.0,  # a person wrote it into a file of life/
    Actor.AGENT: 0.9,
    Actor.IMPORT: 0.85,
    Actor.TOOL: 0.7,
}
GENERALITY: Final[Mapping[Abstraction, float]] = {
    Abstraction.EPISODE: 0.0,
    Abstraction.PATTERN: 0.3,
    Abstraction.PRINCIPLE: 0.6,
}  # share of what is missing to 1 that it makes good
MOST_SAID: Final = 0.5  # share of what is missing that being said again and again makes good
MOST_USED: Final = 0.5  # the same for use
SAID_ENOUGH: Final = 2.0  # repetitions by a person after which two thirds of that are reached
USED_ENOUGH: Final = 8.0  # uses after which two thirds of that are reached
LEFT_IN_TIER: Final[Mapping[str, float]] = {HOT: 1.0, WARM: 0.9, COLD: 0.75}


def importance(fact: Fact, usage: Usage | None) -> float:
    """Return how much a fact matters, 0 to 1; 1 when a person pinned it. `usage` is None when it was never used.

    It rises with confidence, with every repetition (a person's counts most) and with every use.
    """
    if usage is not None and usage.pinned:
        return 1.0
    worth = fact.confidence * WORTH_OF_KIND[fact.category] * WORTH_OF_VOICE[fact.source.actor]
    missing = (1 - worth) * (1 - GENERALITY[fact.abstraction])
    if usage is not None:
        missing *= 1 - MOST_SAID * _reached(_repetitions(usage), SAID_ENOUGH)
        missing *= 1 - MOST_USED * _reached(usage.access_count, USED_ENOUGH)
    return 1 - missing


def salience(fact: Fact, usage: Usage | None, tier: str) -> float:
    """Return a fact's importance as far as it is in use, 0 to 1; `tier` is hot, warm or cold."""
    value = importance(fact, usage)
    return value if usage is not None and usage.pinned else value * LEFT_IN_TIER[tier]


def _repetitions(usage: Usage) -> float:
    """Return how often it was said again, a person counting once and a program less; the latest sources are known."""
    named = sum(_voice(source) for source in usage.confirmed_by)
    return named + max(0, usage.confirm_count - len(usage.confirmed_by)) * WORTH_OF_VOICE[Actor.AGENT] / 2


def _voice(source: Source) -> float:
    is_person = source.actor in {Actor.USER, Actor.FILE}
    return 1.0 if is_person else WORTH_OF_VOICE[source.actor] / 2


def _reached(count: float, enough: float) -> float:
    return 1 - math.exp(-count / enough)
