"""The facts that a draft names to take the place of, where it may."""

import datetime as dt

from engram.errors import RefusedError
from engram.model.entity import Entity
from engram.model.fact import Draft
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.rules.temporal import has_ended


def replaceable(fact: Fact, entity: Entity, draft: Draft, now: dt.datetime) -> Fact:
    """Return a fact that a draft names to take the place of; raise RefusedError when it may not."""
    if fact.entity != entity.path:
        raise RefusedError(f"{fact.id} is about {fact.entity}, not {entity.path}", hint="name facts of the same entity")
    if fact.status == Status.SUPERSEDED:
        raise RefusedError(
            f"{fact.id} was already replaced by {fact.superseded_by}", hint=f"engram correct {fact.superseded_by}"
        )
    is_planned = fact.status == Status.ACTIVE and fact.superseded_by is not None and not draft.corrects
    if is_planned and (has_ended(fact, now) or (draft.valid_from or now) > now):
        when = "was" if has_ended(fact, now) else "is to be"
        raise RefusedError(
            f"{fact.id} {when} replaced by {fact.superseded_by}", hint=f"engram correct {fact.superseded_by}"
        )
    if fact.status == Status.RETRACTED:
        raise RefusedError(f"{fact.id} was retracted: {fact.reason}", hint="write it as a new fact")
    return fact
