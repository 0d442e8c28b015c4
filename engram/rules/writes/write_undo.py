"""Taking a write, a correction or a retraction back: what it made is retracted, what gave way holds again. Pure."""

import datetime as dt

from engram.errors import RefusedError
from engram.model.changes.change import Change
from engram.model.changes.change import FactRecorded
from engram.model.changes.change import FactRestored
from engram.model.changes.change import FactRetracted
from engram.model.changes.change import FactSuperseded
from engram.model.changes.change import TensionReopened
from engram.model.changes.change import TensionResolved
from engram.model.changes.state import State
from engram.model.changes.undoable import Undoable
from engram.model.fact import Actor
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.tension import TensionStatus
from engram.rules.erasure import FORGOTTEN
from engram.rules.temporal import life_fields
from engram.rules.writes.candidates import UNDONE
from engram.rules.writes.retraction import plan_retract
from engram.rules.writes.succession import life_before

_UNDOABLE = frozenset(
    [
        *("entity_created", "fact_recorded", "fact_superseded", "fact_retracted", "fact_restored"),
        *("fact_pinned", "fact_accessed", "tension_opened", "tension_resolved"),
    ]
)


_Changing = FactSuperseded | FactRetracted | FactRestored


def can_be_unwritten(state: State, changes: tuple[Change, ...]) -> bool:
    """Tell whether all that somebody is about to change can be put back: `state` is the one before it."""
    is_known = all(change.kind in _UNDOABLE for change in changes)
    is_about_facts = any(isinstance(change, FactRecorded | FactRetracted) for change in changes)
    return is_known and is_about_facts and all(key in state.facts for key in map(_changed, changes) if key)


def is_erased(found: Undoable) -> bool:
    """Tell whether a person asked to forget what a command wrote: nothing of it is left to be taken back."""
    written = [change.fact for change in found.changes if isinstance(change, FactRecorded)]
    return bool(written) and all(fact.text == FORGOTTEN for fact in written)


def plan_unwrite(state: State, found: Undoable, *, actor: Actor, now: dt.datetime) -> tuple[Change, ...]:
    """Return the changes that take back the fact that was made, and give those that gave way their life again.

    Raises RefusedError when one of them changed since, or was erased.
    """
    made = [state.facts[change.fact.id] for change in found.changes if isinstance(change, FactRecorded)]
    replaced = [change for change in found.changes if isinstance(change, _Changing)]
    for fact in made:
        if fact.status in {Status.SUPERSEDED, Status.RETRACTED}:
            why = f"{fact.id} changed since: it is {fact.status}"
            raise RefusedError(why, hint=f"engram history {fact.id}", id=fact.id)
    restored = [_as_before(state.facts[_changed(change)], change) for change in replaced]
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


def _changed(change: Change) -> str:
    """Return the id of the fact that a change gives another life; empty when it gives none."""
    if isinstance(change, FactRestored):
        return change.fact.id
    return change.id if isinstance(change, FactSuperseded | FactRetracted) else ""


def _as_before(fact: Fact, change: _Changing) -> Fact:
    """Return a fact with the life that it had before a change; raise RefusedError when it has another one since."""
    if fact.text == FORGOTTEN:
        why = f"{fact.id} would hold again, and its words were erased"
        raise RefusedError(why, hint="engram retract takes back what took its place", id=fact.id)
    before = life_before(fact, change.at)
    if not _is_as_left(fact, change) or before is None:
        why = f"{fact.id} changed since: it is {fact.status}"
        raise RefusedError(why, hint=f"engram history {fact.id}", id=fact.id)
    return fact.model_copy(update=before)


def _is_as_left(fact: Fact, change: _Changing) -> bool:
    match change:
        case FactSuperseded():
            return fact.status == Status.SUPERSEDED and fact.superseded_by == change.by
        case FactRetracted():
            return fact.status == Status.RETRACTED and fact.reason == change.reason
        case FactRestored():
            return life_fields(fact) == life_fields(change.fact)


def _may_wait(state: State, tension_id: str, facts: dict[str, Fact]) -> bool:
    tension = state.tensions.get(tension_id)
    if tension is None or tension.status != TensionStatus.RESOLVED:
        return False
    return all(side in facts and facts[side].status == Status.ACTIVE for side in (tension.fact1, tension.fact2))
