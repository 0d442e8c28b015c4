"""Envelopes (what somebody asked for, spooled) and results (what became of it)."""

from enum import StrEnum
from typing import Any
from typing import Literal

from pydantic import Field
from pydantic import JsonValue
from pydantic import SerializerFunctionWrapHandler
from pydantic import model_serializer

from engram.model.fact import Actor
from engram.model.value import Instant
from engram.model.value import Value


class Envelope(Value):
    """One command as it lies in the spool. Strict: the spool outlives code versions."""

    v: Literal[1] = 1  # format version
    id: str  # command id; the same id twice is one effect
    kind: str  # write, correct, retract, ... : a key of services.commands.deciders.DECIDERS
    at: Instant  # when it was asked for
    actor: Actor = Actor.USER
    args: dict[str, JsonValue]  # the command's own fields
    wants_result: bool = False  # somebody waits: leave the result beside the spool
    own_id: bool = False  # whoever asks chose the id: used again for something else, it is refused; absent when false
    crc: str = ""  # CRC-32 of the JSON without this field, 8 hexadecimal digits; "" before 0.8

    @model_serializer(mode="wrap")
    def _as_older_versions_read_it(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        found: dict[str, Any] = dump(self)
        if not self.own_id:
            found.pop("own_id", None)
        return found


class Outcome(StrEnum):
    """What became of a command."""

    CREATED = "created"  # a new fact, or a candidate (its status says which)
    CONFIRMED = "confirmed"  # the same statement was known; counted
    SUPERSEDED = "superseded"  # a new fact that took the place of older ones
    TENSION = "tension"  # a new fact that excludes another; both stay
    QUARANTINED = "quarantined"  # stored, never shown unasked
    REFUSED = "refused"  # nothing was changed
    ACCEPTED = "accepted"  # spooled, not yet applied
    DONE = "done"  # a change other than a write


class CommandResult(Value):
    """What became of one command."""

    command_id: str
    kind: str
    status: Outcome
    id: str | None = None  # fact, entity or session that it made or touched
    superseded: tuple[str, ...] = ()  # fact ids retired by it
    tensions: tuple[str, ...] = ()  # tension ids opened by it
    similar: tuple[dict[str, Any], ...] = ()  # {"id", "text", "similarity"}
    reason: str | None = None  # in words
    error: str | None = None  # code of the error class, when refused
    exit_code: int = 0  # what the door should end with
    hint: str | None = None
    details: dict[str, Any] = Field(default_factory=dict)
    fact: dict[str, Any] | None = None  # the whole fact; for the door only, never in the journal
