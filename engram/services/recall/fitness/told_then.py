"""What a time was about: the order of an answer to "what did we do last week?", whose words say nothing of candidates.

By words the shortest line of the day would be first. What counts is how much each tells: a fact by its kind and how
sure it is, any other text by what it says, and by whether it opens a section of a note.
"""

from collections.abc import Mapping
from collections.abc import Sequence
from typing import Final

from engram.language.signal.turn_worth import worth
from engram.model.document import Document
from engram.model.fact import Fact
from engram.rules.life.importance import WORTH_OF_KIND
from engram.rules.recall.fusion import Fused
from engram.rules.recall.fusion import in_order

_BY_WORDS: Final = 0.1  # of the score of the legs remains, to settle ties; what a text tells is between 0 and 1
_OPENS: Final = 0.3  # what the first line below its headings gains: the others are about it
_READ_CHARS: Final = 1500  # of a text


def most_telling_first(
    fused: Sequence[Fused], documents: Mapping[str, Document], facts: Mapping[str, Fact]
) -> list[Fused]:
    """Return the candidates of a time, those first that tell most of it.

    Args:
        fused: with the scores of the legs.
        documents: by id.
        facts: those that are believed, by id.
    """
    return in_order(
        one._replace(score=_BY_WORDS * one.score + _told(documents[one.id], facts.get(one.id))) for one in fused
    )


def _told(document: Document, fact: Fact | None) -> float:
    if fact is not None:
        return WORTH_OF_KIND[fact.category] * fact.confidence
    opens = document.kind != "turn" and document.id == next(iter(document.beside), document.id)
    return worth(document.text[:_READ_CHARS]) + (_OPENS if opens else 0.0)
