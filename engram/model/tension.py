"""The tension: two facts that exclude each other and that somebody should settle."""

from enum import StrEnum

from engram.model.value import Instant
from engram.model.value import Value


class TensionStatus(StrEnum):
    """Whether somebody settled it."""

    OPEN = "open"  # waits
    RESOLVED = "resolved"  # settled


class Tension(Value):
    """Two facts, and why they cannot both hold."""

    id: str  # tension-0001
    text: str  # one sentence for people
    fact1: str  # the older fact's id
    fact2: str  # the newer fact's id
    kind: str  # polarity, number, date, version, attribute, preference, cessation, manual
    status: TensionStatus = TensionStatus.OPEN
    opened_at: Instant
    resolution: str | None = None  # what closed it
    resolved_at: Instant | None = None
    outcome: str | None = None  # supersede, both-true, merge, wrong-source, dissolve; None: it closed by itself
    pair: tuple[str, ...] = ()  # entity and fingerprint of both sides, when the two are no conflict

    @property
    def sides(self) -> frozenset[str]:
        """The ids of the two facts."""
        return frozenset({self.fact1, self.fact2})
