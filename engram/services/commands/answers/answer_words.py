"""What an answer of a review holds, and in which words it is told."""

from typing import Annotated
from typing import Literal

from pydantic import Field

from engram.base.text import MAX_FACT_CHARS
from engram.model.changes.settlement import Settlement
from engram.model.changes.settlement import Verdict
from engram.model.observation import Observation
from engram.model.value import Value

_ONE_STAYS = frozenset({Verdict.SUPERSEDE, Verdict.WRONG_SOURCE})


class AnswerArgs(Value):
    """What `review answer` and `tension resolve` take."""

    id: str  # of a tension, an observation, or a quarantined fact
    outcome: Verdict
    keep: str | None = None  # fact or observation that stays
    text: Annotated[str, Field(max_length=MAX_FACT_CHARS)] | None = None  # what a merge or a promotion says
    note: Annotated[str, Field(max_length=1000)] | None = None  # why
    entity: str | None = None  # of a promotion; None: what the observation says
    create: bool = False  # make that entity when it is unknown
    to: Literal["fact", "memory"] | None = None  # of a promotion; None: what the observation suggests


def memory_text(observation: Observation, text: str | None) -> str:
    """Return the line of MEMORY.md that an observation becomes, in other words when some are given."""
    return text or (observation.suggestion.text if observation.suggestion else observation.text)


def said_of(settlement: Settlement) -> str:
    """Return in a sentence what was decided."""
    made = f" as {settlement.made}" if settlement.made else ""
    kept = f", {settlement.keep} stays" if settlement.keep and settlement.verdict in _ONE_STAYS else ""
    return f"{settlement.verdict}{made}{kept}; engram review undo takes it back"
