"""What taking a fact back does to the state. Pure."""

import datetime as dt
from collections.abc import Iterable
from typing import TypedDict

from engram.model.changes.change import Change
from engram.model.changes.change import FactRetracted
from engram.model.changes.change import FactSuperseded
from engram.model.changes.change import TensionResolved
from engram.model.fact import Actor
from engram.model.fact import Fact
from engram.model.tension import Tension
from engram.model.tension import TensionStatus
from engram.model.vocabulary import Precision
from engram.rules.temporal import ends_at


def plan_retract(
    fact: Fact, tensions: list[Tension], *, reason: str, actor: Actor, now: dt.datetime
) -> tuple[Change, ...]:
    """Return the changes that take a live fact back; the tensions it was part of are settled by that."""
    return (
        FactRetracted(id=fact.id, at=now, reason=reason, actor=actor),
        *close_tensions(tensions, {fact.id}, "retracted", now),
    )


class End(TypedDict):
    """Until when a fact held, as the fields of a change or of a fact."""

    valid_to: dt.datetime
    valid_to_precision: Precision


def end_of(fact: Fact, follower_begins: dt.datetime, precision: Precision = Precision.DAY) -> End:
    """Return until when a fact held whose place another one takes: never longer than it said of itself.

    `precision` is the unit in which the beginning of the other one was said. A promise whose day has passed was owed
    until then.
    """
    end = ends_at(fact)
    if end is not None and end <= max(fact.valid_from, follower_begins):
        return End(valid_to=end, valid_to_precision=fact.valid_to_precision)
    if follower_begins < fact.valid_from:
        return End(valid_to=fact.valid_from, valid_to_precision=fact.valid_from_precision)
    return End(valid_to=follower_begins, valid_to_precision=precision)


def retired_by(changes: Iterable[Change]) -> set[str]:
    """Return the ids of the facts that these changes replace at once; what a plan replaces goes on until its day."""
    return {change.id for change in changes if isinstance(change, FactSuperseded)}


def close_tensions(tensions: list[Tension], gone: set[str], how: str, now: dt.datetime) -> tuple[TensionResolved, ...]:
    """Return the changes that close open tensions of which one side is no longer believed."""
    return tuple(
        TensionResolved(id=tension.id, resolution=f"{how}: {side}", at=now)
        for tension in tensions
        if tension.status == TensionStatus.OPEN
        for side in (tension.fact1, tension.fact2)[: 1 if tension.fact1 in gone else 2]
        if side in gone
    )
