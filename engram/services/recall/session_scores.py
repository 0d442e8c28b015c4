"""How well each session as one text fits a question: BM25 over the session's turns that a leg found.

A session of many turns is spoken of as a whole ("the talk about the move and the new job"), and no single turn has it
all. Turns that no leg found have no word of the question, so they only count for the length, and roughly.
"""

import math
from collections import Counter
from collections.abc import Iterable

from engram.language.lexical import terms
from engram.model.document import Document

_K1 = 1.2  # how fast repeating a term stops counting; more than for a turn, since a session repeats
_B = 0.5  # how much a long session is discounted
# Measured beside the best turn and the three best: of 48 questions to long chats all sessions with evidence were among
# the first ten in .83 instead of .79; on short talks no difference.


def weigh_sessions(question: str, documents: Iterable[Document]) -> dict[str, float]:
    """Return session -> score, above 0, of the sessions of these documents that have a term of the question."""
    asked = frozenset(terms(question))
    counts: dict[str, Counter[str]] = {}
    lengths: Counter[str] = Counter()
    for document in documents:
        if document.session is not None:
            said = terms(document.text)
            lengths[document.session] += len(said)
            counts.setdefault(document.session, Counter()).update(term for term in said if term in asked)
    holders = Counter(term for found in counts.values() for term in found)
    weights = {term: math.log1p((len(counts) - held + 0.5) / (held + 0.5)) for term, held in holders.items()}
    average = lengths.total() / max(1, len(lengths))
    return {
        session: math.fsum(
            weights[term] * count * (_K1 + 1) / (count + _K1 * (1 - _B + _B * lengths[session] / max(1.0, average)))
            for term, count in found.items()
        )
        for session, found in counts.items()
        if found
    }
