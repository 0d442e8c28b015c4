"""What the index holds: facts, note entries and turns as documents, and what recall answers."""

from typing import Any

from engram.model.value import Instant
from engram.model.value import Value

FACT = "fact"
CANDIDATE = "candidate"  # a statement that may become a fact: found like a note, never stated as known
OF_STORE = frozenset({FACT, CANDIDATE})  # kinds of which the store has the last word


class Document(Value):
    """One searchable text."""

    id: str  # fact, note or turn id
    kind: str  # fact, candidate, note, turn, self
    text: str  # what is shown
    indexed_text: str  # what is searched: the text with its date, speaker, entity written in; a search leaves it out
    entity: str | None = None
    session: str | None = None
    ref: str | None = None  # the id a turn was captured under
    scope: str = "shared"
    trust: str = "trusted"
    live: bool = True  # False: superseded, retracted, pending or quarantined; never served unasked
    at: Instant | None = None  # when it was said or is valid from
    path: str | None = None
    lines: str | None = None  # "12-14"
    related: tuple[str, ...] = ()
    ordinal: int | None = None  # a turn's place in its session
    by_assistant: bool = False  # said by a program, not by a person
    beside: tuple[str, ...] = ()  # ids of the lines around a note's line under the same heading, and its own, in order
    words_only: bool = False  # a program wrote it: found by its words, worth no vector
    position: int = 0  # of the journal record that it came with
    context: str = ""  # the turns before it, for its terms only: an index does not give it back


class Hit(Value):
    """One ranked result of recall."""

    id: str
    kind: str
    text: str
    score: float  # order within this answer only
    state: str | None = None  # planned or ended: the fact does not hold now, and is shown all the same
    overdue_since: str | None = None  # of a promise that is owed still: the day by which it was given
    date: str | None = None
    entity: str | None = None
    source: str | None = None
    tier: str | None = None
    trust: str | None = None
    path: str | None = None
    lines: str | None = None
    ref: str | None = None
    session: str | None = None
    was: str | None = None  # what the fact said before the world changed
    now: str | None = None  # of raw text: what holds today in the place of a statement in it
    freshness: dict[str, str] | None = None  # of a file, commit or address that it names: names, kind, state, now
    order: dict[str, Any] | None = None  # of a standing order: {"when", "until", "by", "against"}
    legs: dict[str, Any] | None = None  # with --explain
