"""What is asked of all facts at once, counted by the engine or told by few columns: nobody reads a million whole."""

import datetime as dt
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from typing import NamedTuple
from typing import Protocol

from engram.model.fact import Fact


class SpanFilter(NamedTuple):
    """Which facts are counted as spans, or told by their lives; only one of `as_of` and `now` may be given.

    Without either it is every fact that is believed, or was until the world changed.
    """

    zone: dt.tzinfo  # of whose days they are told
    scopes: tuple[str, ...] = ()  # empty: every scope
    as_known: dt.datetime | None = None  # as it was believed then; None: as it is believed now
    as_of: dt.datetime | None = None  # true in the world then
    now: dt.datetime | None = None  # holding now


SpanRow = tuple[
    str,  # path of an entity
    str | None,  # path of an entity that they name; None: told of the facts alone
    int,  # first day at whose end they hold, from 1970-01-01 as the others
    int | None,  # first day at whose end they hold no longer
    int,  # day on which they were last recorded, accessed or confirmed
    float,  # confidence
    int,  # access count
    int,  # how many
]
"""Facts that are alike in whose they are, whom they name, when they hold, and all on which a tier depends.

There is one for nearly every fact of a store, and somebody waits: so it has no names of its own.
"""


class FactLife(NamedTuple):
    """One fact as rules on time read it."""

    fact: Fact  # without text, category, source and the rest that says what it is, and not when it holds
    used_day: int  # last recorded, accessed or confirmed: days from 1970-01-01
    access_count: int


class FactWear(NamedTuple):
    """Live facts that are alike in all on which their course through the tiers depends.

    Days are counted from 1970-01-01.
    """

    is_sure: bool  # of a confidence from which a fact does not go cold early
    access_count: int
    recorded_day: int
    used_day: int  # last recorded, accessed or confirmed
    accessed_day: int | None  # last accessed
    ids: list[str]


class FactFace(NamedTuple):
    """What is shown of a fact where there are many."""

    id: str
    entity: str
    text: str
    abstraction: str
    is_pinned: bool


class FactColumns(Protocol):
    """The part of `FactDatabase` that answers by columns."""

    def iter_spans(self, wanted: SpanFilter) -> Iterator[SpanRow]:
        """Count facts by the days on which they hold: those without an attribute, that were never believed otherwise.

        The others, over which more than their own life decides, `pages_of_lives` yields. Few rows are held at once, and
        other questions may be asked between two.
        """
        ...

    def entity_tags(self, wanted: SpanFilter) -> dict[str, list[str]]:
        """Return path -> tags, sorted, of the facts that `iter_spans` counts."""
        ...

    def pages_of_lives(self, wanted: SpanFilter, *, joining: bool = False) -> Iterator[list[FactLife]]:
        """Yield the facts that `iter_spans` leaves out, by entity and number, whatever `as_of` and `now` say of them.

        All facts of an entity are on one page. With `joining` also the others that name an entity.
        """
        ...

    def fact_wear(self, zone: dt.tzinfo, scopes: Sequence[str] = ()) -> list[FactWear]:
        """Return how the live facts that are not quarantined were used, by days of that zone."""
        ...

    def fact_faces(self, ids: Iterable[str]) -> list[FactFace]:
        """Return what is shown of these facts."""
        ...

    def moved_facts(self) -> dict[str, str]:
        """Return id -> entity of the live facts that are about another entity than the one they were born under."""
        ...
