"""The forecast of each fact by itself, as the rules tell it: what that of a whole store has to agree with."""

import datetime as dt
from collections import Counter
from collections.abc import Iterable
from collections.abc import Sequence
from typing import Any

from engram.base.clock import local_day
from engram.base.clock import to_iso
from engram.config.sections.memory import DecaySettings
from engram.model.fact import Fact
from engram.model.fact import Usage
from engram.rules.life.decay import TIERS
from engram.rules.life.decay import Calendar
from engram.rules.life.decay import age_days
from engram.rules.life.decay import last_used_at
from engram.rules.life.decay import tier
from engram.rules.life.forecast import Ages
from engram.rules.life.forecast import Course
from engram.rules.life.forecast import foresee
from engram.rules.life.forecast import mean_interval
from engram.services.facts.decay_horizon import Horizon
from engram.services.facts.decay_horizon import Live
from engram.services.facts.decay_horizon import assumption
from engram.services.facts.decay_horizon import leaving_rows
from engram.services.facts.decay_horizon import stays
from engram.services.facts.listing import Moment


def forecast(live: Live, moment: Moment, horizon: Horizon, what_if: DecaySettings | None = None) -> dict[str, Any]:
    """Return what `services.facts.forecast` does, of facts that were all read."""
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


def _days(course: Course, until: dt.date) -> dict[str, str | None]:
    return {name: day.isoformat() if day and day <= until else None for name, day in course._asdict().items()}


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
