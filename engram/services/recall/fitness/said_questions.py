"""Turns that only ask: they have the words of a question and none of its answer, so what follows them stands higher."""

from collections.abc import Mapping
from collections.abc import Sequence
from typing import Final

from engram.language.compare.slots.answers import tells_nothing
from engram.language.compare.slots.question_words import only_asks
from engram.model.document import Document
from engram.rules.recall.fusion import Fused
from engram.rules.recall.fusion import in_order

_LEFT: Final = 0.6  # of its score remains to a turn that only asks
_HANDED_ON: Final = 0.3  # of its score the next turn of its session gains: that may be the answer


def answers_before_questions(ranked: Sequence[Fused], documents: Mapping[str, Document]) -> list[Fused]:
    """Return the candidates, best first, with each turn that only asks behind what may answer it."""
    asking = {one.id: one.score for one in ranked if _only_asks(documents[one.id])}
    if not asking:
        return list(ranked)
    scores = {(documents[key].session, documents[key].ordinal): score for key, score in asking.items()}
    return in_order(
        one._replace(
            score=_LEFT * one.score
            if one.id in asking
            else one.score + _HANDED_ON * _asked_by(documents[one.id], scores)
        )
        for one in ranked
    )


def _asked_by(document: Document, scores: Mapping[tuple[str | None, int | None], float]) -> float:
    """Return the score of the question right before a turn that says something to it; 0 when there is none."""
    if document.ordinal is None or tells_nothing(_said(document)):
        return 0.0
    return max(0.0, scores.get((document.session, document.ordinal - 1), 0.0))


def _only_asks(document: Document) -> bool:
    return document.kind == "turn" and only_asks(_said(document))


def _said(document: Document) -> str:
    """Return what a turn says, without the name of its speaker before it."""
    speaker, colon, said = document.text.partition(": ")
    return said if colon and "\n" not in speaker else document.text
