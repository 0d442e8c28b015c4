"""Decay: the facts by tier over time, what leaves and when, and what other settings would change."""

from typing import Any
from typing import Final

from engram.config.sections.memory import DecaySettings
from engram.errors import BadValueError
from engram.services.commands import access_counts
from engram.services.facts.decay_horizon import Horizon
from engram.services.facts.tier_course import course_report
from engram.services.facts.tier_course import fact_courses
from engram.services.facts.tier_course import read_wear
from engram.web.asked import Asked
from engram.web.asked import Page

_MOST_DAYS: Final = 730
_USUAL_DAYS: Final = 90
_LARGEST: Final = 3650  # of a setting
_NUMBERS: Final = ("hot_days", "warm_days", "unsure_days", "kept_accesses")
_CLOCKS: Final = ("activity", "wall")


def decay(page: Page, asked: Asked) -> dict[str, Any]:
    """Return what `course_report` does, with the facts that leave, and those that other settings would move.

    `days` is how far to look; `hot_days`, `warm_days`, `unsure_days`, `kept_accesses` and `clock` are other settings.
    """
    workspace, moment = page.workspace, page.moment()
    horizon = Horizon(asked.number("days", _USUAL_DAYS, 1, _MOST_DAYS))
    other = _other(asked, moment.decay)
    with workspace.reading() as database:
        marks = access_counts.read_marks(database.watermarks(access_counts.CONSUMER))
        rows, _ = workspace.answers.accesses.read_after(marks)
        worn = read_wear(database, moment, access_counts.count_uses(rows))
    report = course_report(worn, moment, horizon, other)
    what_if = report["what_if"]
    with workspace.reading() as database:
        leaving = fact_courses(database, worn, report["leaving"].pop("ids"), moment, horizon, moment.decay)
        changed = what_if["changed"].pop("ids") if what_if else []
        before = fact_courses(database, worn, changed, moment, horizon, moment.decay)
        after = fact_courses(database, worn, changed, moment, horizon, other or moment.decay)
    report["leaving"]["facts"] = leaving
    if what_if:
        what_if["changed"]["facts"] = [{**old, "then": new} for old, new in zip(before, after, strict=True)]
    return report


def _other(asked: Asked, now: DecaySettings) -> DecaySettings | None:
    """Return other settings when some are asked for that are not those in force."""
    values = now.model_dump()
    for name in _NUMBERS:
        values[name] = asked.number(name, values[name], 1 if name == "kept_accesses" else 0, _LARGEST)
    values["clock"] = asked.one_of("clock", _CLOCKS, now.clock)
    if values["hot_days"] > values["warm_days"]:
        raise BadValueError("a fact cannot be hot for longer than it is warm", hint="raise warm_days or lower hot_days")
    other = DecaySettings(**values)
    return None if other == now else other
