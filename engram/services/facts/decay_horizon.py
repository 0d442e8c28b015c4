"""What a forecast of decay goes by: which facts, how far ahead, and what it takes the coming days for.

And which facts a hold keeps in the summaries. Uses that the access log holds and no heartbeat has counted yet are
counted here.
"""

import datetime as dt
from collections.abc import Iterable
from collections.abc import Mapping
from typing import Any
from typing import NamedTuple

from engram.base.clock import from_iso
from engram.base.clock import local_day
from engram.config.sections.memory import DecaySettings
from engram.model.fact import Abstraction
from engram.model.fact import Fact
from engram.model.fact import Trust
from engram.model.fact import Usage
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.ports.mirror import MirrorState
from engram.rules.life.decay import Calendar
from engram.rules.life.decay import Reckoning
from engram.rules.life.decay import find_demotions
from engram.rules.life.mirror import is_shown
from engram.services.facts.listing import Moment

SOON_DAYS = 7  # what the plain report looks ahead
ACTIVE = "every coming day is taken for one on which something is recorded"
IDLE = "nothing is recorded any more, and the activity clock stands still: nothing leaves"
WALL = "days pass by the wall clock"


class Live(NamedTuple):
    """The live facts of a workspace and how they are used."""

    facts: list[Fact]
    usages: dict[str, Usage]
    calendar: Calendar


class Horizon(NamedTuple):
    """How far to look, and how."""

    days: int
    idle: bool = False  # nothing is recorded from now on


def read_live(database: FactDatabase, zone: dt.tzinfo, uncounted: Iterable[Mapping[str, Any]] = ()) -> Live:
    """Return the facts that are live and not quarantined; `uncounted` are uses (id, at, count) yet to be counted."""
    facts = [fact for fact in database.list_facts(FactFilter()) if fact.trust != Trust.QUARANTINED]
    usages = database.usages()
    for use in uncounted:
        known = usages.get(use["id"], Usage(fact_id=use["id"]))
        latest = max(filter(None, (known.last_accessed_at, from_iso(use["at"]))))
        counted = {"access_count": known.access_count + use["count"], "last_accessed_at": latest}
        usages[use["id"]] = known.model_copy(update=counted)
    return Live(facts, usages, Calendar(zone, database.active_days(zone)))


def held_facts(live: Live, moment: Moment, state: MirrorState) -> dict[str, Any] | None:
    """Return {"since", "facts": [{"id", "entity", "text"}]}, None without a hold.

    `since` is the day whose tiers the summaries keep.
    """
    if not state.held or state.basis is None:
        return None
    before, now = Reckoning(state.basis.at, state.basis.decay), Reckoning(moment.now, moment.decay)
    found = find_demotions(live.facts, live.usages, live.calendar, before, now)
    rows = [
        {"id": one.fact.id, "entity": one.fact.entity, "text": one.fact.text}
        for one in found
        if one.leaves_summary and is_shown(one.fact, moment.now)
    ]
    return {"since": local_day(state.basis.at, moment.zone).isoformat(), "facts": rows}


def assumption(settings: DecaySettings, horizon: Horizon) -> str:
    """Return in words what a forecast takes the coming days for."""
    if settings.clock == "wall":
        return WALL
    return IDLE if horizon.idle else ACTIVE


def stays(fact: Fact, usage: Usage | None) -> str | None:
    """Return why a fact stands in the summary whatever its tier: principle, pinned, or None."""
    return why_it_stays(fact.abstraction, is_pinned=usage is not None and usage.pinned)


def why_it_stays(abstraction: str, *, is_pinned: bool) -> str | None:
    """Return why what is of that abstraction stands in the summary whatever its tier, as `stays`."""
    if abstraction == Abstraction.PRINCIPLE:
        return "principle"
    return "pinned" if is_pinned else None


def leaving_rows(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of those that leave a tier if nobody uses them, the first first."""
    days = ("leaves_hot", "leaves_warm")
    found = [row for row in rows if any(row[name] for name in days)]
    return sorted(found, key=lambda row: (min(filter(None, (row[name] for name in days))), row["id"]))
