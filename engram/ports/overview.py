"""What overviews ask of the database: counts and light rows, so that nothing has to be read whole to be counted."""

import datetime as dt
from collections.abc import Iterable
from collections.abc import Sequence
from typing import NamedTuple
from typing import Protocol

from engram.model.conversation import Turn


class SessionSum(NamedTuple):
    """What one session comes to."""

    turns: int
    quarantined: int  # turns that try to give orders
    began_at: dt.datetime | None  # when the first turn was said, of those that say when
    last_at: dt.datetime | None
    facts: int  # versions drawn from what was said in it, whatever became of them


class TurnYield(NamedTuple):
    """One turn, with how many facts were drawn from it."""

    id: str
    ordinal: int
    scope: str
    is_quarantined: bool
    facts: int  # in the scopes that were asked for


class Week(NamedTuple):
    """What came to a store in one week."""

    begins_on: dt.date  # a Monday of the zone
    facts: int  # versions that were recorded
    ended: int  # versions that were replaced or taken back
    entities: int
    turns: int  # by when they were said
    notes: int  # entries of daily notes, by the day of the note


class Decided(NamedTuple):
    """What became of one command."""

    command_id: str
    kind: str
    actor: str
    status: str
    id: str | None  # fact, entity or session that it made or touched


class RatedFact(NamedTuple):
    """A fact that was rated."""

    id: str
    confidence: float  # with which it was stated, 0 to 1
    useful_count: int
    wrong_count: int


class Overviews(Protocol):
    """Counts and light rows of the projection. Nothing here reads the text of all facts."""

    def session_sums(self, scopes: Sequence[str] = ()) -> dict[str, SessionSum]:
        """Return what each session comes to; of facts, those of these scopes are counted, without scopes all."""
        ...

    def turn_yields(self, session: str, scopes: Sequence[str] = ()) -> list[TurnYield]:
        """Return the turns of a session in their order; of facts, those of these scopes count, without scopes all."""
        ...

    def find_turns(self, ids: Iterable[str]) -> list[Turn]:
        """Return these turns by session and ordinal."""
        ...

    def ids_drawn_from(self, turns: Iterable[str]) -> list[str]:
        """Return the ids of the facts that were drawn from these turns, in the order in which they were recorded."""
        ...

    def rated_facts(self) -> list[RatedFact]:
        """Return the facts that somebody rated, by id."""
        ...

    def weeks(self, zone: dt.tzinfo) -> list[Week]:
        """Return what came in each week in which anything did, oldest first."""
        ...

    def decided_between(self, since: dt.datetime, until: dt.datetime, prefix: str) -> list[Decided]:
        """Return the commands asked for from an instant to another whose ids begin so, in the order of the journal."""
        ...
