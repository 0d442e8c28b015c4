"""The plan of a write, and the similar statements that it names. Pure."""

import datetime as dt
from collections.abc import Sequence
from typing import NamedTuple

from engram.model.changes.change import Change
from engram.model.changes.change import FactAccessed
from engram.model.commands.command import Outcome
from engram.model.fact import Status
from engram.rules.writes.situation import Compared

SIMILAR = 0.6  # share of common words from which a statement is reported as similar; half are the subject and the verb
MENTION = "mention"  # a comparison that says that another value is given of what may be the same thing: also similar
MAX_SIMILAR = 5  # similar statements reported


class Plan(NamedTuple):
    """What will be done; nothing is done yet."""

    status: Outcome
    fact_id: str
    changes: tuple[Change, ...]
    superseded: tuple[str, ...] = ()
    tensions: tuple[str, ...] = ()
    similar: tuple[Compared, ...] = ()
    reason: str = ""
    waits: bool = False  # as a candidate
    repeats: bool = False  # a fact or candidate that was there already


def list_similar(known: Sequence[Compared]) -> tuple[Compared, ...]:
    """Return the active ones that are reported as similar, the nearest first."""
    near = [
        one
        for one in known
        if one.fact.status == Status.ACTIVE and (one.comparison.similarity >= SIMILAR or one.comparison.kind == MENTION)
    ]
    return tuple(sorted(near, key=lambda one: (-one.comparison.similarity, one.fact.id))[:MAX_SIMILAR])


def as_use(plan: Plan, now: dt.datetime) -> Plan:
    """Return a plan that repeats a fact or a candidate as one that only counts a use of it."""
    used = FactAccessed(id=plan.fact_id, at=now)
    reason = f"already known as {plan.fact_id}, which recall gave out: counted as a use"
    return Plan(Outcome.CONFIRMED, plan.fact_id, (used,), similar=plan.similar, reason=reason, waits=plan.waits)
