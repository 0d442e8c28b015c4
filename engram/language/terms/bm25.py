"""What a document's and a question's terms weigh: BM25 without the IDF part, which the engine adds when it searches.

BM25: S. Robertson, H. Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009.
"""

import re
import zlib
from collections import Counter
from collections.abc import Mapping
from collections.abc import Sequence
from functools import cache

from engram.language.matching.patterns import joined
from engram.language.terms.terms import asked_terms
from engram.language.terms.terms import indexed_terms
from engram.language.terms.terms import terms
from engram.model.sparse import SparseText

_K1 = 0.9  # how fast repeating a term stops counting
_B = 0.6  # how much a long text is discounted
_AVERAGE_TERMS = 20.0  # fixed, so that a document's weights do not depend on what else was there when it came
# Measured with k1 0.9 on conversations of short turns (a gold turn among the first ten of 1,015 questions) and on chats
# with long replies (of 176): average 40, b 0.4: .725 and .642; 20, 0.6: .714 and .705; 200, 0.4: .732 and .500.
_OWN = 0.4  # share of the text alone; the rest is that of the text joined with its context
# A turn often says "yes, on Friday" of what the turn before it asks. On the same conversations and chats, with up to
# four turns before it as context: alone .725 and .733, with .4 alone .836 and .722.
_MOST_KEPT = 1 << 16  # terms whose index is remembered
_LONGEST_KEPT = 40  # characters of such a term
_NAMED = 3.0  # weight of an identifier in a question: who writes one means it
# A long list that holds it is discounted for its length, and the turns after it hold it in their context. Of 600
# questions by an identifier that one of 7,163 lines holds, that line came first in 596; with weight 2 in 599, 3 in 600.
_IDENTIFIER = (
    r"(?:(?=.*[^\W\d_])(?:.*[\d_.@\\#+].*|--.*)|\d+(?:\.\d+)+|#\d+)"  # a letter with a digit or sign; 2.3.1; #12
)
_HUMP = re.compile(r"[a-z][A-Z][a-z]")  # as in PodSecurityPolicies and parseConfig: a name of code, or of a product


def document_terms(text: str, context: str = "") -> SparseText:
    """Return a document's weights: of the text alone, and of the text with the context it was said in.

    Without context these are plain BM25 weights. An index is a checksum of 32 bits; two words that share it are one.
    """
    own, before = indexed_terms(text), indexed_terms(context)
    alone = _bm25(_counted(own))
    if not before:
        return _sparse(alone)
    joined = _bm25(_counted(own + before))
    return _sparse({index: (1 - _OWN) * weight + _OWN * alone.get(index, 0.0) for index, weight in joined.items()})


def query_terms(text: str) -> SparseText:
    """Return a question's terms, each once: with weight 1, an identifier as a whole with more."""
    found = asked_terms(text)
    weights = dict.fromkeys(_counted(found), 1.0)
    weights.update((_INDICES[term], _NAMED) for term in found if is_identifier(term))
    return _sparse(weights)


def names_identifier(text: str) -> bool:
    """Tell whether a question names something by an identifier, so that a text without it is hardly an answer."""
    return _HUMP.search(text) is not None or any(map(is_identifier, terms(text)))


def is_identifier(term: str) -> bool:
    """Tell whether a term names something by itself: POSTGRES_URL, v2.3.1, engine.py, #12."""
    return _identifier().fullmatch(term) is not None


@cache
def _identifier() -> re.Pattern[str]:
    no_identifier = rf"(?:[^\W\d_]\.)+[^\W\d_]?$|\d+(?:{joined('values', 'ordinal')})$"  # e.g, 2nd
    return re.compile(f"(?!{no_identifier}){_IDENTIFIER}")


class _Indices(dict[str, int]):
    """The index of each term; of short ones remembered, since text repeats its words."""

    def __missing__(self, term: str) -> int:
        index = zlib.crc32(term.encode())
        if len(term) <= _LONGEST_KEPT:
            if len(self) >= _MOST_KEPT:
                self.clear()
            self[term] = index
        return index


_INDICES = _Indices()


def _counted(found: Sequence[str]) -> Counter[int]:
    return Counter(map(_INDICES.__getitem__, found))


def _bm25(counts: Counter[int]) -> dict[int, float]:
    length = _K1 * (1 - _B + _B * counts.total() / _AVERAGE_TERMS)
    return {index: count * (_K1 + 1) / (count + length) for index, count in counts.items()}


def _sparse(weights: Mapping[int, float]) -> SparseText:
    return SparseText(tuple(weights), tuple(weights.values()))
