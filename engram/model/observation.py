"""The observation: something noticed about the work or the memory, which waits until somebody makes something of it."""

from enum import StrEnum
from typing import Annotated
from typing import Final
from typing import Literal

from pydantic import Field

from engram.model.value import Instant
from engram.model.value import Value
from engram.model.vocabulary import SHARED
from engram.model.vocabulary import Abstraction
from engram.model.vocabulary import Category
from engram.model.vocabulary import Trust

TAKEN_BACK: Final = "taken back"
"""How an observation or a tension was settled when whoever added it took it back."""


class ObservationCategory(StrEnum):
    """What kind of thing was noticed."""

    FRICTION = "friction"  # something is in the way
    SURPRISE = "surprise"  # something is otherwise than expected
    QUALITY = "quality"  # something of the memory is good or bad
    PATTERN = "pattern"  # something comes again and again


class ObservationStatus(StrEnum):
    """What became of it."""

    OPEN = "open"  # waits
    PROMOTED = "promoted"  # it is a fact, or a line of MEMORY.md
    DISMISSED = "dismissed"  # nothing is to be made of it; remembered, so that it does not come again
    MERGED = "merged"  # it says what another one says


class Suggestion(Value):
    """What could be made of an observation."""

    target: Literal["fact", "memory"] = "fact"  # memory: a line of MEMORY.md
    text: Annotated[str, Field(min_length=1, max_length=2000)]
    entity: str | None = None  # path; None: the observation's
    category: Category = Category.CONTEXT
    abstraction: Abstraction = Abstraction.PATTERN


class Observation(Value):
    """One thing that was noticed, with what it stands on."""

    id: str  # observation-0001
    text: str  # one sentence
    category: ObservationCategory
    entity: str | None = None  # path of whom or what it is about
    facts: tuple[str, ...] = ()  # ids of the facts that it stands on
    sessions: tuple[str, ...] = ()  # where it was noticed, oldest first
    seen: Annotated[int, Field(ge=1)] = 1  # how often
    scope: str = SHARED  # the narrowest of its facts
    trust: Trust = Trust.TRUSTED
    fingerprint: str  # equal for the same sentence
    words: tuple[str, ...] = ()  # stems that carry its meaning, sorted
    suggestion: Suggestion | None = None
    opened_at: Instant
    seen_at: Instant  # the last time
    # life: what later changes set
    status: ObservationStatus = ObservationStatus.OPEN
    promoted_to: str | None = None  # fact id, or MEMORY.md
    merged_into: str | None = None  # observation id
    resolution: str | None = None  # why, in words
    resolved_at: Instant | None = None
