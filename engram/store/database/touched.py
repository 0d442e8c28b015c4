"""Which rows a batch of journal records touches: what to load before folding, what to write after it."""

import datetime as dt
from collections.abc import Iterable
from collections.abc import Sequence
from typing import Any

from engram.base.clock import to_iso
from engram.model.changes.change import Change
from engram.model.changes.change import CommandUndone
from engram.model.changes.change import EntitiesRearranged
from engram.model.changes.change import EntityAliased
from engram.model.changes.change import EntityCreated
from engram.model.changes.change import EntityUnaliased
from engram.model.changes.change import FactAccessed
from engram.model.changes.change import FactConfirmed
from engram.model.changes.change import FactPinned
from engram.model.changes.change import FactRated
from engram.model.changes.change import FactRecorded
from engram.model.changes.change import FactRestored
from engram.model.changes.change import FactRetracted
from engram.model.changes.change import FactSuperseded
from engram.model.changes.change import HandoffSent
from engram.model.changes.change import HandoffSettled
from engram.model.changes.change import NoteRecorded
from engram.model.changes.change import ObservationOpened
from engram.model.changes.change import ObservationReopened
from engram.model.changes.change import ObservationResolved
from engram.model.changes.change import ObservationSeen
from engram.model.changes.change import ReviewSettled
from engram.model.changes.change import ReviewUndone
from engram.model.changes.change import TensionOpened
from engram.model.changes.change import TensionReopened
from engram.model.changes.change import TensionResolved
from engram.model.changes.change import TurnCaptured
from engram.model.changes.rearrangement import Rearrangement
from engram.model.changes.record import Record
from engram.model.changes.session_changes import SessionAdded
from engram.model.changes.session_changes import SessionKindSet
from engram.model.changes.session_changes import SessionUpdated
from engram.model.changes.state import State
from engram.model.changes.undoable import undoable_of
from engram.ports.database import SliceKeys
from engram.store.database.tables import rows


class Touched:
    """Keys by table."""

    def __init__(self) -> None:
        """Begin with nothing touched."""
        self.entities: set[str] = set()
        self.places: set[str] = set()  # paths at which something else stands since
        self.undoables: set[str] = set()
        self.facts: set[str] = set()
        self.born: set[str] = set()  # those of which nothing was known before
        self.usages: set[str] = set()
        self.tensions: set[str] = set()
        self.observations: set[str] = set()
        self.settlements: set[str] = set()
        self.handoffs: set[str] = set()
        self.sessions: set[str] = set()
        self.turns: set[str] = set()
        self.notes: set[str] = set()

    def add(self, change: Change) -> None:  # noqa: C901, PLR0912 - a table, one row a kind of change
        """Note what one change touches."""
        match change:
            case EntityCreated():
                self.entities.add(change.entity.path)
            case EntityAliased() | EntityUnaliased():
                self.entities.add(change.path)
            case EntitiesRearranged():
                self._add_rearranged(change.rearrangement)
            case CommandUndone():
                self.undoables.add(change.id)
            case FactRecorded():
                self._add_recorded(change.fact.id)
            case FactSuperseded() | FactRetracted():
                self.facts.add(change.id)
            case FactConfirmed() | FactAccessed() | FactPinned() | FactRated():
                self.usages.add(change.id)
            case TensionOpened():
                self.tensions.add(change.tension.id)
            case TensionResolved() | TensionReopened():
                self.tensions.add(change.id)
            case FactRestored():
                self.facts.add(change.fact.id)
            case ObservationOpened():
                self.observations.add(change.observation.id)
            case ObservationSeen() | ObservationResolved() | ObservationReopened():
                self.observations.add(change.id)
            case ReviewSettled():
                self.settlements.add(change.settlement.id)
            case ReviewUndone():
                self.settlements.add(change.id)
            case HandoffSent():
                self.handoffs.add(change.handoff.id)
            case HandoffSettled():
                self.handoffs.add(change.id)
            case SessionAdded():
                self.sessions.add(change.session.name)
            case SessionUpdated() | SessionKindSet():
                self.sessions.add(change.name)
            case TurnCaptured():
                self.turns.add(change.turn.id)
            case NoteRecorded():
                self.notes.add(change.entry.id)

    def _add_rearranged(self, done: Rearrangement) -> None:
        self.places |= {step.path for step in done.entities}
        self.facts |= {step.id for step in done.facts}
        self.observations |= {step.id for step in done.noticed}
        self.tensions |= {step.id for step in done.pairs}

    def _add_recorded(self, fact_id: str) -> None:
        if fact_id not in self.facts and fact_id not in self.usages:
            self.born.add(fact_id)
        self.facts.add(fact_id)
        self.entities.add(fact_id.rpartition("-")[0])

    def keys(self) -> SliceKeys:
        """Return what must be loaded before the records are folded."""
        return SliceKeys(
            names=frozenset(self.entities | self.places),
            fact_ids=frozenset((self.facts | self.usages) - self.born),
            tension_ids=frozenset(self.tensions),
            observation_ids=frozenset(self.observations),
            settlement_ids=frozenset(self.settlements),
            handoff_ids=frozenset(self.handoffs),
            sessions=frozenset(self.sessions),
            undoable_ids=frozenset(self.undoables),
        )

    def gone(self, state: State) -> dict[str, list[str]]:
        """Return the keys of the rows to delete after the records were folded into the state: empty places."""
        stood = self.entities | self.places
        return {
            "entities": sorted(stood - state.entities.keys()),
            "redirects": sorted(self.places - state.redirects.keys()),
        }

    def rows(self, state: State, records: Sequence[Record]) -> dict[str, list[dict[str, Any]]]:
        """Return the rows to write after the records were folded into the state."""
        return {
            "entities": [
                rows.entity_row(state.entities[path])
                for path in sorted((self.entities | self.places) & state.entities.keys())
            ],
            "redirects": [
                rows.redirect_row(state.redirects[path]) for path in sorted(self.places & state.redirects.keys())
            ],
            "undoables": [rows.undoable_row(state.undoables[name]) for name in sorted(self.undoables)],
            "facts": [rows.fact_row(state.facts[fact_id]) for fact_id in sorted(self.facts)],
            "usages": [rows.usage_row(state.usages[fact_id]) for fact_id in sorted(self.usages)],
            "tensions": [state.tensions[name].model_dump(mode="json") for name in sorted(self.tensions)],
            "observations": [rows.observation_row(state.observations[name]) for name in sorted(self.observations)],
            "settlements": [rows.settlement_row(state.settlements[name]) for name in sorted(self.settlements)],
            "handoffs": [state.handoffs[name].model_dump(mode="json") for name in sorted(self.handoffs)],
            "sessions": [state.sessions[name].model_dump(mode="json") for name in sorted(self.sessions)],
            "turns": [state.turns[turn_id].model_dump(mode="json") for turn_id in sorted(self.turns)],
            "notes": [state.notes[note_id].model_dump(mode="json") for note_id in sorted(self.notes)],
            "watermarks": [mark.model_dump(mode="json") for mark in state.watermarks.values()],
            "activity": [{"at": at} for at in sorted({_quarter_hour(one.at) for one in records if _is_activity(one)})],
            "commands": _command_rows(records),
        }


def touched_by(records: Iterable[Record]) -> Touched:
    """Return what the records touch."""
    touched = Touched()
    for record in records:
        for decision in record.decisions:
            for change in decision.changes:
                touched.add(change)
            if undoable_of(decision, 0) is not None:
                touched.undoables.add(decision.result.command_id)
    return touched


def _is_activity(record: Record) -> bool:
    """Tell whether somebody used the memory.

    What the heartbeat notes for itself (how far it has read, what it noticed) must not make an idle day an active one:
    it writes the roll-up of a week when the week is over, whether or not anybody came back.
    """
    changes = (change for decision in record.decisions for change in decision.changes)
    return any(not isinstance(change, ObservationOpened | ObservationSeen) for change in changes)


def _quarter_hour(at: dt.datetime) -> str:
    return to_iso(at.replace(minute=at.minute - at.minute % 15, second=0, microsecond=0))


def _command_rows(records: Iterable[Record]) -> list[dict[str, Any]]:
    return [
        {
            "id": decision.result.command_id,
            "position": record.position,
            "kind": decision.result.kind,
            "actor": decision.actor.value,
            "asked_at": to_iso(decision.asked_at),
            "status": decision.result.status.value,
            "result": decision.result.model_dump_json(exclude_none=True),
        }
        for record in records
        for decision in record.decisions
    ]
