"""The hand-off: what a heartbeat phase asks the runner to do."""

from enum import StrEnum
from typing import Any

from pydantic import Field

from engram.model.fact import Abstraction
from engram.model.fact import Category
from engram.model.value import Value


class HandoffStatus(StrEnum):
    """How a phase says that it went."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


class HandoffFact(Value):
    """A fact that a phase asks for; its quote must stand in the text that the phase was given."""

    entity: str
    fact: str = Field(min_length=1, max_length=2000)
    category: Category = Category.CONTEXT
    confidence: float = Field(default=0.7, ge=0, le=1)
    abstraction: Abstraction = Abstraction.EPISODE
    quote: str = Field(min_length=1)
    entry: str | None = None  # id of the entry or turn that holds the quote
    title: str | None = None  # title for the entity when it has to be made
    tags: tuple[str, ...] = ()
    related: tuple[str, ...] = ()


class Handoff(Value):
    """The block that a phase prints."""

    status: HandoffStatus
    summary: str
    stats: dict[str, Any] = Field(default_factory=dict)
    facts: tuple[HandoffFact, ...] = ()
    alerts: tuple[str, ...] = ()
