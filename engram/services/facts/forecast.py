"""What leaves which tier and when, of every fact of a store, and what other settings would change.

Facts that were used alike are reckoned once, and what is shown of a fact is read when its row is told: of a large store
only the ids are held.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from itertools import islice
from typing import Any
from typing import Final

from engram.base.clock import local_day
from engram.base.clock import to_iso
from engram.config.sections.memory import DecaySettings
from engram.ports.columns import FactWear
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.services.facts.decay_horizon import Horizon
from engram.services.facts.decay_horizon import assumption
from engram.services.facts.decay_horizon import why_it_stays
from engram.services.facts.listing import Moment
from engram.services.facts.tier_course import Courses
from engram.services.facts.tier_course import FactCourse
from engram.services.facts.tier_course import Worn
from engram.services.facts.tier_course import count_tiers
from engram.services.facts.tier_course import courses_of
from engram.services.facts.tier_course import date_of
from engram.services.facts.tier_course import iso_day
from engram.services.facts.tier_course import shown_settings

_PAGE: Final = 2_000  # facts of which is read at once what is shown

Row = dict[str, Any]


class Rows:
    """Rows that are made while they are read, as often as they are; their number is known before."""

    def __init__(self, count: int, made: Callable[[], Iterator[Row]]) -> None:
        """Take how many there are, and what makes them."""
        self._count = count
        self._made = made

    def __len__(self) -> int:
        """Return how many there are."""
        return self._count

    def __iter__(self) -> Iterator[Row]:
        """Make them."""
        return self._made()


def forecast(
    database: FactDatabase, worn: Worn, moment: Moment, horizon: Horizon, what_if: DecaySettings | None = None
) -> dict[str, Any]:
    """Return {"at", "until", "days", "clock", "assumes", "tiers", "facts", "weeks"}, and "what_if" for other settings.

    A row of `facts`: {"id", "entity", "text", "tier", "stays", "rhythm_days", "leaves_hot", "leaves_warm", "expected":
    {"leaves_hot", "leaves_warm"}}. The two days are those if nobody uses it again, in `expected` if it is used as
    before; null: not within the time, or it has left already. `stays` says why it stands in the summary all the same:
    principle, pinned, or null. Only facts with a day are rows. A row of `weeks`: {"week", "from", "leave_hot",
    "leave_warm", "expected": {"leave_hot", "leave_warm"}}, without weeks in which nothing leaves. `what_if`:
    {"assumes", "settings", "tiers", "weeks", "changed"}; a row of `changed` is one of `facts` with "then",
    the same four things under the other settings. `facts` and `changed` are `Rows`.
    """
    courses = courses_of(worn, moment, horizon)
    today = local_day(moment.now, moment.zone)
    leaving = [one for one in courses if one[1].leaves is not None]
    body: dict[str, Any] = {
        "at": to_iso(moment.now),
        "until": (today + dt.timedelta(days=horizon.days)).isoformat(),
        "days": horizon.days,
        "clock": moment.decay.clock,
        "assumes": assumption(moment.decay, horizon),
        "tiers": count_tiers(courses),
        "facts": Rows(_count(leaving), lambda: _rows(database, _first_first(leaving))),
        "weeks": _weeks(courses),
    }
    if what_if is not None:
        then = courses_of(worn, moment._replace(decay=what_if), horizon)
        pairs = zip(courses, then, strict=True)
        moved = [(kind, (old, new)) for (kind, old), (_, new) in pairs if _told(old) != _told(new)]
        body["what_if"] = {
            "assumes": assumption(what_if, horizon),
            "settings": shown_settings(what_if),
            "tiers": count_tiers(then),
            "weeks": _weeks(then),
            "changed": Rows(_count(moved), lambda: _changed(database, moved)),
        }
    return body


def fact_row(key: str, entity: str, text: str, abstraction: str, is_pinned: bool, *, course: FactCourse) -> Row:  # noqa: FBT001 - a row of the database
    """Return the row of a fact."""
    return {
        "id": key,
        "entity": entity,
        "text": text,
        "tier": course.tier,
        "stays": why_it_stays(abstraction, is_pinned=is_pinned),
        "rhythm_days": course.rhythm_days,
        **_days(course.alone),
        "expected": _days(course.expected),
    }


def _first_first(leaving: Courses) -> Iterator[tuple[str, FactCourse]]:
    """Yield the facts that leave a tier, by the day on which they do and by id."""
    by_day: defaultdict[int, Courses] = defaultdict(list)
    for kind, course in leaving:
        by_day[course.leaves or 0].append((kind, course))
    for day in sorted(by_day):
        yield from sorted((key, course) for kind, course in by_day[day] for key in kind.ids)


def _rows(database: FactDatabase, facts: Iterator[tuple[str, FactCourse]]) -> Iterator[Row]:
    while page := dict(islice(facts, _PAGE)):
        faces = {face.id: face for face in database.fact_faces(page)}
        yield from (fact_row(*faces[key], course=course) for key, course in page.items())


def _changed(database: FactDatabase, moved: list[tuple[FactWear, tuple[FactCourse, FactCourse]]]) -> Iterator[Row]:
    """Yield the rows of facts that would take another course, by entity and number."""
    courses = {key: pair for kind, pair in moved for key in kind.ids}
    ordered = (fact.id for fact in database.iter_facts(FactFilter()) if fact.id in courses)
    for row in _rows(database, ((key, courses[key][0]) for key in ordered)):
        new = courses[row["id"]][1]
        yield {**row, "then": {"tier": new.tier, **_days(new.alone), "expected": _days(new.expected)}}


def _told(course: FactCourse) -> tuple[Any, ...]:
    return course.tier, course.alone, course.expected


def _count(kinds: Iterable[tuple[FactWear, Any]]) -> int:
    return sum(len(kind.ids) for kind, _ in kinds)


def _days(leaves: tuple[int | None, int | None]) -> dict[str, str | None]:
    return dict(zip(("leaves_hot", "leaves_warm"), map(iso_day, leaves), strict=True))


def _weeks(courses: Courses) -> list[Row]:
    """Return how many facts leave in each ISO week."""
    weeks: dict[dt.date, Row] = {}
    for kind, course in courses:
        for part, days in ((None, course.alone), ("expected", course.expected)):
            for day, told in zip(days, ("leave_hot", "leave_warm"), strict=True):
                if day is not None:
                    week = _week(weeks, date_of(day))
                    (week[part] if part else week)[told] += len(kind.ids)
    return [weeks[monday] for monday in sorted(weeks)]


def _week(weeks: dict[dt.date, dict[str, Any]], day: dt.date) -> dict[str, Any]:
    monday = day - dt.timedelta(days=day.weekday())
    year, number, _ = day.isocalendar()
    nothing = {"leave_hot": 0, "leave_warm": 0}
    fresh = {"week": f"{year}-W{number:02d}", "from": monday.isoformat(), **nothing, "expected": {**nothing}}
    return weeks.setdefault(monday, fresh)
