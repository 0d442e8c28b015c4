"""What a change makes of a fact, and of how it was used."""

import datetime as dt
from collections.abc import Callable
from typing import Any

from engram.model.changes.change import FactAccessed
from engram.model.changes.change import FactConfirmed
from engram.model.changes.change import FactPinned
from engram.model.changes.change import FactRated
from engram.model.changes.change import FactRecorded
from engram.model.changes.change import FactRestored
from engram.model.changes.change import FactRetracted
from engram.model.changes.change import FactSuperseded
from engram.model.changes.settlement import FactLife
from engram.model.changes.state import State
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.fact import Usage
from engram.rules.temporal import with_belief

KEPT_CONFIRMATIONS = 8  # latest sources kept per fact; the journal has them all


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


def change_fact(state: State, fact: Fact, at: dt.datetime) -> None:
    """Let a version be another one from an instant on; what was believed until then is kept."""
    known = state.facts.get(fact.id)
    state.put_fact(fact if known is None else with_belief(known, fact, at))


def _fact_recorded(state: State, change: FactRecorded) -> None:
    state.put_fact(change.fact)
    birthplace = change.fact.id.rpartition("-")[0]
    entity = state.entities[birthplace]
    state.entities[birthplace] = entity.model_copy(  # its names are as they were
        update={"next_number": max(entity.next_number, fact_number(change.fact.id) + 1)}
    )


def _fact_superseded(state: State, change: FactSuperseded) -> None:
    fact = state.facts[change.id]
    change_fact(state, fact.model_copy(update=retiring(fact, change)), change.at)


def _fact_retracted(state: State, change: FactRetracted) -> None:
    fact = state.facts[change.id]
    change_fact(state, fact.model_copy(update=retiring(fact, change)), change.at)


def _fact_restored(state: State, change: FactRestored) -> None:
    change_fact(state, change.fact, change.at)


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


FACT_FOLDS: dict[type, Callable[[State, Any], None]] = {
    FactRecorded: _fact_recorded,
    FactSuperseded: _fact_superseded,
    FactRetracted: _fact_retracted,
    FactRestored: _fact_restored,
    FactConfirmed: _fact_confirmed,
    FactAccessed: _fact_accessed,
    FactPinned: _fact_pinned,
    FactRated: _fact_rated,
}
"""Kind of change -> what it makes of the facts of a state."""
