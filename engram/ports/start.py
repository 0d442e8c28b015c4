"""What a start block asks of a store too large to be read whole: the facts that may stand in it."""

import datetime as dt
from collections.abc import Sequence
from typing import NamedTuple
from typing import Protocol

from engram.model.fact import Fact


class TierBounds(NamedTuple):
    """When a fact has to have been used last to be of a tier; None: any time will do."""

    hot_since: dt.datetime | None
    warm_since: dt.datetime | None
    unsure_since: dt.datetime | None  # the same for a fact of little confidence
    kept_accesses: int  # from which on a cold fact counts as warm


class WorkedOn(NamedTuple):
    """The project that somebody works on who begins."""

    path: str
    names: tuple[str, ...]  # in lower case
    sessions: tuple[str, ...]  # held about it
    other_sessions: tuple[str, ...]  # held about other projects


class StartFilter(NamedTuple):
    """Who begins, with what, and when."""

    now: dt.datetime
    scopes: tuple[str, ...]  # that may be seen
    owner: str  # path; empty: nobody
    project: WorkedOn | None  # None: none, or all of them
    in_play: tuple[str, ...]  # paths of entities of which more is wanted than of others
    tiers: TierBounds
    each: int  # facts of each kind


class StartFacts(Protocol):
    """Few of many facts. Order: by entity and number."""

    def facts_to_begin_with(self, wanted: StartFilter) -> list[Fact]:
        """Return the weightiest active facts of each kind that a start block shows, no ended or quarantined ones.

        The kinds: all that hold now, standing instructions and wishes, the owner, the project, promises and days to
        come, recent decisions, what else is hot, and each entity in play. What time takes from the weight of a fact is
        as in `rules.life.importance`; every confirmation counts as a person's.
        """
        ...

    def count_held(self, scopes: Sequence[str], now: dt.datetime) -> int:
        """Return how many facts of these scopes hold now, without archived and quarantined ones."""
        ...
