"""Folding changes into the state: the only definition of what is current."""

from collections.abc import Callable
from typing import Any

from engram.model.changes.change import Change
from engram.model.changes.change import CommandUndone
from engram.model.changes.change import HandoffSent
from engram.model.changes.change import HandoffSettled
from engram.model.changes.change import NoteRecorded
from engram.model.changes.change import TurnCaptured
from engram.model.changes.record import Decision
from engram.model.changes.record import Record
from engram.model.changes.session_changes import SessionAdded
from engram.model.changes.session_changes import SessionKindSet
from engram.model.changes.session_changes import SessionUpdated
from engram.model.changes.state import State
from engram.model.changes.undoable import undoable_of
from engram.model.sent_handoff import HandoffStatus
from engram.rules.fold.entities import ENTITY_FOLDS
from engram.rules.fold.facts import FACT_FOLDS
from engram.rules.fold.review import REVIEW_FOLDS


def fold_record(state: State, record: Record) -> None:
    """Bring the state forward by one journal record."""
    for decision in record.decisions:
        fold_decision(state, decision)
    for mark in record.watermarks:
        state.watermarks[(mark.consumer, mark.key)] = mark


def fold_decision(state: State, decision: Decision) -> None:
    """Bring the state forward by what one command decided."""
    for change in decision.changes:
        fold_change(state, change)
    state.commands[decision.result.command_id] = decision.result
    kept = undoable_of(decision, state.undoable_count + 1)
    if kept is not None:
        state.undoables[kept.id] = kept
        state.undoable_count += 1


def fold_change(state: State, change: Change) -> None:
    """Bring the state forward by one change; KeyError when it names something that was never made."""
    _FOLDS[type(change)](state, change)


def _command_undone(state: State, change: CommandUndone) -> None:
    state.undoables[change.id] = state.undoables[change.id].model_copy(update={"undone_at": change.at})


def _handoff_sent(state: State, change: HandoffSent) -> None:
    state.handoffs[change.handoff.id] = change.handoff
    state.handoff_count += 1


def _handoff_settled(state: State, change: HandoffSettled) -> None:
    answered_at = None if change.status == HandoffStatus.WAITING else change.at
    update = {"status": change.status, "reason": change.reason, "answered_by": change.by, "answered_at": answered_at}
    state.handoffs[change.id] = state.handoffs[change.id].model_copy(update=update)


def _session_added(state: State, change: SessionAdded) -> None:
    state.sessions[change.session.name] = change.session


def _session_updated(state: State, change: SessionUpdated) -> None:
    update = {"project": change.project, "project_title": change.project_title}
    state.sessions[change.name] = state.sessions[change.name].model_copy(update=update)


def _session_kind_set(state: State, change: SessionKindSet) -> None:
    state.sessions[change.name] = state.sessions[change.name].model_copy(update={"kind": change.apart})


def _turn_captured(state: State, change: TurnCaptured) -> None:
    state.turns[change.turn.id] = change.turn
    state.turn_counts[change.turn.session] = state.turn_counts.get(change.turn.session, 0) + 1


def _note_recorded(state: State, change: NoteRecorded) -> None:
    state.notes[change.entry.id] = change.entry


_FOLDS: dict[type, Callable[[State, Any], None]] = {
    **ENTITY_FOLDS,
    **FACT_FOLDS,
    **REVIEW_FOLDS,
    CommandUndone: _command_undone,
    HandoffSent: _handoff_sent,
    HandoffSettled: _handoff_settled,
    SessionAdded: _session_added,
    SessionUpdated: _session_updated,
    SessionKindSet: _session_kind_set,
    TurnCaptured: _turn_captured,
    NoteRecorded: _note_recorded,
}
