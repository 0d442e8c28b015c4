"""How many facts are in which tier day by day: before today as their uses tell, from today on if nobody uses them.

It says what `forecast` says of each fact, of many of them at once: facts that were used alike are reckoned once,
and only those few that are shown are read whole.
"""

import datetime as dt
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.base.clock import from_iso
from engram.base.clock import local_day
from engram.base.clock import to_iso
from engram.base.day_numbers import FIRST_DAY
from engram.base.day_numbers import day_number
from engram.config.sections.memory import DecaySettings
from engram.ports.columns import FactWear
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.rules.life.decay import COLD
from engram.rules.life.decay import TIERS
from engram.rules.life.decay import WARM
from engram.rules.life.decay import Calendar
from engram.rules.life.decay import days_between
from engram.rules.life.decay import tier_of
from engram.rules.life.forecast import Ages
from engram.rules.life.forecast import Course
from engram.rules.life.forecast import Use
from engram.rules.life.forecast import foresee_use
from engram.rules.life.forecast import interval_of
from engram.services.facts.decay_horizon import SOON_DAYS
from engram.services.facts.decay_horizon import Horizon
from engram.services.facts.decay_horizon import assumption
from engram.services.facts.decay_horizon import stays
from engram.services.facts.listing import Moment
from engram.services.visibility import visible_scopes

PAST_WEEKS: Final = 13  # that are told of the time before today
MOST_SHOWN: Final = 60  # facts that leave, or would take another course


class Worn(NamedTuple):
    """How the live facts that a reader may see were used, and the days of the decay clock."""

    kinds: list[FactWear]
    calendar: Calendar


class FactCourse(NamedTuple):
    """Where a fact is now, and the day numbers on which it leaves.

    None: not within the time, or it has left already.
    """

    tier: str
    alone: tuple[int | None, int | None]  # leaves hot and warm, if nobody uses it again
    expected: tuple[int | None, int | None]  # the same two if it is used as before
    rhythm_days: float | None

    @property
    def leaves(self) -> int | None:
        """The day on which it first leaves a tier."""
        return min(filter(None, self.alone), default=None)


Courses = list[tuple[FactWear, FactCourse]]


def read_wear(database: FactDatabase, moment: Moment, uncounted: Iterable[Mapping[str, Any]] = ()) -> Worn:
    """Return how the live facts were used; `uncounted` are uses (id, at, count) that no heartbeat has counted."""
    scopes = () if moment.caller is None else visible_scopes(moment.caller)
    kinds = database.fact_wear(moment.zone, scopes)
    more = {use["id"]: use for use in uncounted}
    if more:
        kinds = [one for kind in kinds for one in _used_more(kind, more, moment.zone)]
    return Worn(kinds, Calendar(moment.zone, database.active_days(moment.zone)))


def course_report(worn: Worn, moment: Moment, horizon: Horizon, what_if: DecaySettings | None = None) -> dict[str, Any]:
    """Return {"at", "clock", "assumes", "days", "settings", "tiers", "past", "course", "expected", "soon", ...}.

    `past`, `course` and `expected` are columns {"day", "hot", "warm", "cold"}, of one row a week before today and one
    a day from today on. `soon` counts what leaves a tier within 7 days; "leaving" has `count` and the first `ids`.
    "what_if" is null, or has `settings`, `assumes`, `tiers`, `course`, and `changed` with `count` and `ids`, those
    first that leave first.
    """
    courses = courses_of(worn, moment, horizon)
    today = day_number(moment.now, moment.zone)
    leaving = [one for one in courses if one[1].leaves is not None]
    soon = sum(len(kind.ids) for kind, course in leaving if (course.leaves or 0) <= today + SOON_DAYS)
    body: dict[str, Any] = {
        "at": to_iso(moment.now),
        "clock": moment.decay.clock,
        "assumes": assumption(moment.decay, horizon),
        "days": horizon.days,
        "settings": shown_settings(moment.decay),
        "tiers": count_tiers(courses),
        "past": _past(worn, today, moment.decay),
        "course": _course(courses, today, horizon.days),
        "expected": _course(courses, today, horizon.days, as_before=True),
        "soon": soon,
        "leaving": _first_of(leaving),
        "what_if": None,
    }
    if what_if is not None:
        then = _Reckoner(worn.calendar, moment, what_if, horizon).all(worn)
        body["what_if"] = {
            "assumes": assumption(what_if, horizon),
            "settings": shown_settings(what_if),
            "tiers": count_tiers(then),
            "course": _course(then, today, horizon.days),
            "changed": _first_of([new for old, new in zip(courses, then, strict=True) if old != new]),
        }
    return body


def courses_of(worn: Worn, moment: Moment, horizon: Horizon) -> Courses:
    """Return where the facts are now, and when they leave, under the settings in force."""
    return _Reckoner(worn.calendar, moment, moment.decay, horizon).all(worn)


def fact_courses(
    database: FactDatabase, worn: Worn, ids: Sequence[str], moment: Moment, horizon: Horizon, settings: DecaySettings
) -> list[dict[str, Any]]:
    """Return {"id", "entity", "text", "tier", "stays", "rhythm_days", "leaves_hot", "leaves_warm"} of each of these."""
    wanted = set(ids)
    kinds = {key: kind for kind in worn.kinds for key in kind.ids if key in wanted}
    facts = {fact.id: fact for fact in database.list_facts(FactFilter(ids=tuple(ids)))} if ids else {}
    usages = database.usages(ids) if ids else {}
    reckoner = _Reckoner(worn.calendar, moment, settings, horizon)
    shown = []
    for fact in (facts[key] for key in ids if key in facts):
        course = reckoner.one(kinds[fact.id])
        about = {"id": fact.id, "entity": fact.entity, "text": fact.text, "tier": course.tier}
        days = {"leaves_hot": iso_day(course.alone[0]), "leaves_warm": iso_day(course.alone[1])}
        shown.append({**about, "stays": stays(fact, usages.get(fact.id)), "rhythm_days": course.rhythm_days, **days})
    return shown


def iso_day(day: int | None) -> str | None:
    """Return the day of a number as it is written; None of none."""
    return None if day is None else date_of(day).isoformat()


class _Reckoner:
    """The courses of facts under some settings."""

    def __init__(self, calendar: Calendar, moment: Moment, settings: DecaySettings, horizon: Horizon) -> None:
        self._settings, self._calendar = settings, calendar
        self._today = local_day(moment.now, moment.zone)
        self._until = self._today + dt.timedelta(days=horizon.days)
        self._stands_still = horizon.idle and settings.clock == "activity"

    def all(self, worn: Worn) -> Courses:
        return [(kind, self.one(kind)) for kind in worn.kinds]

    def one(self, worn: FactWear) -> FactCourse:
        since = self._between(worn.used_day, None)
        used_for = 0 if worn.accessed_day is None else self._between(worn.recorded_day, worn.accessed_day)
        ages = Ages(since, used_for)
        use = _use(worn)
        interval = interval_of(use.accesses, ages)
        alone, used = (
            foresee_use(use, ages, today=self._today, settings=self._settings, interval=one) for one in (None, interval)
        )
        tier = tier_of(*use, age=since, settings=self._settings)
        rhythm = None if interval is None else round(interval, 1)
        return FactCourse(tier, self._days(alone), self._days(used), rhythm)

    def _between(self, first: int, last: int | None) -> int:
        end = self._today if last is None else date_of(last)
        return days_between(date_of(first), end, self._settings.clock, self._calendar)

    def _days(self, course: Course) -> tuple[int | None, int | None]:
        hot, warm = (
            None if day is None or day > self._until or self._stands_still else (day - FIRST_DAY).days for day in course
        )
        return hot, warm


def _use(kind: FactWear) -> Use:
    return Use(1.0 if kind.is_sure else 0.0, kind.access_count)


def _used_more(kind: FactWear, more: Mapping[str, Mapping[str, Any]], zone: dt.tzinfo) -> list[FactWear]:
    """Return a kind without the facts that were used since, and those by themselves."""
    since = [more[key] for key in kind.ids if key in more]
    if not since:
        return [kind]
    rest = kind._replace(ids=[key for key in kind.ids if key not in more])
    found = [rest] if rest.ids else []
    for use in since:
        at = day_number(from_iso(use["at"]), zone)
        accessed = at if kind.accessed_day is None else max(at, kind.accessed_day)
        count, last = kind.access_count + use["count"], max(at, kind.used_day)
        found.append(kind._replace(ids=[use["id"]], access_count=count, accessed_day=accessed, used_day=last))
    return found


def count_tiers(courses: Courses) -> dict[str, int]:
    """Return how many facts are in each tier now."""
    return {name: sum(len(kind.ids) for kind, course in courses if course.tier == name) for name in TIERS}


def _first_of(courses: Courses) -> dict[str, Any]:
    """Return how many facts these are, and the ids of those that leave a tier first."""
    ordered = sorted(courses, key=lambda one: (one[1].leaves is None, one[1].leaves or 0, one[0]))
    ids: list[str] = []
    for kind, _ in ordered:
        ids += sorted(kind.ids)
        if len(ids) >= MOST_SHOWN:
            break
    return {"count": sum(len(kind.ids) for kind, _ in courses), "ids": ids[:MOST_SHOWN]}


def _course(courses: Courses, today: int, days: int, *, as_before: bool = False) -> dict[str, list[Any]]:
    """Return how many facts are in each tier at every day, if nobody uses them, or if they are used as before."""
    moves = [Counter[str]() for _ in range(days + 1)]
    now = Counter[str]()
    for kind, course in courses:
        here, count = course.tier, len(kind.ids)
        now[here] += count
        hot, warm = course.expected if as_before else course.alone
        steps = [(hot, WARM), (warm, COLD)] if hot != warm else [(warm, COLD)]
        for day, tier in steps:
            if day is not None and 0 <= day - today <= days:
                moves[day - today][here] -= count
                moves[day - today][tier] += count
                here = tier
    columns = _columns()
    for number, change in enumerate(moves):
        now.update(change)
        _add(columns, today + number, now)
    return columns


def _past(worn: Worn, today: int, settings: DecaySettings) -> dict[str, list[Any]]:
    """Return how many of today's facts were in each tier, week by week; earlier uses are taken as evenly spread."""
    clock = _Ticks(worn.calendar, settings.clock)
    columns = _columns()
    for day in range(today - 7 * PAST_WEEKS, today, 7):
        found = Counter[str]()
        for kind in worn.kinds:
            if kind.recorded_day <= day:
                age = _age_then(day, kind, clock)
                found[tier_of(*_use(kind), age=age, settings=settings)] += len(kind.ids)
        _add(columns, day, found)
    return columns


class _Ticks:
    """The decay clock at each day, looked up once."""

    def __init__(self, calendar: Calendar, clock: str) -> None:
        self._calendar, self._is_wall = calendar, clock == "wall"
        self._known: dict[int, int] = {}

    def at(self, day: int) -> int:
        if self._is_wall:
            return day
        if day not in self._known:
            self._known[day] = bisect_right(self._calendar.active_days, date_of(day))
        return self._known[day]


def _age_then(day: int, kind: FactWear, clock: _Ticks) -> int:
    """Return about how old the last use of facts was at a day."""
    if day >= kind.used_day:
        return clock.at(day) - clock.at(kind.used_day)
    began = clock.at(kind.recorded_day)
    last = clock.at(kind.used_day if kind.accessed_day is None else kind.accessed_day)
    step = max(1, round((last - began) / max(1, kind.access_count)))
    return (clock.at(day) - began) % step


def _columns() -> dict[str, list[Any]]:
    return {"day": [], **{name: [] for name in TIERS}}


def _add(columns: dict[str, list[Any]], day: int, counts: Mapping[str, int]) -> None:
    columns["day"].append(iso_day(day))
    for name in TIERS:
        columns[name].append(counts.get(name, 0))


def shown_settings(settings: DecaySettings) -> dict[str, Any]:
    """Return the settings on which a course depends."""
    return settings.model_dump(mode="json", exclude={"survival_share", "survival_count"})


def date_of(day: int) -> dt.date:
    """Return the day of a number."""
    return FIRST_DAY + dt.timedelta(days=day)
