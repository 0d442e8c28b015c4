"""What a change makes of what waits for a person: tensions, observations, and what was settled."""

from collections.abc import Callable
from typing import Any

from engram.model.changes.change import ObservationOpened
from engram.model.changes.change import ObservationReopened
from engram.model.changes.change import ObservationResolved
from engram.model.changes.change import ObservationSeen
from engram.model.changes.change import ReviewSettled
from engram.model.changes.change import ReviewUndone
from engram.model.changes.change import TensionOpened
from engram.model.changes.change import TensionReopened
from engram.model.changes.change import TensionResolved
from engram.model.changes.state import State
from engram.model.observation import ObservationStatus
from engram.model.tension import TensionStatus


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


REVIEW_FOLDS: dict[type, Callable[[State, Any], None]] = {
    TensionOpened: _tension_opened,
    TensionResolved: _tension_resolved,
    TensionReopened: _tension_reopened,
    ObservationOpened: _observation_opened,
    ObservationSeen: _observation_seen,
    ObservationResolved: _observation_resolved,
    ObservationReopened: _observation_reopened,
    ReviewSettled: _review_settled,
    ReviewUndone: _review_undone,
}
"""Kind of change -> what it makes of the review of a state."""
