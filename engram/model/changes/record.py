"""Records: the lines of the journal, each with decisions that hold together."""

from typing import Literal

from pydantic import TypeAdapter

from engram.model.changes.change import Change
from engram.model.commands.command import CommandResult
from engram.model.conversation import Watermark
from engram.model.fact import Actor
from engram.model.value import Instant
from engram.model.value import Value


class Decision(Value):
    """One command with its result and the changes that it made."""

    actor: Actor
    asked_at: Instant
    result: CommandResult
    changes: tuple[Change, ...] = ()


class Record(Value):
    """One line of the journal: decisions and watermarks that hold together or not at all."""

    v: Literal[1] = 1  # format version
    position: int  # place in the journal, from 1, without gaps
    previous: str  # SHA-256 of the line before it (64 zeros for the first)
    at: Instant  # when it was decided
    decisions: tuple[Decision, ...] = ()
    watermarks: tuple[Watermark, ...] = ()


RECORD_ADAPTER: TypeAdapter[Record] = TypeAdapter(Record)
GENESIS = "0" * 64  # `previous` of the first record
