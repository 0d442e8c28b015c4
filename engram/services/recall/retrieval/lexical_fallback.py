"""Searching by words without the index: slower, facts only, and better than no answer while the index is unusable."""

import math
from collections import Counter
from collections.abc import Sequence

from engram.language.terms.terms import terms
from engram.model.document import Document
from engram.ports.index import Candidate

_K1 = 0.9  # how fast repeating a term stops counting, as in the index; facts are short, so length does not count


def match_words(question: str, documents: Sequence[Document]) -> list[Candidate]:
    """Return the documents that share a term with the question, best first; rare terms count more."""
    counts = {document.id: Counter(terms(document.indexed_text)) for document in documents}
    asked = dict.fromkeys(terms(question))
    holders = {term: sum(term in found for found in counts.values()) for term in asked}
    weights = {term: math.log1p((len(documents) - held + 0.5) / (held + 0.5)) for term, held in holders.items()}
    scored = [
        Candidate(document, math.fsum(weights[term] * _repeated(counts[document.id][term]) for term in asked))
        for document in documents
    ]
    return sorted((one for one in scored if one.score > 0), key=lambda one: (-one.score, one.document.id))


def _repeated(count: int) -> float:
    return count * (_K1 + 1) / (count + _K1)
