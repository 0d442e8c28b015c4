"""Taking a write back: its fact is retracted, and what it replaced holds again. Pure."""

import datetime as dt

from engram.errors import RefusedError
from engram.model.change import Change
from engram.model.change import FactRecorded
from engram.model.change import FactRestored
from engram.model.change import FactRetracted
from engram.model.change import FactSuperseded
from engram.model.change import TensionReopened
from engram.model.change import TensionResolved
from engram.model.fact import Actor
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.state import State
from engram.model.tension import TensionStatus
from engram.model.undoable import Undoable
from engram.rules.candidates import UNDONE
from engram.rules.retraction import plan_retract

_UNDOABLE = frozenset(
    {"entity_created", "fact_recorded", "fact_superseded", "fact_retracted", "tension_opened", "tension_resolved"}
)


def can_be_unwritten(state: State, changes: tuple[Change, ...]) -> bool:
    """Tell whether all that a write is about to change can be put back: `state` is the one before it."""
    replaced = [change.id for change in changes if isinstance(change, FactSuperseded | FactRetracted)]
    is_known = all(change.kind in _UNDOABLE for change in changes)
    makes = any(isinstance(change, FactRecorded) for change in changes)
    # Replacing overwrites a fact's own end and its reason, and nothing keeps what they were.
    were = [state.facts[key] for key in replaced]
    return is_known and makes and all(fact.valid_to is None and fact.reason is None for fact in were)


def plan_unwrite(state: State, found: Undoable, *, actor: Actor, now: dt.datetime) -> tuple[Change, ...]:
    """Return the changes that take the fact of a write back and give those that it replaced their life again.

    Raises RefusedError when one of them changed since.
    """
    made = [state.facts[change.fact.id] for change in found.changes if isinstance(change, FactRecorded)]
    replaced = [change for change in found.changes if isinstance(change, FactSuperseded | FactRetracted)]
    for fact in made:
        if fact.status in {Status.SUPERSEDED, Status.RETRACTED}:
            why = f"{fact.id} changed since: it is {fact.status}"
            raise RefusedError(why, hint=f"engram history {fact.id}", id=fact.id)
    restored = [_as_before(state.facts[change.id], change) for change in replaced]
    reason = f"{UNDONE}{found.id}"
    tensions = list(state.tensions.values())
    gone = [one for fact in made for one in plan_retract(fact, tensions, reason=reason, actor=actor, now=now)]
    standing = state.facts | {fact.id: fact for fact in restored}
    reopened = [
        TensionReopened(id=change.id, at=now)
        for change in found.changes
        if isinstance(change, TensionResolved) and _may_wait(state, change.id, standing)
    ]
    return (*gone, *(FactRestored(fact=fact, at=now) for fact in restored), *reopened)


def _as_before(fact: Fact, change: FactSuperseded | FactRetracted) -> Fact:
    if isinstance(change, FactSuperseded):
        is_as_left = fact.status == Status.SUPERSEDED and fact.superseded_by == change.by
    else:
        is_as_left = fact.status == Status.RETRACTED and fact.reason == change.reason
    if not is_as_left:
        why = f"{fact.id} changed since: it is {fact.status}"
        raise RefusedError(why, hint=f"engram history {fact.id}", id=fact.id)
    waited = fact.known_to is None  # a candidate was never believed, so nothing ended
    life = {"status": Status.CANDIDATE if waited else Status.ACTIVE, "was_wrong": False}
    return fact.model_copy(update={**life, "superseded_by": None, "valid_to": None, "known_to": None, "reason": None})


def _may_wait(state: State, tension_id: str, facts: dict[str, Fact]) -> bool:
    tension = state.tensions.get(tension_id)
    if tension is None or tension.status != TensionStatus.RESOLVED:
        return False
    return all(side in facts and facts[side].status == Status.ACTIVE for side in (tension.fact1, tension.fact2))
