"""What is true when, and what was believed when: the two time axes of a fact."""

import datetime as dt
from typing import assert_never

from engram.base.clock import local_day
from engram.model.fact import Fact
from engram.model.fact import Precision
from engram.model.fact import Status

WAITING = frozenset({Status.PENDING, Status.CANDIDATE})
"""What is not believed yet."""


def visible(fact: Fact, *, as_of: dt.datetime | None, as_known: dt.datetime | None) -> bool:
    """Tell whether the fact is part of the answer for a moment of the world and a moment of our knowledge.

    `as_known` None means now, `as_of` None means "current at as_known". A version that was replaced because the world
    changed stays true for its own time; one that was corrected or retracted is wrong for every time once we know so.
    """
    if not was_believed(fact) or (as_known is not None and fact.recorded_at > as_known):
        return False
    retired = fact.known_to is not None and (as_known is None or fact.known_to <= as_known)
    if as_of is None:
        return not retired
    if retired and fact.was_wrong:
        return False
    return holds_at(fact, as_of, retired=retired)


def was_believed(fact: Fact) -> bool:
    """Tell whether the version is believed, or was for a time: a candidate that was rejected never was."""
    return fact.status == Status.ACTIVE or (fact.status not in WAITING and fact.known_to is not None)


def holds_at(fact: Fact, at: dt.datetime, *, retired: bool) -> bool:
    """Tell whether the fact's valid time covers the instant, its end being known only once it was retired.

    An end that the writer gave stands on the version from birth and so counts at every moment of knowledge; the end
    that a successor set counts only from the moment the successor was written.
    """
    if at < fact.valid_from:
        return False
    ends_by_successor = fact.superseded_by is not None and not retired
    return fact.valid_to is None or ends_by_successor or at < fact.valid_to


def as_believed(fact: Fact, as_known: dt.datetime | None) -> Fact:
    """Return the fact as it stood at a moment of our knowledge: not yet retired when that came later."""
    if as_known is None or fact.known_to is None or fact.known_to <= as_known:
        return fact
    given_end = fact.valid_to if fact.superseded_by is None else None
    end: dict[str, object] = {"valid_to": given_end}
    if given_end is None:
        end["valid_to_precision"] = Precision.DAY
    update = {"status": Status.ACTIVE, "known_to": None, "superseded_by": None, "reason": None, "was_wrong": False}
    return fact.model_copy(update={**update, **end})


def written_begin(fact: Fact, zone: dt.tzinfo) -> str:
    """Return the day from which the fact holds in that zone, no more exactly than it was said; see `written_day`."""
    return written_day(fact.valid_from, fact.valid_from_precision, zone)


def written_end(fact: Fact, zone: dt.tzinfo) -> str:
    """Return the day until which the fact holds, no more exactly than it was said; empty when it has no end."""
    return "" if fact.valid_to is None else written_day(fact.valid_to, fact.valid_to_precision, zone)


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
