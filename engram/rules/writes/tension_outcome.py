"""What settling a tension does to its two facts, and what taking that back does. Pure: values in, changes out.

| outcome | the kept fact | the other one | afterwards |
|---|---|---|---|
| supersede | active | superseded by it, true until it began; goes on until then where that is to come | |
| wrong-source | active | retracted: it never held | |
| both-true | active | active | the same two statements never open a tension again |
| dissolve | active | active | the same, and known as a false alarm |
| merge | superseded | superseded, both by a new fact | the new fact is derived from both |
"""

import datetime as dt
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence

from engram.errors import RefusedError
from engram.model.changes.change import Change
from engram.model.changes.change import FactRestored
from engram.model.changes.change import FactRetracted
from engram.model.changes.change import FactSuperseded
from engram.model.changes.change import TensionReopened
from engram.model.changes.change import TensionResolved
from engram.model.changes.settlement import FactLife
from engram.model.changes.settlement import Settlement
from engram.model.changes.settlement import Verdict
from engram.model.fact import Actor
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.tension import Tension
from engram.model.tension import TensionStatus
from engram.rules.fold.facts import retiring
from engram.rules.trust.authority import require_authority
from engram.rules.writes.candidates import UNDONE
from engram.rules.writes.confirmation import plan_vouching
from engram.rules.writes.retraction import close_tensions
from engram.rules.writes.retraction import plan_retract
from engram.rules.writes.succession import plan_take_over
from engram.rules.writes.tensions import pair_of

NO_CONFLICT = frozenset({Verdict.BOTH_TRUE, Verdict.DISSOLVE})
_CHOOSING = frozenset({Verdict.SUPERSEDE, Verdict.WRONG_SOURCE})  # of which one side was kept by name
TENSION_VERDICTS = (Verdict.SUPERSEDE, Verdict.BOTH_TRUE, Verdict.MERGE, Verdict.WRONG_SOURCE, Verdict.DISSOLVE)


def refuse_verdict(verdict: Verdict, kept: Fact, other: Fact, actor: Actor) -> None:
    """Raise RefusedError where a verdict retires a fact that is out of the actor's reach."""
    gone = (kept, other) if verdict == Verdict.MERGE else (other,) if verdict in _CHOOSING else ()
    require_authority(actor, *gone)


def plan_verdict(  # noqa: PLR0913 - what was decided, about what, by whom and when
    verdict: Verdict,
    tension: Tension,
    kept: Fact,
    other: Fact,
    open_tensions: Sequence[Tension],
    *,
    note: str,
    actor: Actor,
    now: dt.datetime,
) -> tuple[Change, ...]:
    """Return the changes of every verdict but merge, which makes a fact: `close` says what that leaves to do."""
    changes: tuple[Change, ...] = ()
    if verdict == Verdict.SUPERSEDE:
        change = plan_take_over(other, kept, now, note or "replaced by the one that was kept")
        gone = {other.id} if isinstance(change, FactSuperseded) else set()  # else it goes on until the kept one begins
        changes = (change, *close_tensions(_beside(tension, open_tensions), gone, "superseded", now))
    elif verdict == Verdict.WRONG_SOURCE:
        reason = note or f"{kept.id} holds; this one came from a wrong source"
        changes = plan_retract(other, _beside(tension, open_tensions), reason=reason, actor=actor, now=now)
    stands = [kept, other] if verdict == Verdict.BOTH_TRUE else [kept] if verdict in _CHOOSING else []
    raised = [change for fact in stands for change in plan_vouching(fact, actor, now)]
    return (*changes, *raised, close(verdict, tension, kept, other, note=note, now=now))


def close(
    verdict: Verdict, tension: Tension, kept: Fact, other: Fact, *, note: str, now: dt.datetime
) -> TensionResolved:
    """Return the change that settles the tension itself."""
    pair = pair_of(kept, other) if verdict in NO_CONFLICT else ()
    said = f"{verdict}: {note}" if note else str(verdict)
    return TensionResolved(id=tension.id, resolution=said, at=now, outcome=verdict, pair=pair)


def closed_beside(tension_id: str, changes: Iterable[Change]) -> tuple[str, ...]:
    """Return the ids of other tensions that some changes settle."""
    return tuple(change.id for change in changes if isinstance(change, TensionResolved) and change.id != tension_id)


def life_of(fact: Fact) -> FactLife:
    """Return those fields of a fact that a settlement may change."""
    return FactLife.model_validate({name: getattr(fact, name) for name in FactLife.model_fields})


def lives_after(before: Sequence[Fact], changes: Iterable[Change]) -> tuple[FactLife, ...]:
    """Return what the facts are after the changes, in the same order."""
    lives = {fact.id: life_of(fact) for fact in before}
    for change in changes:
        if isinstance(change, FactRestored) and change.fact.id in lives:
            lives[change.fact.id] = life_of(change.fact)
        elif isinstance(change, FactSuperseded | FactRetracted) and change.id in lives:
            lives[change.id] = lives[change.id].model_copy(update=retiring(lives[change.id], change))
    return tuple(lives.values())


def plan_undo(
    settlement: Settlement,
    facts: Mapping[str, Fact],
    tensions: Mapping[str, Tension],
    *,
    actor: Actor,
    now: dt.datetime,
) -> tuple[Change, ...]:
    """Return the changes that give the facts and tensions of a settlement the state that they had before it.

    `facts` and `tensions` are all that the settlement names. Raises RefusedError when one of them changed since.
    """
    _refuse_if_changed(settlement, facts)
    restored = {
        was.id: facts[was.id].model_copy(update=was.model_dump(exclude={"id"}))
        for was, became in zip(settlement.before, settlement.after, strict=True)
        if was != became
    }
    made = facts.get(settlement.made or "")
    gone: tuple[Change, ...] = ()
    if made is not None and settlement.makes:
        gone = plan_retract(made, list(tensions.values()), reason=f"{UNDONE}{settlement.id}", actor=actor, now=now)
    standing = {**facts, **restored}
    waiting = {fact.id for fact in restored.values() if fact.status == Status.CANDIDATE}
    gone += close_tensions(list(tensions.values()), waiting, "undone", now)
    back = [TensionReopened(id=key, at=now) for key in settlement.closed if _may_wait(tensions[key], standing)]
    return (*gone, *(FactRestored(fact=fact, at=now) for fact in restored.values()), *back)


def _refuse_if_changed(settlement: Settlement, facts: Mapping[str, Fact]) -> None:
    for became in settlement.after:
        fact = facts[became.id]
        if life_of(fact) != became:
            follower = f" by {fact.superseded_by}" if fact.superseded_by else ""
            why = f"{fact.id} changed since: it is {fact.status}{follower}"
            raise RefusedError(why, hint=f"engram history {fact.id}", id=fact.id)
    made = facts.get(settlement.made or "")
    if made is not None and settlement.makes and made.status in {Status.SUPERSEDED, Status.RETRACTED}:
        why = f"{made.id}, which was made of it, is {made.status}"
        raise RefusedError(why, hint=f"engram history {made.id}", id=made.id)


def _may_wait(tension: Tension, facts: Mapping[str, Fact]) -> bool:
    """Tell whether a tension that was closed along with another one can be open again: both sides are believed."""
    if tension.status != TensionStatus.RESOLVED or tension.outcome is not None:
        return False
    return all(side in facts and facts[side].status == Status.ACTIVE for side in (tension.fact1, tension.fact2))


def _beside(tension: Tension, open_tensions: Sequence[Tension]) -> list[Tension]:
    return [one for one in open_tensions if one.id != tension.id]
