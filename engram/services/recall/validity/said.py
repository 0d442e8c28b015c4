"""When facts were said, and which of two was said first. Pure but for the look-up of the turns.

A day that a statement names is not the one on which it was said: "we decided on it last week" is no older than what
was said an hour before. Where the turn is known, its time counts.
"""

import datetime as dt
from collections.abc import Iterable
from collections.abc import Mapping

from engram.model.fact import Fact
from engram.ports.database import FactDatabase
from engram.ports.database import SliceKeys

Moment = tuple[dt.datetime, dt.datetime]  # when it was said; from when it holds


class Said:
    """Knows when facts were said."""

    def __init__(self, turns: Mapping[str, dt.datetime] | None = None) -> None:
        """Take the times of turns by id; of what was said in no known one its begin tells, or when it was written."""
        self._turns = turns or {}

    def at(self, fact: Fact) -> Moment:
        """Return what puts facts in the order in which they were said: a day to come is told of long before it."""
        said_at = self._turns.get(fact.source.turn or "")
        written_at = fact.recorded_at if said_at is None else min(said_at, fact.recorded_at)
        return (min(fact.valid_from, written_at) if said_at is None else written_at), fact.valid_from

    def is_later(self, new: Fact, old: Fact) -> bool:
        """Tell whether a fact was said after another one, and of no earlier time: who tells of 2023 changes nothing."""
        mine, theirs = self.at(new), self.at(old)
        return mine > theirs and min(mine) >= min(theirs)

    def are_told_apart(self, one: Fact, other: Fact) -> bool:
        """Tell whether two facts were said neither in one breath nor on one day of one time."""
        is_other_turn = one.source.turn is None or one.source.turn != other.source.turn
        days = [tuple(instant.date() for instant in self.at(fact)) for fact in (one, other)]
        return one.id != other.id and is_other_turn and days[0] != days[1]


def read_said(database: FactDatabase, facts: Iterable[Fact]) -> Said:
    """Return what knows when these facts were said.

    Only of those that name a day is the turn read: what holds from the very instant was said then.
    """
    turns = frozenset(fact.source.turn for fact in facts if fact.source.turn and _may_name_its_day(fact))
    if not turns:
        return Said()
    known = database.load_slice(SliceKeys(turn_ids=turns)).turns
    return Said({key: turn.at for key, turn in known.items() if turn.at is not None})


def _may_name_its_day(fact: Fact) -> bool:
    return fact.valid_from.second == 0 and fact.valid_from.microsecond == 0
