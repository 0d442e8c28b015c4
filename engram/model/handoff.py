"""The hand-off: what a heartbeat phase asks the runner to do. Lengths are in characters."""

from enum import StrEnum
from typing import Annotated
from typing import Any
from typing import Literal
from typing import Self

from pydantic import Field
from pydantic import model_validator

from engram.model.fact import Abstraction
from engram.model.fact import Category
from engram.model.observation import ObservationCategory
from engram.model.value import Value

MAX_TEXT_CHARS = 500_000  # of one file or status; a month of notes stays well below

Name = Annotated[str, Field(max_length=300)]  # an entity, an id, a label
Statement = Annotated[str, Field(min_length=1, max_length=2000)]
FactIds = Annotated[tuple[Annotated[str, Field(min_length=1, max_length=300)], ...], Field(max_length=200)]


class HandoffStatus(StrEnum):
    """How a phase says that it went."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


class HandoffFact(Value):
    """A fact that a phase asks for; its quote must stand in the text that the phase was given."""

    entity: Name
    fact: Statement
    category: Category = Category.CONTEXT
    confidence: float = Field(default=0.7, ge=0, le=1)
    candidate: bool = False  # unsure: it waits until it is said again or a person confirms it
    abstraction: Abstraction = Abstraction.EPISODE
    quote: str = Field(min_length=1, max_length=100_000)
    entry: Name | None = None  # id of the entry or turn that holds the quote
    title: Name | None = None  # title for the entity when it has to be made
    tags: Annotated[tuple[Name, ...], Field(max_length=50)] = ()
    related: Annotated[tuple[Name, ...], Field(max_length=50)] = ()


class HandoffObservation(Value):
    """Something that was noticed about the work or the memory itself, for a review to settle."""

    text: Statement
    category: ObservationCategory
    entity: Name | None = None  # path of the entity that it is about
    facts: FactIds = ()  # ids of the facts that are evidence for it


class HandoffTension(Value):
    """Two facts that cannot both hold."""

    text: Statement  # one sentence for people
    fact1: Name = Field(min_length=1)
    fact2: Name = Field(min_length=1)


class HandoffProposal(Value):
    """Something to be decided by a person or the main agent: never applied by the phase that says it."""

    target: Literal["fact", "memory", "domain"]  # a fact of an entity, a line of MEMORY.md, a decision of a domain
    text: Statement
    entity: Name | None = None  # of a fact
    domain: Name | None = None  # of a decision
    category: Category = Category.CONTEXT
    abstraction: Abstraction = Abstraction.PATTERN
    sources: FactIds = ()  # ids of the facts that it was made of

    @model_validator(mode="after")
    def _has_a_place(self) -> Self:
        if (self.target == "domain") != (self.domain is not None):
            raise ValueError("`domain` names the domain of a proposal with target domain, and of no other")
        if self.target == "fact" and not self.entity:
            raise ValueError("a proposal with target fact needs an `entity`")
        return self


class HandoffText(Value):
    """A text and what it is of."""

    name: Annotated[str, Field(min_length=1, max_length=1000)]  # file relative to the workspace, or domain
    text: Annotated[str, Field(max_length=MAX_TEXT_CHARS)]


class Handoff(Value):
    """The block that a phase prints."""

    status: HandoffStatus
    summary: Annotated[str, Field(min_length=1, max_length=4000)]
    stats: Annotated[dict[str, Any], Field(max_length=200)] = Field(default_factory=dict)
    facts: tuple[HandoffFact, ...] = ()
    observations: tuple[HandoffObservation, ...] = ()
    tensions: tuple[HandoffTension, ...] = ()
    proposals: tuple[HandoffProposal, ...] = ()
    summary_content: tuple[HandoffText, ...] = ()  # files, each at most once
    status_content: tuple[HandoffText, ...] = ()  # status of domains, each at most once
    changelog_entries: tuple[HandoffText, ...] = ()  # of domains
    alerts: tuple[Annotated[str, Field(max_length=4000)], ...] = ()
