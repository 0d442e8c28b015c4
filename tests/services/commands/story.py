"""A memory without a disk: commands are decided on the whole state and folded into it."""

import datetime as dt
from typing import Any

from engram.errors import EngramError
from engram.model.changes.change import Change
from engram.model.changes.record import Decision
from engram.model.changes.record import Record
from engram.model.changes.state import State
from engram.model.commands.command import Envelope
from engram.rules.fold.fold import fold_record
from engram.services.commands.decider import Context
from engram.services.commands.deciders import DECIDERS
from tests.making import NOW

PEOPLE = ("people/anna", "people/ann", "people/boris")


class Story:
    """A state that commands are decided on and folded into."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.state = State()
        self.records: list[Record] = []

    def envelope(self, kind: str, args: dict[str, Any]) -> Envelope:
        """Return the next command, a minute after the one before."""
        at = NOW + dt.timedelta(minutes=len(self.records))
        return Envelope(id=f"c{len(self.records)}", kind=kind, at=at, args=args)

    def tell(self, kind: str, args: dict[str, Any]) -> tuple[Change, ...] | None:
        """Decide a command on the whole state, and fold it in; None when it is refused."""
        return self.give(self.envelope(kind, args))

    def give(self, envelope: Envelope) -> tuple[Change, ...] | None:
        """Do the same for a command that has its own id and time."""
        try:
            decided = DECIDERS[envelope.kind](envelope, Context(now=envelope.at, zone=dt.UTC)).decide(self.state)
        except EngramError:
            return None
        decision = Decision(actor=envelope.actor, asked_at=envelope.at, result=decided.result, changes=decided.changes)
        position = len(self.records) + 1
        record = Record(position=position, previous="0" * 64, at=envelope.at, decisions=(decision,))
        fold_record(self.state, record)
        self.records.append(record)
        return decided.changes

    def tables(self, *, without: set[str] = frozenset()) -> dict[str, Any]:  # type: ignore[assignment]
        """Return what is known, but for the history of how it came about."""
        state = self.state
        tensions = {key: one for key, one in state.tensions.items() if key not in without}
        return {
            "entities": dict(state.entities),
            "redirects": dict(state.redirects),
            "facts": dict(state.facts),
            "usages": dict(state.usages),
            "tensions": tensions,
            "observations": dict(state.observations),
            "settlements": dict(state.settlements),
            "found by name": {name: state.find_entities(name) for name in (*PEOPLE, "Anna", "A", "B", "C")},
        }
