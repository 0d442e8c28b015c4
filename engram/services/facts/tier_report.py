"""What `engram decay` tells of the tiers as they are: how many facts of each entity, and what leaves within a week.

Facts that were used alike are reckoned once, and only those that leave are read whole.
"""

from collections import Counter
from collections.abc import Iterable
from collections.abc import Mapping
from typing import Any

from engram.base.clock import to_iso
from engram.ports.database import FactDatabase
from engram.ports.mirror import MirrorState
from engram.rules.life.decay import TIERS
from engram.services.facts.decay_horizon import SOON_DAYS
from engram.services.facts.decay_horizon import Horizon
from engram.services.facts.decay_horizon import held_facts
from engram.services.facts.decay_horizon import leaving_rows
from engram.services.facts.decay_horizon import read_live
from engram.services.facts.forecast import fact_row
from engram.services.facts.listing import Moment
from engram.services.facts.tier_course import Courses
from engram.services.facts.tier_course import courses_of
from engram.services.facts.tier_course import read_wear

_SOON = Horizon(SOON_DAYS)


def tier_report(
    database: FactDatabase, moment: Moment, state: MirrorState, uncounted: Iterable[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """Return {"at", "clock", "tiers", "entities", "leaving", "held"}.

    `tiers` counts facts by tier; `entities` does by entity, the most facts first; `leaving` are rows as in `forecast`
    of what leaves a tier within 7 days if nobody uses it; `held` is what `held_facts` returns. `uncounted` are uses
    (id, at, count) that no heartbeat has counted.
    """
    uses = list(uncounted)
    courses = courses_of(read_wear(database, moment, uses), moment, _SOON)
    by_entity = _by_entity(courses, database.moved_facts())
    ordered = sorted(by_entity.items(), key=lambda item: (-item[1].total(), item[0]))
    soon = {key: course for kind, course in courses if course.leaves is not None for key in kind.ids}
    held = held_facts(read_live(database, moment.zone, uses), moment, state) if state.held else None
    return {
        "at": to_iso(moment.now),
        "clock": moment.decay.clock,
        "tiers": {name: sum(count[name] for count in by_entity.values()) for name in TIERS},
        "entities": [{"entity": path, **{name: count[name] for name in TIERS}} for path, count in ordered],
        "leaving": leaving_rows(fact_row(*face, course=soon[face.id]) for face in database.fact_faces(soon)),
        "held": held,
    }


def _by_entity(courses: Courses, moved: Mapping[str, str]) -> dict[str, Counter[str]]:
    """Count the facts of each entity by tier; `moved` are those that are about another than they were born under."""
    found: dict[str, Counter[str]] = {}
    for kind, course in courses:
        about = Counter(moved.get(key) or key.rpartition("-")[0] for key in kind.ids)
        for path, count in about.items():
            found.setdefault(path, Counter())[course.tier] += count
    return found
