"""The settlement: what somebody decided in a review, with all that is needed to take it back."""

from enum import StrEnum

from engram.model.value import Instant
from engram.model.value import Value
from engram.model.vocabulary import Actor
from engram.model.vocabulary import Precision
from engram.model.vocabulary import Status
from engram.model.vocabulary import Trust


class Verdict(StrEnum):
    """What can be decided about what waits for review."""

    SUPERSEDE = "supersede"  # of a tension: the kept fact takes the place of the other
    BOTH_TRUE = "both-true"  # of a tension: both hold; the two are never held against each other again
    MERGE = "merge"  # of a tension: a new fact says both; of an observation: another one says it
    WRONG_SOURCE = "wrong-source"  # of a tension: the one that is not kept never held
    DISSOLVE = "dissolve"  # of a tension: there was none
    PROMOTE = "promote"  # of an observation: it becomes a fact, or a line of MEMORY.md
    DISMISS = "dismiss"  # of an observation: nothing comes of it; of a quarantined fact: it is taken back
    RELEASE = "release"  # of a quarantined fact: it is believed, unverified
    KEEP = "keep"  # of a candidate: it is a fact
    TWO = "two"  # of two entities with names that are alike: they are two
    REJECT = "reject"  # of a candidate: it is none, and not proposed again


class FactLife(Value):
    """The fields of a fact that a settlement may change."""

    id: str
    status: Status
    superseded_by: str | None = None
    valid_to: Instant | None = None
    valid_to_precision: Precision = Precision.DAY
    known_to: Instant | None = None
    reason: str | None = None
    was_wrong: bool = False
    trust: Trust


class Settlement(Value):
    """One decision of a review."""

    id: str  # settlement-0001
    subject: str  # id of the tension, observation, fact or pair of entities
    verdict: Verdict
    keep: str | None = None  # fact or observation that stays
    made: str | None = None  # fact that was made, or MEMORY.md
    makes: bool = False  # that fact is new; else it was known and was only confirmed
    note: str | None = None
    actor: Actor
    at: Instant
    before: tuple[FactLife, ...] = ()  # the facts it stands on, as they were
    after: tuple[FactLife, ...] = ()  # the same facts, as it left them
    closed: tuple[str, ...] = ()  # other tensions that were settled along with it
    undone_at: Instant | None = None
