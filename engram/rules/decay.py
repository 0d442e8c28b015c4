"""When a fact is hot, warm or cold, and when it stands in the summary: computed when read, never stored.

Ages are whole days of the workspace's zone, so that tiers change only when a day turns. With the activity clock only
days on which the journal has records count: a workspace that nobody used for a month has forgotten nothing.
"""

import datetime as dt
from bisect import bisect_right
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Final
from typing import NamedTuple

from engram.base.clock import local_day
from engram.config.settings import DecaySettings
from engram.model.fact import Abstraction
from engram.model.fact import Fact
from engram.model.fact import Usage

HOT: Final = "hot"  # used lately
WARM: Final = "warm"  # used not long ago, or often
COLD: Final = "cold"  # kept, but out of the summary
TIERS: Final = (HOT, WARM, COLD)

_SURE = 0.5  # confidence below which a fact goes cold early


def tier(fact: Fact, usage: Usage | None, *, age: int, settings: DecaySettings) -> str:
    """Return "hot", "warm" or "cold" for a fact last used `age` days ago; `usage` is None when it was never used."""
    if age > settings.warm_days or (fact.confidence < _SURE and age > settings.unsure_days):
        often = usage is not None and usage.access_count >= settings.kept_accesses
        return WARM if often else COLD
    return HOT if age <= settings.hot_days else WARM


def in_summary(fact: Fact, usage: Usage | None, tier: str) -> bool:
    """Tell whether a live fact of that tier stands in the summary: principles and pinned facts always do."""
    if fact.abstraction == Abstraction.PRINCIPLE or (usage is not None and usage.pinned):
        return True
    return tier != COLD


def last_used_at(fact: Fact, usage: Usage | None) -> dt.datetime:
    """Return when the fact was last recorded, accessed or confirmed, whichever is latest."""
    if usage is None:
        return fact.recorded_at
    return max(at for at in (fact.recorded_at, usage.last_accessed_at, usage.last_confirmed_at) if at is not None)


class Calendar(NamedTuple):
    """What days are to a workspace."""

    zone: dt.tzinfo  # where its midnight is
    active_days: Sequence[dt.date]  # its days with journal records, in order, each once


def age_days(since: dt.datetime, now: dt.datetime, clock: str, calendar: Calendar) -> int:
    """Return the days from `since` to `now`, 0 when `since` is later.

    Args:
        since: when the fact was last used; aware.
        now: the instant that is asked about; aware.
        clock: "wall" counts calendar days, "activity" only the active ones.
        calendar: the workspace's days.
    """
    first, last = local_day(since, calendar.zone), local_day(now, calendar.zone)
    if clock == "wall":
        return max(0, (last - first).days)
    return max(0, bisect_right(calendar.active_days, last) - bisect_right(calendar.active_days, first))


def tiers(
    facts: Iterable[Fact],
    usages: Mapping[str, Usage],
    *,
    now: dt.datetime,
    calendar: Calendar,
    settings: DecaySettings,
) -> dict[str, str]:
    """Return fact id -> tier for all these facts as of `now`."""
    found = {}
    for fact in facts:
        usage = usages.get(fact.id)
        age = age_days(last_used_at(fact, usage), now, settings.clock, calendar)
        found[fact.id] = tier(fact, usage, age=age, settings=settings)
    return found
