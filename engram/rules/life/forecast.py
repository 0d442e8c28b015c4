"""When facts will leave the hot and the warm tier, if nobody uses them again and if they are used as before.

The rhythm of a fact is the mean interval of its accesses: the days of the decay clock from its recording to its last
access, divided by their number. It takes two accesses, on another day than that of recording, to have one, and a fact
that was not used for more than twice its interval has lost it. Expected use is one access every interval, counted from
the last one, whole days rounded up.
"""

import datetime as dt
import math
from typing import Final
from typing import NamedTuple

from engram.config.sections.memory import DecaySettings
from engram.model.fact import Fact
from engram.model.fact import Usage
from engram.rules.life.decay import COLD
from engram.rules.life.decay import HOT
from engram.rules.life.decay import tier_of

_FEWEST = 2  # accesses that make a rhythm
_LOST_AFTER: Final = 2.0  # intervals without an access


class Ages(NamedTuple):
    """How old a fact is today, in whole days of the decay clock."""

    since_use: int  # from its last use
    used_for: int = 0  # from its recording to its last access; 0 when it was never used


class Use(NamedTuple):
    """What of a fact decides about its tier, besides its age."""

    confidence: float
    accesses: int


class Course(NamedTuple):
    """The first day on which a fact is no longer in a tier; None: never, or it has left already."""

    leaves_hot: dt.date | None
    leaves_warm: dt.date | None


def mean_interval(usage: Usage | None, ages: Ages) -> float | None:
    """Return the rhythm of a fact in days, None when it has none."""
    return interval_of(usage.access_count if usage is not None else 0, ages)


def interval_of(accesses: int, ages: Ages) -> float | None:
    """Return the rhythm of facts that were accessed so often, as `mean_interval`."""
    if accesses < _FEWEST or not ages.used_for:
        return None
    interval = ages.used_for / accesses
    return None if ages.since_use > _LOST_AFTER * max(interval, 1.0) else interval


def foresee(
    fact: Fact, usage: Usage | None, ages: Ages, *, today: dt.date, settings: DecaySettings, interval: float | None
) -> Course:
    """Return the days on which a fact leaves its tiers, every coming day being one of the decay clock.

    Args:
        fact: a live fact.
        usage: how it was used.
        ages: how old it is.
        today: the day of the ages.
        settings: the limits of the tiers.
        interval: days between its coming accesses; None: nobody uses it again.
    """
    use = Use(fact.confidence, usage.access_count if usage is not None else 0)
    return foresee_use(use, ages, today=today, settings=settings, interval=interval)


def foresee_use(use: Use, ages: Ages, *, today: dt.date, settings: DecaySettings, interval: float | None) -> Course:
    """Return the same of facts that are alike in their confidence and their use."""
    at = tier_of(*use, age=ages.since_use, settings=settings)
    hot = _first_age(use, settings, frozenset({HOT}))
    warm = _first_age(use, settings, frozenset({HOT, "warm"}))
    return Course(
        _day(today, _days_left(hot, ages, interval)) if at == HOT else None,
        _day(today, _days_left(warm, ages, interval, use.accesses, settings)) if at != COLD else None,
    )


def _first_age(use: Use, settings: DecaySettings, within: frozenset[str]) -> int | None:
    """Return the age from which a fact is in none of these tiers."""
    limits = sorted({settings.hot_days + 1, settings.warm_days + 1, settings.unsure_days + 1})
    return next((age for age in limits if tier_of(*use, age=age, settings=settings) not in within), None)


def _days_left(
    limit: int | None,
    ages: Ages,
    interval: float | None,
    accesses: int | None = None,
    settings: DecaySettings | None = None,
) -> int | None:
    """Return in how many days the age reaches the limit, None for never."""
    if limit is None:
        return None
    if interval is None:
        return limit - ages.since_use
    step = max(1, math.ceil(interval))
    coming = max(1, math.ceil(interval) - ages.since_use)  # days to the next access
    if limit - ages.since_use < coming:
        return limit - ages.since_use
    count = accesses + 1 if accesses is not None else 0  # with the next access
    is_kept = settings is not None and count >= settings.kept_accesses
    return coming + limit if limit < step and not is_kept else None


def _day(today: dt.date, days: int | None) -> dt.date | None:
    return None if days is None else today + dt.timedelta(days=days)
