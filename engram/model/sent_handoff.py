"""The sent handoff: work or word that one agent leaves for another one, until that one answers."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from engram.model.value import Instant
from engram.model.value import Value
from engram.model.vocabulary import Actor
from engram.model.vocabulary import Trust


class HandoffStatus(StrEnum):
    """What became of it."""

    WAITING = "waiting"  # for the addressee
    ACCEPTED = "accepted"  # the addressee takes it on
    REJECTED = "rejected"  # the addressee does not, and said why
    WITHDRAWN = "withdrawn"  # the sender took it back before it was answered


class SentHandoff(Value):
    """One handoff with an addressee."""

    id: str  # handoff-0001
    sender: str  # agent
    actor: Actor  # whose words they are: an agent's stay an agent's
    to: str  # agent that is to answer
    text: Annotated[str, Field(min_length=1)]
    trust: Trust
    session: str | None = None  # in which it was sent
    sent_at: Instant
    # life: what later changes set
    status: HandoffStatus = HandoffStatus.WAITING
    reason: str | None = None  # of the answer, in words
    answered_by: str | None = None  # agent
    answered_at: Instant | None = None
