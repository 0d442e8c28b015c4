"""Folding changes into the state: the only definition of what is current."""

import datetime as dt
from collections.abc import Callable
from typing import Any

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
from engram.model.changes.change import SessionAdded
from engram.model.changes.change import SessionKindSet
from engram.model.changes.change import SessionUpdated
from engram.model.changes.change import TensionOpened
from engram.model.changes.change import TensionReopened
from engram.model.changes.change import TensionResolved
from engram.model.changes.change import TurnCaptured
from engram.model.changes.rearrangement import EntityStep
from engram.model.changes.rearrangement import FactStep
from engram.model.changes.rearrangement import NoticedStep
from engram.model.changes.record import Decision
from engram.model.changes.record import Record
from engram.model.changes.settlement import FactLife
from engram.model.changes.state import State
from engram.model.changes.undoable import undoable_of
from engram.model.entity import Redirect
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.fact import Usage
from engram.model.observation import ObservationStatus
from engram.model.sent_handoff import HandoffStatus
from engram.model.tension import TensionStatus
from engram.rules.temporal import with_belief

KEPT_CONFIRMATIONS = 8  # latest sources kept per fact; the journal has them all


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


def fact_number(fact_id: str) -> int:
    """Return the number at the end of a fact id."""
    return int(fact_id.rpartition("-")[2])


def retiring(fact: Fact | FactLife, change: FactSuperseded | FactRetracted) -> dict[str, Any]:
    """Return the fields of a fact that a change sets which ends its life; a candidate was never believed."""
    update: dict[str, Any] = {"known_to": change.at, "reason": change.reason, "was_wrong": True}
    if isinstance(change, FactRetracted):
        update |= {"status": Status.RETRACTED, "superseded_by": None}
    else:
        update |= {"status": Status.SUPERSEDED, "superseded_by": change.by, "was_wrong": change.was_wrong}
        if change.valid_to is not None:
            update |= {"valid_to": change.valid_to, "valid_to_precision": change.valid_to_precision}
    if fact.status == Status.CANDIDATE:
        update |= {"known_to": None, "was_wrong": True}
    return update


def _entity_created(state: State, change: EntityCreated) -> None:
    state.put_entity(change.entity)


def _entity_aliased(state: State, change: EntityAliased) -> None:
    entity = state.entities[change.path]
    state.put_entity(entity.model_copy(update={"aliases": (*entity.aliases, change.alias)}))


def _entity_unaliased(state: State, change: EntityUnaliased) -> None:
    entity = state.entities[change.path]
    kept = tuple(alias for alias in entity.aliases if alias != change.alias)
    state.put_entity(entity.model_copy(update={"aliases": kept}))


def _entities_rearranged(state: State, change: EntitiesRearranged) -> None:
    done = change.rearrangement
    for step in done.entities:
        _put_place(state, step)
    for moved in done.facts:
        _place_fact(state, moved, change.at)
    for noticed in done.noticed:
        _place_noticed(state, noticed)
    for pair in done.pairs:
        state.tensions[pair.id] = state.tensions[pair.id].model_copy(update={"pair": pair.now})


def _put_place(state: State, step: EntityStep) -> None:
    """Let an entity, or the way to it, stand at a path: what was born there keeps its number for good."""
    number = state.number_at(step.path)
    if step.now.entity is not None:
        number = max(number, step.now.entity.next_number)
        state.put_entity(step.now.entity.model_copy(update={"next_number": number}))
    elif step.now.to is not None:
        state.put_redirect(Redirect(path=step.path, to=step.now.to, next_number=number))
    else:
        state.drop_place(step.path)


def _place_fact(state: State, step: FactStep, at: dt.datetime) -> None:
    update: dict[str, Any] = {"entity": step.now.entity, "related": step.now.related}
    if step.now.life is not None:
        update |= {name: getattr(step.now.life, name) for name in type(step.now.life).model_fields if name != "id"}
    _change_fact(state, state.facts[step.id].model_copy(update=update), at)


def _change_fact(state: State, fact: Fact, at: dt.datetime) -> None:
    """Let a version be another one from an instant on; what was believed until then is kept."""
    known = state.facts.get(fact.id)
    state.put_fact(fact if known is None else with_belief(known, fact, at))


def _place_noticed(state: State, step: NoticedStep) -> None:
    known = state.observations[step.id]
    suggestion = known.suggestion and known.suggestion.model_copy(update={"entity": step.now.suggested})
    update = {"entity": step.now.entity, "suggestion": suggestion}
    state.observations[step.id] = known.model_copy(update=update)


def _command_undone(state: State, change: CommandUndone) -> None:
    state.undoables[change.id] = state.undoables[change.id].model_copy(update={"undone_at": change.at})


def _fact_recorded(state: State, change: FactRecorded) -> None:
    state.put_fact(change.fact)
    birthplace = change.fact.id.rpartition("-")[0]
    entity = state.entities[birthplace]
    state.entities[birthplace] = entity.model_copy(  # its names are as they were
        update={"next_number": max(entity.next_number, fact_number(change.fact.id) + 1)}
    )


def _fact_superseded(state: State, change: FactSuperseded) -> None:
    fact = state.facts[change.id]
    _change_fact(state, fact.model_copy(update=retiring(fact, change)), change.at)


def _fact_retracted(state: State, change: FactRetracted) -> None:
    fact = state.facts[change.id]
    _change_fact(state, fact.model_copy(update=retiring(fact, change)), change.at)


def _fact_restored(state: State, change: FactRestored) -> None:
    _change_fact(state, change.fact, change.at)


def _fact_confirmed(state: State, change: FactConfirmed) -> None:
    usage = state.usages.get(change.id) or Usage(fact_id=change.id)
    sources = (*usage.confirmed_by, change.source)[-KEPT_CONFIRMATIONS:]
    update = {"confirm_count": usage.confirm_count + 1, "last_confirmed_at": change.at, "confirmed_by": sources}
    state.usages[change.id] = usage.model_copy(update=update)


def _fact_accessed(state: State, change: FactAccessed) -> None:
    usage = state.usages.get(change.id) or Usage(fact_id=change.id)
    last = max(usage.last_accessed_at or change.at, change.at)  # uses are counted later than they happen
    update = {"access_count": usage.access_count + change.count, "last_accessed_at": last}
    state.usages[change.id] = usage.model_copy(update=update)


def _fact_pinned(state: State, change: FactPinned) -> None:
    usage = state.usages.get(change.id) or Usage(fact_id=change.id)
    state.usages[change.id] = usage.model_copy(update={"pinned": change.pinned})


def _fact_rated(state: State, change: FactRated) -> None:
    usage = state.usages.get(change.id) or Usage(fact_id=change.id)
    counts = {"useful_count": usage.useful_count + change.useful, "wrong_count": usage.wrong_count + change.wrong}
    state.usages[change.id] = usage.model_copy(update=counts)


def _tension_opened(state: State, change: TensionOpened) -> None:
    state.tensions[change.tension.id] = change.tension
    state.tension_count += 1


def _tension_resolved(state: State, change: TensionResolved) -> None:
    update = {"status": TensionStatus.RESOLVED, "resolution": change.resolution, "resolved_at": change.at}
    update |= {"outcome": change.outcome, "pair": change.pair}
    state.tensions[change.id] = state.tensions[change.id].model_copy(update=update)


def _tension_reopened(state: State, change: TensionReopened) -> None:
    update = {"status": TensionStatus.OPEN, "resolution": None, "resolved_at": None, "outcome": None, "pair": ()}
    state.tensions[change.id] = state.tensions[change.id].model_copy(update=update)


def _observation_opened(state: State, change: ObservationOpened) -> None:
    state.observations[change.observation.id] = change.observation
    state.observation_count += 1


def _observation_seen(state: State, change: ObservationSeen) -> None:
    known = state.observations[change.id]
    sessions = (*known.sessions, *([change.session] if change.session else []))
    update: dict[str, Any] = {"seen": known.seen + 1, "seen_at": max(known.seen_at, change.at)}
    update |= {"sessions": tuple(dict.fromkeys(sessions)), "facts": tuple(dict.fromkeys((*known.facts, *change.facts)))}
    update |= {"suggestion": change.suggestion} if change.suggestion else {}
    state.observations[change.id] = known.model_copy(update=update)


def _observation_resolved(state: State, change: ObservationResolved) -> None:
    update = {"status": change.status, "resolution": change.resolution, "resolved_at": change.at}
    update |= {"promoted_to": change.promoted_to, "merged_into": change.merged_into}
    state.observations[change.id] = state.observations[change.id].model_copy(update=update)


def _observation_reopened(state: State, change: ObservationReopened) -> None:
    update: dict[str, Any] = dict.fromkeys(("resolution", "resolved_at", "promoted_to", "merged_into"))
    update |= {"status": ObservationStatus.OPEN}
    state.observations[change.id] = state.observations[change.id].model_copy(update=update)


def _review_settled(state: State, change: ReviewSettled) -> None:
    state.settlements[change.settlement.id] = change.settlement
    state.settlement_count += 1


def _review_undone(state: State, change: ReviewUndone) -> None:
    settlement = state.settlements[change.id]
    state.settlements[change.id] = settlement.model_copy(update={"undone_at": change.at})


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
    EntityCreated: _entity_created,
    EntityAliased: _entity_aliased,
    EntityUnaliased: _entity_unaliased,
    EntitiesRearranged: _entities_rearranged,
    CommandUndone: _command_undone,
    FactRecorded: _fact_recorded,
    FactSuperseded: _fact_superseded,
    FactRetracted: _fact_retracted,
    FactRestored: _fact_restored,
    FactConfirmed: _fact_confirmed,
    FactAccessed: _fact_accessed,
    FactPinned: _fact_pinned,
    FactRated: _fact_rated,
    TensionOpened: _tension_opened,
    TensionResolved: _tension_resolved,
    TensionReopened: _tension_reopened,
    ObservationOpened: _observation_opened,
    ObservationSeen: _observation_seen,
    ObservationResolved: _observation_resolved,
    ObservationReopened: _observation_reopened,
    ReviewSettled: _review_settled,
    ReviewUndone: _review_undone,
    HandoffSent: _handoff_sent,
    HandoffSettled: _handoff_settled,
    SessionAdded: _session_added,
    SessionUpdated: _session_updated,
    SessionKindSet: _session_kind_set,
    TurnCaptured: _turn_captured,
    NoteRecorded: _note_recorded,
}
