"""When a fact is hot, warm or cold, and when it stands in the summary: computed when read, never stored.

Ages are whole days of the workspace's zone, so that tiers change only when a day turns. With the activity clock only
days on which the memory was used count: a workspace that nobody used for a month has forgotten nothing.
"""

import datetime as dt
from bisect import bisect_right
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Final
from typing import NamedTuple

from engram.base.clock import local_day
from engram.base.clock import start_of_day
from engram.config.sections.memory import DecaySettings
from engram.model.fact import Abstraction
from engram.model.fact import Fact
from engram.model.fact import Usage

HOT: Final = "hot"  # used lately
WARM: Final = "warm"  # used not long ago, or often
COLD: Final = "cold"  # kept, but out of the summary
TIERS: Final = (HOT, WARM, COLD)

SURE: Final = 0.5  # confidence below which a fact goes cold early


def tier(fact: Fact, usage: Usage | None, *, age: int, settings: DecaySettings) -> str:
    """Return "hot", "warm" or "cold" for a fact last used `age` days ago; `usage` is None when it was never used."""
    accesses = usage.access_count if usage is not None else 0
    return tier_of(fact.confidence, accesses, age=age, settings=settings)


def tier_of(confidence: float, accesses: int, *, age: int, settings: DecaySettings) -> str:
    """Return the tier of a fact of that confidence, accessed so often and last used `age` days ago."""
    if age > settings.warm_days or (confidence < SURE and age > settings.unsure_days):
        return WARM if accesses >= settings.kept_accesses else COLD
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
    active_days: Sequence[dt.date]  # its days on which the memory was used, in order, each once


def age_days(since: dt.datetime, now: dt.datetime, clock: str, calendar: Calendar) -> int:
    """Return the days from `since` to `now`, 0 when `since` is later.

    Args:
        since: when the fact was last used; aware.
        now: the instant that is asked about; aware.
        clock: "wall" counts calendar days, "activity" only the active ones.
        calendar: the workspace's days.
    """
    return days_between(local_day(since, calendar.zone), local_day(now, calendar.zone), clock, calendar)


def days_between(first: dt.date, last: dt.date, clock: str, calendar: Calendar) -> int:
    """Return the days of that clock from one day to another, 0 when the first is later."""
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


def oldest_use(age: int, now: dt.datetime, clock: str, calendar: Calendar) -> dt.datetime | None:
    """Return the first instant at which what was used last is at most `age` days old now; None when any instant is."""
    today = local_day(now, calendar.zone)
    if clock == "wall":
        return start_of_day(today - dt.timedelta(days=age), calendar.zone)
    place = bisect_right(calendar.active_days, today) - age
    return start_of_day(calendar.active_days[place - 1], calendar.zone) if place > 0 else None


class Reckoning(NamedTuple):
    """By what tiers are computed: an instant, and the settings in force."""

    at: dt.datetime  # aware
    settings: DecaySettings


class Demotion(NamedTuple):
    """A fact whose tier is lower by one reckoning than by another."""

    fact: Fact
    before: str  # hot or warm
    after: str  # warm or cold
    leaves_summary: bool


def find_demotions(
    facts: Iterable[Fact], usages: Mapping[str, Usage], calendar: Calendar, before: Reckoning, after: Reckoning
) -> list[Demotion]:
    """Return the facts that are lower by the later reckoning, in their order; how they are used is as it is now.

    A fact that was used since is young by both, and none of them.
    """
    found = []
    for fact in facts:
        usage = usages.get(fact.id)
        used = last_used_at(fact, usage)
        was, now = (
            tier(fact, usage, age=age_days(used, one.at, one.settings.clock, calendar), settings=one.settings)
            for one in (before, after)
        )
        if TIERS.index(was) < TIERS.index(now):
            leaves = in_summary(fact, usage, was) and not in_summary(fact, usage, now)
            found.append(Demotion(fact, was, now, leaves))
    return found


def shapes_tiers(settings: DecaySettings) -> str:
    """Return those settings in words that decide about tiers, so that two of them can be compared."""
    return settings.model_dump_json(exclude={"survival_share", "survival_count"})


def is_too_many(leaving: int, standing: int, settings: DecaySettings) -> bool:
    """Tell whether more facts would leave the summaries than may at once, of so many that stand in them."""
    return leaving > max(settings.survival_count, int(settings.survival_share * standing))


def is_usual_step(before: Reckoning, after: Reckoning, calendar: Calendar) -> bool:
    """Tell whether one reckoning follows the other by a day or less under the same settings.

    What leaves then leaves on the day that the settings say, however much was learned on one day. A longer step is a
    clock that jumped, a long absence by the wall clock, or a heartbeat that did not run: nobody saw it come.
    """
    days = age_days(before.at, after.at, after.settings.clock, calendar)
    return shapes_tiers(before.settings) == shapes_tiers(after.settings) and days <= 1
