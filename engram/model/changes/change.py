"""Changes: what was decided. The journal holds them; folding them gives the state."""

from typing import Annotated
from typing import Literal

from pydantic import Field

from engram.model.changes.rearrangement import Rearrangement
from engram.model.changes.session_changes import SessionAdded
from engram.model.changes.session_changes import SessionKindSet
from engram.model.changes.session_changes import SessionUpdated
from engram.model.changes.settlement import Settlement
from engram.model.conversation import NoteEntry
from engram.model.conversation import Turn
from engram.model.entity import Entity
from engram.model.fact import Actor
from engram.model.fact import Fact
from engram.model.fact import Source
from engram.model.observation import Observation
from engram.model.observation import ObservationStatus
from engram.model.observation import Suggestion
from engram.model.sent_handoff import HandoffStatus
from engram.model.sent_handoff import SentHandoff
from engram.model.tension import Tension
from engram.model.value import Instant
from engram.model.value import Value
from engram.model.vocabulary import Precision


class EntityCreated(Value):
    """A new entity."""

    kind: Literal["entity_created"] = "entity_created"
    entity: Entity


class EntityAliased(Value):
    """Another name for an entity."""

    kind: Literal["entity_aliased"] = "entity_aliased"
    path: str
    alias: str


class EntityUnaliased(Value):
    """An entity is no longer called so."""

    kind: Literal["entity_unaliased"] = "entity_unaliased"
    path: str
    alias: str  # as the entity has it


class EntitiesRearranged(Value):
    """Entities were renamed, merged, split, archived or brought back."""

    kind: Literal["entities_rearranged"] = "entities_rearranged"
    rearrangement: Rearrangement
    at: Instant


class CommandUndone(Value):
    """What a command did was taken back, by the other changes of the same decision."""

    kind: Literal["command_undone"] = "command_undone"
    id: str  # of the command
    at: Instant


class FactRecorded(Value):
    """A new version."""

    kind: Literal["fact_recorded"] = "fact_recorded"
    fact: Fact


class FactSuperseded(Value):
    """A version was replaced by a newer one."""

    kind: Literal["fact_superseded"] = "fact_superseded"
    id: str
    by: str  # id of the newer fact
    at: Instant  # believed until
    valid_to: Instant | None = None  # true in the world until (None: unchanged)
    valid_to_precision: Precision = Precision.DAY  # the unit in which that was said
    was_wrong: bool  # True: a correction, it never held
    reason: str | None = None


class FactRetracted(Value):
    """A version was taken back."""

    kind: Literal["fact_retracted"] = "fact_retracted"
    id: str
    at: Instant
    reason: str
    actor: Actor


class FactRestored(Value):
    """A version has the life again that it had before a settlement, or the one that a person gave it."""

    kind: Literal["fact_restored"] = "fact_restored"
    fact: Fact  # as it is now
    at: Instant


class FactConfirmed(Value):
    """The same statement came again."""

    kind: Literal["fact_confirmed"] = "fact_confirmed"
    id: str
    at: Instant
    source: Source


class FactAccessed(Value):
    """A fact was used."""

    kind: Literal["fact_accessed"] = "fact_accessed"
    id: str
    at: Instant  # the last time, when it was used more than once
    count: Annotated[int, Field(ge=1)] = 1  # how often


class FactPinned(Value):
    """A fact was pinned or unpinned."""

    kind: Literal["fact_pinned"] = "fact_pinned"
    id: str
    pinned: bool


class FactRated(Value):
    """Somebody who was given a fact said whether it was useful or wrong; -1 takes that back."""

    kind: Literal["fact_rated"] = "fact_rated"
    id: str
    at: Instant
    useful: Annotated[int, Field(ge=-1, le=1)] = 0
    wrong: Annotated[int, Field(ge=-1, le=1)] = 0


class TensionOpened(Value):
    """Two facts exclude each other."""

    kind: Literal["tension_opened"] = "tension_opened"
    tension: Tension


class TensionResolved(Value):
    """A tension is settled."""

    kind: Literal["tension_resolved"] = "tension_resolved"
    id: str
    resolution: str
    at: Instant
    outcome: str | None = None  # what a person or an agent decided; None: it closed by itself
    pair: tuple[str, ...] = ()  # entity and fingerprint of both sides, when the two are no conflict


class TensionReopened(Value):
    """A tension waits again."""

    kind: Literal["tension_reopened"] = "tension_reopened"
    id: str
    at: Instant


class ObservationOpened(Value):
    """Something new was noticed."""

    kind: Literal["observation_opened"] = "observation_opened"
    observation: Observation


class ObservationSeen(Value):
    """Something that was noticed before was noticed again."""

    kind: Literal["observation_seen"] = "observation_seen"
    id: str
    at: Instant
    session: str | None = None
    facts: tuple[str, ...] = ()  # more that it stands on
    suggestion: Suggestion | None = None  # in the place of the one that it had


class ObservationResolved(Value):
    """An observation is settled."""

    kind: Literal["observation_resolved"] = "observation_resolved"
    id: str
    status: ObservationStatus
    at: Instant
    resolution: str
    promoted_to: str | None = None
    merged_into: str | None = None


class ObservationReopened(Value):
    """An observation waits again."""

    kind: Literal["observation_reopened"] = "observation_reopened"
    id: str
    at: Instant


class ReviewSettled(Value):
    """Somebody decided something in a review."""

    kind: Literal["review_settled"] = "review_settled"
    settlement: Settlement


class ReviewUndone(Value):
    """A decision of a review was taken back."""

    kind: Literal["review_undone"] = "review_undone"
    id: str  # of the settlement
    at: Instant


class HandoffSent(Value):
    """An agent left something for another one."""

    kind: Literal["handoff_sent"] = "handoff_sent"
    handoff: SentHandoff


class HandoffSettled(Value):
    """A sent handoff was answered or taken back, or waits again."""

    kind: Literal["handoff_settled"] = "handoff_settled"
    id: str
    status: HandoffStatus
    at: Instant
    by: str | None = None  # agent that answered
    reason: str | None = None


class TurnCaptured(Value):
    """A turn of a conversation."""

    kind: Literal["turn_captured"] = "turn_captured"
    turn: Turn


class NoteRecorded(Value):
    """A note entry was read by extraction, or stands in another note since; its id is never read again."""

    kind: Literal["note_recorded"] = "note_recorded"
    entry: NoteEntry


Change = Annotated[
    EntityCreated
    | EntityAliased
    | EntityUnaliased
    | EntitiesRearranged
    | CommandUndone
    | FactRecorded
    | FactSuperseded
    | FactRetracted
    | FactRestored
    | FactConfirmed
    | FactAccessed
    | FactPinned
    | FactRated
    | TensionOpened
    | TensionResolved
    | TensionReopened
    | ObservationOpened
    | ObservationSeen
    | ObservationResolved
    | ObservationReopened
    | ReviewSettled
    | ReviewUndone
    | HandoffSent
    | HandoffSettled
    | SessionAdded
    | SessionUpdated
    | SessionKindSet
    | TurnCaptured
    | NoteRecorded,
    Field(discriminator="kind"),
]
