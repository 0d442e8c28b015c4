"""What becomes of a statement that a person vouches for: it is trusted from then on. Pure.

What was read in a transcript or came from another memory is unverified: nobody saw who typed it. A person who confirms
it, pins it, writes the same words or keeps it in a review takes it on themselves. What tries to give orders stays in
quarantine until somebody releases it, and what a program does raises nothing.
"""

import datetime as dt

from engram.model.changes.change import FactRestored
from engram.model.fact import Actor
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.fact import Trust


def is_vouched_for(fact: Fact, actor: Actor) -> bool:
    """Tell whether somebody who stands by a fact makes it a trusted one."""
    return actor == Actor.USER and fact.trust == Trust.UNVERIFIED and fact.status in {Status.ACTIVE, Status.CANDIDATE}


def plan_vouching(fact: Fact, actor: Actor, now: dt.datetime) -> tuple[FactRestored, ...]:
    """Return the change that makes a fact trusted; none when it is already, or when that takes more than this."""
    if not is_vouched_for(fact, actor):
        return ()
    return (FactRestored(fact=fact.model_copy(update={"trust": Trust.TRUSTED}), at=now),)
