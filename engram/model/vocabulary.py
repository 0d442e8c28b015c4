"""The closed sets of words that facts are described with. No pydantic: the hook path passes here."""

from enum import StrEnum
from typing import Final

CAN_BE_UNDONE: Final = "undoable"
"""Argument of a write that is to be one that can be taken back, and detail of the result when it is."""

ENDS_UNDO: Final = "ends_undo"
"""Detail of the result of a command that cannot be taken back, and before which nothing is the last one."""

ASKED: Final = "asked"
"""Detail of a result: a digest of what was asked, where whoever asked chose the id of the command."""


class Category(StrEnum):
    """What kind of statement a fact is."""

    RELATIONSHIP = "relationship"  # who is what to whom
    MILESTONE = "milestone"  # something was reached
    STATUS = "status"  # how things stand
    PREFERENCE = "preference"  # what somebody wants or likes
    CONTEXT = "context"  # background
    DECISION = "decision"  # what was settled
    CORRECTION = "correction"  # replaces what was believed before
    INSTRUCTION = "instruction"  # what is to be done, or never done, from now on
    IDENTITY = "identity"  # who or what somebody or something is
    COMMITMENT = "commitment"  # what somebody has promised or taken on
    LESSON = "lesson"  # what was learnt: a cause and its cure


class Abstraction(StrEnum):
    """How far a fact is from the single event."""

    EPISODE = "episode"  # happened once
    PATTERN = "pattern"  # happens repeatedly
    PRINCIPLE = "principle"  # holds always; ignores decay


class Status(StrEnum):
    """Where a version stands in its life."""

    ACTIVE = "active"  # believed now
    SUPERSEDED = "superseded"  # a newer version took its place
    RETRACTED = "retracted"  # taken back by hand
    PENDING = "pending"  # waits for a person
    CANDIDATE = "candidate"  # waits for a second mention or a person: not believed yet, and never stated as known


class Standing(StrEnum):
    """How a fact stands at a moment: its status, where time is counted in."""

    ACTIVE = "active"  # it holds
    PLANNED = "planned"  # active, and not begun
    ENDED = "ended"  # active, and over by its own end
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"
    PENDING = "pending"
    CANDIDATE = "candidate"


class Trust(StrEnum):
    """How far the source is believed."""

    TRUSTED = "trusted"  # the user or the agent itself
    UNVERIFIED = "unverified"  # a tool, a file, an import
    QUARANTINED = "quarantined"  # tries to give orders; never shown unasked


class Precision(StrEnum):
    """The unit in which the begin or the end of a fact was said."""

    DAY = "day"  # or an instant
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"


class Actor(StrEnum):
    """Who asked for a change."""

    USER = "user"  # a person
    AGENT = "agent"  # an agent on its own
    TOOL = "tool"  # output of a program
    FILE = "file"  # an edit of a file in life/
    IMPORT = "import"  # another memory system


SHARED = "shared"  # the scope that everybody sees; any other is EXPERIENCE, `session:NAME` or `agent:NAME`
EXPERIENCE = "experience"  # the scope of the pool of lessons: every agent of the workspace reads and writes it
BY_HOOK = "hook"  # label of a source: a host's hook wrote it at once, before anybody read the turn
