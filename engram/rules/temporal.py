"""What is true when, and what was believed when: the two time axes of a fact.

`holds_now` is the one predicate of what is current; every door asks it. A fact that begins later is planned, one whose
end has passed is ended: both stay active in the store, and time alone brings them in and takes them out.

The day of a promise is no end. It is owed until it is replaced or taken back, and overdue once its day has passed; one
whose words say that it lasts until then ("I cover the shifts until Friday") ends like any other fact.
"""

import datetime as dt
from typing import Any
from typing import Final
from typing import assert_never

from engram.base.clock import local_day
from engram.language.dates.due_days import lasts_until_its_day
from engram.model.fact import Belief
from engram.model.fact import Fact
from engram.model.fact import Precision
from engram.model.fact import Status
from engram.model.fact import Trust
from engram.model.vocabulary import Category
from engram.model.vocabulary import Standing

PLANNED: Final = Standing.PLANNED
ENDED: Final = Standing.ENDED
WAITING = frozenset({Status.PENDING, Status.CANDIDATE})
"""What is not believed yet."""
SHOWN_OVERDUE: Final = dt.timedelta(days=14)
"""How long a promise whose day has passed is shown to who has not asked for it; a listing shows it on."""
_LIFE: Final = tuple(name for name in Belief.model_fields if name != "until")


def holds_now(fact: Fact, now: dt.datetime) -> bool:
    """Tell whether a fact holds now: it is active, it has begun, and it has not ended.

    Who may see it, and whether it is quarantined, other rules say.
    """
    return standing(fact, now) == Standing.ACTIVE


def standing(fact: Fact, now: dt.datetime) -> Standing:
    """Return how a fact stands: its status, or `planned` or `ended` for an active one that does not hold now."""
    if fact.status != Status.ACTIVE:
        return Standing(fact.status.value)
    if not has_begun(fact, now):
        return PLANNED
    return ENDED if has_ended(fact, now) else Standing.ACTIVE


def has_begun(fact: Fact, now: dt.datetime) -> bool:
    """Tell whether a fact has begun; one that named no beginning began when it was written, whatever the clock said."""
    return fact.valid_from <= now or not names_its_beginning(fact)


def has_ended(fact: Fact, now: dt.datetime) -> bool:
    """Tell whether the end of a fact has passed."""
    end = ends_at(fact)
    return end is not None and end <= now


def ends_at(fact: Fact) -> dt.datetime | None:
    """Return the instant from which a fact holds no more, by itself or because a plan ends it; None: it has no end.

    Whoever asks whether time has ended a fact asks this, and never `valid_to`: of a promise that says when it is due.
    """
    return None if _is_owed(fact) else fact.valid_to


def overlap(one: Fact, other: Fact) -> bool:
    """Tell whether there is an instant at which both facts hold, as far as their beginnings and ends tell."""
    earlier, later = sorted((one, other), key=lambda fact: fact.valid_from)
    end = ends_at(earlier)
    return end is None or later.valid_from < end


def due_at(fact: Fact) -> dt.datetime | None:
    """Return an instant of the day on which a promise is due, which belongs to it; None for all that is not owed so."""
    return fact.valid_to if _is_owed(fact) else None


def overdue_since(fact: Fact, now: dt.datetime, zone: dt.tzinfo) -> dt.datetime | None:
    """Return when a promise was due that is owed still, and whose day has passed in that zone; None for all else."""
    due = due_at(fact)
    if due is None or local_day(due, zone) >= local_day(now, zone):
        return None
    return due if holds_now(fact, now) else None


def _is_owed(fact: Fact) -> bool:
    """Tell whether `valid_to` is when a promise is due; where something takes its place, it is where that begins."""
    return fact.valid_to is not None and fact.superseded_by is None and names_its_due_day(fact)


def names_its_due_day(fact: Fact) -> bool:
    """Tell whether a day that is said of a fact is when it is due, and not until when it lasts."""
    return fact.category == Category.COMMITMENT and not lasts_until_its_day(fact.text)


def names_its_beginning(fact: Fact) -> bool:
    """Tell whether somebody said from when a fact holds; else it holds from the instant of writing."""
    return fact.valid_from != fact.recorded_at


def visible(fact: Fact, *, as_of: dt.datetime | None, as_known: dt.datetime | None) -> bool:
    """Tell whether the fact is part of the answer for a moment of the world and a moment of our knowledge.

    At least one of the two is given: `as_known` None means now, `as_of` None means "held at as_known". A version that
    was replaced because the world changed stays true for its own time; one that was corrected or retracted is wrong for
    every time once we know so. What is quarantined is in no past, and neither is what was then.
    """
    believed = as_believed(fact, as_known)
    if believed is None or Trust.QUARANTINED in {fact.trust, believed.trust}:
        return False
    if as_of is None:
        return as_known is not None and holds_now(believed, as_known)
    if believed.status == Status.ACTIVE or (believed.status == Status.SUPERSEDED and not believed.was_wrong):
        return believed.valid_from <= as_of and not has_ended(believed, as_of)
    return False


def was_believed(fact: Fact) -> bool:
    """Tell whether the version is believed, or was for a time: neither a rejected candidate nor a quarantined one."""
    if fact.trust == Trust.QUARANTINED:
        return False
    return fact.status == Status.ACTIVE or (fact.status not in WAITING and fact.known_to is not None)


def as_believed(fact: Fact, as_known: dt.datetime | None) -> Fact | None:
    """Return the fact as it stood at a moment of our knowledge; None when it was not recorded by then."""
    if as_known is None:
        return fact
    if fact.recorded_at > as_known:
        return None
    # The last change that had happened by then counts, by the journal's order: a clock may have gone back.
    past = next((place for place in range(len(fact.beliefs), 0, -1) if fact.beliefs[place - 1].until <= as_known), 0)
    if past == len(fact.beliefs):
        return fact
    return fact.model_copy(update={**life_fields(fact.beliefs[past]), "beliefs": fact.beliefs[:past]})


def with_belief(known: Fact, now: Fact, at: dt.datetime) -> Fact:
    """Return a version after a change at an instant, which keeps what was believed of it before."""
    if life_fields(known) == life_fields(now):
        return now.model_copy(update={"beliefs": known.beliefs})
    before = Belief(until=at, **life_fields(known))
    return now.model_copy(update={"beliefs": (*known.beliefs, before)})


def life_fields(one: Fact | Belief) -> dict[str, Any]:
    """Return the fields of a fact that changes set, by name."""
    return {name: getattr(one, name) for name in _LIFE}


def written_begin(fact: Fact, zone: dt.tzinfo) -> str:
    """Return the day from which the fact holds in that zone, no more exactly than it was said; see `written_day`."""
    return written_day(fact.valid_from, fact.valid_from_precision, zone)


def written_end(fact: Fact, zone: dt.tzinfo) -> str:
    """Return the day until which the fact holds, no more exactly than it was said; empty when it has no end."""
    return "" if fact.valid_to is None else written_day(fact.valid_to, fact.valid_to_precision, zone)


def written_due(fact: Fact, zone: dt.tzinfo) -> str:
    """Return the day by which a promise is due, no more exactly than it was said; empty for all else."""
    due = due_at(fact)
    return "" if due is None else written_day(due, fact.valid_to_precision, zone)


def written_overdue(fact: Fact, now: dt.datetime, zone: dt.tzinfo) -> str:
    """Return the day since which a promise is overdue, no more exactly than it was said; empty when it is not."""
    return "" if overdue_since(fact, now, zone) is None else written_due(fact, zone)


def written_day(at: dt.datetime, precision: Precision, zone: dt.tzinfo) -> str:
    """Return an instant as the unit that was said: `2026-04-01`, `week of 2026-03-30`, `2026-04`, `2026`."""
    day = local_day(at, zone)
    match precision:
        case Precision.DAY:
            return day.isoformat()
        case Precision.WEEK:
            return f"week of {(day - dt.timedelta(days=day.weekday())).isoformat()}"
        case Precision.MONTH:
            return f"{day:%Y-%m}"
        case Precision.YEAR:
            return f"{day:%Y}"
        case _:
            assert_never(precision)
