"""What `engram decay` tells: the tiers as they are, what leaves them and when, and what other settings would change.

Uses that the access log holds and no heartbeat has counted yet are counted here.
"""

import datetime as dt
from collections import Counter
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import NamedTuple

from engram.base.clock import from_iso
from engram.base.clock import local_day
from engram.base.clock import to_iso
from engram.config.sections.memory import DecaySettings
from engram.model.fact import Abstraction
from engram.model.fact import Fact
from engram.model.fact import Trust
from engram.model.fact import Usage
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.ports.mirror import MirrorState
from engram.rules.life.decay import TIERS
from engram.rules.life.decay import Calendar
from engram.rules.life.decay import Reckoning
from engram.rules.life.decay import age_days
from engram.rules.life.decay import find_demotions
from engram.rules.life.decay import last_used_at
from engram.rules.life.decay import tier
from engram.rules.life.forecast import Ages
from engram.rules.life.forecast import Course
from engram.rules.life.forecast import foresee
from engram.rules.life.forecast import mean_interval
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


def forecast(live: Live, moment: Moment, horizon: Horizon, what_if: DecaySettings | None = None) -> dict[str, Any]:
    """Return {"at", "until", "days", "clock", "assumes", "tiers", "facts", "weeks"}, and "what_if" for other settings.

    A row of `facts`: {"id", "entity", "text", "tier", "stays", "rhythm_days", "leaves_hot", "leaves_warm", "expected":
    {"leaves_hot", "leaves_warm"}}. The two days are those if nobody uses it again, in `expected` if it is used as
    before; null: not within the time, or it has left already. `stays` says why it stands in the summary all the same:
    principle, pinned, or null. Only facts with a day are rows. A row of `weeks`: {"week", "from", "leave_hot",
    "leave_warm", "expected": {"leave_hot", "leave_warm"}}, without weeks in which nothing leaves. `what_if`:
    {"assumes", "settings", "tiers", "weeks", "changed"}; a row of `changed` is one of `facts` with "then",
    the same four things under the other settings.
    """
    rows = _rows(live, moment, moment.decay, horizon)
    today = local_day(moment.now, moment.zone)
    body: dict[str, Any] = {
        "at": to_iso(moment.now),
        "until": (today + dt.timedelta(days=horizon.days)).isoformat(),
        "days": horizon.days,
        "clock": moment.decay.clock,
        "assumes": assumption(moment.decay, horizon),
        "tiers": _tiers(rows),
        "facts": leaving_rows(rows),
        "weeks": _weeks(rows),
    }
    if what_if is not None:
        other = _compare(rows, _rows(live, moment, what_if, horizon), what_if)
        body["what_if"] = {"assumes": assumption(what_if, horizon), **other}
    return body


def assumption(settings: DecaySettings, horizon: Horizon) -> str:
    """Return in words what a forecast takes the coming days for."""
    if settings.clock == "wall":
        return WALL
    return IDLE if horizon.idle else ACTIVE


def _compare(before: Sequence[dict[str, Any]], then: list[dict[str, Any]], settings: DecaySettings) -> dict[str, Any]:
    keys = ("tier", "leaves_hot", "leaves_warm", "expected")
    changed = [
        {**old, "then": {key: new[key] for key in keys}}
        for old, new in zip(before, then, strict=True)
        if any(old[key] != new[key] for key in keys)
    ]
    shown = settings.model_dump(mode="json", exclude={"survival_share", "survival_count"})
    return {"settings": shown, "tiers": _tiers(then), "weeks": _weeks(then), "changed": changed}


def _rows(live: Live, moment: Moment, settings: DecaySettings, horizon: Horizon) -> list[dict[str, Any]]:
    today = local_day(moment.now, moment.zone)
    until = today + dt.timedelta(days=horizon.days)
    stands_still = horizon.idle and settings.clock == "activity"
    rows = []
    for fact in live.facts:
        usage = live.usages.get(fact.id)
        ages = _ages(fact, usage, moment.now, settings, live.calendar)
        interval = mean_interval(usage, ages)
        alone, used = (
            Course(None, None)
            if stands_still
            else foresee(fact, usage, ages, today=today, settings=settings, interval=one)
            for one in (None, interval)
        )
        rows.append(
            {
                "id": fact.id,
                "entity": fact.entity,
                "text": fact.text,
                "tier": tier(fact, usage, age=ages.since_use, settings=settings),
                "stays": stays(fact, usage),
                "rhythm_days": round(interval, 1) if interval is not None else None,
                **_days(alone, until),
                "expected": _days(used, until),
            }
        )
    return rows


def _ages(fact: Fact, usage: Usage | None, now: dt.datetime, settings: DecaySettings, calendar: Calendar) -> Ages:
    since_use = age_days(last_used_at(fact, usage), now, settings.clock, calendar)
    if usage is None or usage.last_accessed_at is None:
        return Ages(since_use)
    return Ages(since_use, age_days(fact.recorded_at, usage.last_accessed_at, settings.clock, calendar))


def stays(fact: Fact, usage: Usage | None) -> str | None:
    """Return why a fact stands in the summary whatever its tier: principle, pinned, or None."""
    return why_it_stays(fact.abstraction, is_pinned=usage is not None and usage.pinned)


def why_it_stays(abstraction: str, *, is_pinned: bool) -> str | None:
    """Return why what is of that abstraction stands in the summary whatever its tier, as `stays`."""
    if abstraction == Abstraction.PRINCIPLE:
        return "principle"
    return "pinned" if is_pinned else None


def _days(course: Course, until: dt.date) -> dict[str, str | None]:
    return {name: day.isoformat() if day and day <= until else None for name, day in course._asdict().items()}


def leaving_rows(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of those that leave a tier if nobody uses them, the first first."""
    days = ("leaves_hot", "leaves_warm")
    found = [row for row in rows if any(row[name] for name in days)]
    return sorted(found, key=lambda row: (min(filter(None, (row[name] for name in days))), row["id"]))


def _tiers(rows: Iterable[dict[str, Any]]) -> dict[str, int]:
    counts = Counter(row["tier"] for row in rows)
    return {name: counts[name] for name in TIERS}


def _weeks(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what leaves in each ISO week."""
    weeks: dict[dt.date, dict[str, Any]] = {}
    for row in rows:
        for part, days in ((None, row), ("expected", row["expected"])):
            for name, told in (("leaves_hot", "leave_hot"), ("leaves_warm", "leave_warm")):
                if days[name]:
                    week = _week(weeks, dt.date.fromisoformat(days[name]))
                    (week[part] if part else week)[told] += 1
    return [weeks[monday] for monday in sorted(weeks)]


def _week(weeks: dict[dt.date, dict[str, Any]], day: dt.date) -> dict[str, Any]:
    monday = day - dt.timedelta(days=day.weekday())
    year, number, _ = day.isocalendar()
    nothing = {"leave_hot": 0, "leave_warm": 0}
    fresh = {"week": f"{year}-W{number:02d}", "from": monday.isoformat(), **nothing, "expected": {**nothing}}
    return weeks.setdefault(monday, fresh)
