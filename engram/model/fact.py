"""The fact: one immutable version of one statement about one entity."""

from typing import Annotated

from pydantic import Field

from engram.model.value import Instant
from engram.model.value import Value
from engram.model.vocabulary import EXPERIENCE
from engram.model.vocabulary import SHARED
from engram.model.vocabulary import Abstraction
from engram.model.vocabulary import Actor
from engram.model.vocabulary import Category
from engram.model.vocabulary import Precision
from engram.model.vocabulary import Status
from engram.model.vocabulary import Trust

__all__ = [
    "EXPERIENCE",
    "SHARED",
    "Abstraction",
    "Actor",
    "Belief",
    "Category",
    "Draft",
    "Fact",
    "Precision",
    "Source",
    "Status",
    "Trust",
    "Usage",
]


class Source(Value):
    """Where a fact came from, to the byte."""

    actor: Actor  # who said it
    session: str | None = None  # session name
    path: str | None = None  # file, relative to the workspace
    start: int | None = None  # first byte of the span in that file
    end: int | None = None  # one past the last byte
    sha256: str | None = None  # of the bytes of the span
    label: str | None = None  # what the writer called it (--source): a URL, a document, a person
    turn: str | None = None  # turn id, when it was said in a captured conversation


class Draft(Value):
    """A fact proposed, not yet decided: what `write` asks for."""

    entity: str  # path, title or alias
    text: Annotated[str, Field(min_length=1)]  # one statement
    category: Category = Category.CONTEXT
    attribute: str | None = None  # name of a slot, such as employer
    value: str | None = None  # what stands in the slot
    confidence: Annotated[float, Field(ge=0, le=1)] = 0.9
    abstraction: Abstraction = Abstraction.EPISODE
    tags: tuple[str, ...] = ()
    related: tuple[str, ...] = ()  # entity paths: the edges of the graph
    valid_from: Instant | None = None  # true in the world from
    valid_to: Instant | None = None  # true in the world until, excluded
    valid_from_precision: Precision = Precision.DAY  # the unit in which that was said
    valid_to_precision: Precision = Precision.DAY
    supersedes: tuple[str, ...] = ()  # fact ids that this one replaces
    disputes: tuple[str, ...] = ()  # fact ids that exclude this one, and stay
    derived_from: tuple[str, ...] = ()  # ids of the facts and observations it was made of
    source: Source
    trust: Trust | None = None  # None: decided from the actor
    scope: str = SHARED
    create: bool = False  # make the entity when it is unknown
    title: str | None = None  # title for the entity when it is made
    corrects: bool = False  # what it replaces never held (always so for category correction)
    said_as: str | None = None  # how it was said where the text leaves out what led to it: "no wait, ..."
    candidate: bool = False  # unsure: it waits until it is said on another occasion, or a person confirms it


class Belief(Value):
    """What was believed of a version for a time, before the journal said something else of it."""

    until: Instant  # excluded; it begins where the one before it ends, the first with the record
    status: Status
    trust: Trust
    superseded_by: str | None = None
    valid_to: Instant | None = None
    valid_to_precision: Precision = Precision.DAY
    known_to: Instant | None = None
    reason: str | None = None
    was_wrong: bool = False


class Fact(Value):
    """One immutable version; the fields under "life" change only through changes in the journal."""

    id: str  # entity path at birth plus a number, such as people/sergey-001
    entity: str  # path of the entity now
    text: str  # one statement, 1 to 2,000 characters, NFC
    category: Category
    attribute: str | None = None
    value: str | None = None
    confidence: Annotated[float, Field(ge=0, le=1)]
    abstraction: Abstraction
    tags: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    scope: str = SHARED
    trust: Trust
    source: Source
    lineage: str  # id of the first version of the chain
    version: Annotated[int, Field(ge=1)]  # place in the chain, from 1
    supersedes: tuple[str, ...] = ()  # ids of the versions it replaced
    derived_from: tuple[str, ...] = ()  # ids of the facts and observations it was made of
    valid_from: Instant  # true in the world from; the instant of writing when nothing else is known
    valid_from_precision: Precision = Precision.DAY  # the unit in which that was said
    recorded_at: Instant  # believed from
    fingerprint: str  # the form under which two statements are the same
    skeleton: str  # the statement without its numbers, dates and polarity
    # life: what later changes set
    status: Status = Status.ACTIVE
    superseded_by: str | None = None
    valid_to: Instant | None = None  # true in the world until, excluded
    valid_to_precision: Precision = Precision.DAY  # the unit in which that was said
    known_to: Instant | None = None  # believed until, excluded; None for a retired one: it never was
    reason: str | None = None  # why it was retired or quarantined
    was_wrong: bool = False  # retired because it never held (correction, retraction), not because things changed
    beliefs: Annotated[tuple[Belief, ...], Field(exclude=True)] = ()  # what was believed before, oldest first

    def __eq__(self, other: object) -> bool:
        """Tell whether it is the same version with the same life, whatever was believed before.

        That is folded from the journal and stands in no record: a fact reads back without it.
        """
        if not isinstance(other, Fact):
            return NotImplemented
        return {**self.__dict__, "beliefs": ()} == {**other.__dict__, "beliefs": ()}

    def __hash__(self) -> int:
        """Return a hash by the id."""
        return hash(self.id)


class Usage(Value):
    """The overlay of one fact: how it is used. Not part of the version."""

    fact_id: str
    access_count: int = 0
    last_accessed_at: Instant | None = None
    pinned: bool = False
    useful_count: int = 0  # how often somebody who was given it said that it was useful
    wrong_count: int = 0  # the same, that it was wrong
    confirm_count: int = 0  # how often the same statement came again
    last_confirmed_at: Instant | None = None
    confirmed_by: tuple[Source, ...] = ()  # the latest sources that said it again, oldest first
