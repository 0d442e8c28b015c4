"""Retrieval cards: questions that somebody froze, what is to be found for them, and where it was found each time."""

import datetime as dt
from typing import Annotated
from typing import Literal

from pydantic import Field

from engram.model.value import Value


class CardRun(Value):
    """One time that the question of a card was asked."""

    day: dt.date  # of the workspace
    place: int | None  # of the expected answer among the hits, from 1; None: it was not among them
    version: str  # of the Engram that answered


class Card(Value):
    """A frozen question."""

    id: str  # card-1 to card-5
    question: str
    fact: str | None = None  # id of the fact that is to be found, in whatever version
    words: str | None = None  # else: words that a hit has to hold, in any order and form
    added: dt.date
    runs: tuple[CardRun, ...] = ()  # oldest first

    @property
    def expected(self) -> str:
        """What is to be found, as it was named."""
        return self.fact or self.words or ""


class Cards(Value):
    """The file of cards."""

    v: Literal[1] = 1
    cards: Annotated[tuple[Card, ...], Field(max_length=5)] = ()
