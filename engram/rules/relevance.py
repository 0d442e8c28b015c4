"""Whether an answer is about the question at all: what keeps memories away from questions that they say nothing to.

Two signs, of which one is enough. Words: the share of the question's terms that stand together in one of the best
candidates. Meaning: how close the nearest candidate lies, on a scale on which 0 is an unrelated question and 1 the
question itself (`ports.index.Embedder.closeness`), so that it does not depend on the model.
"""

from collections.abc import Collection
from collections.abc import Iterable

CLOSE = 0.55
"""Closeness in meaning from which a candidate is about the question."""

BEST = 3
"""Candidates by which the words are judged."""

_LIKELY = 1.6  # times the threshold from which an answer is likely to be known
# Measured: of questions asked to a memory that holds the answer 95 of 100 have .42 of their terms in one of the three
# best turns; of prompts about other things beside ten memories 95 of 100 have at most .22. Of questions asked to
# another person's memory one half has .3: these are `probably unknown`.


def words_shared(asked: Collection[str], best: Iterable[Collection[str]]) -> float:
    """Return the largest share, 0 to 1, of a question's distinct terms that one of the best candidates has.

    1 for a question without terms: nothing can be said against it.
    """
    terms = frozenset(asked)
    if not terms:
        return 1.0
    return max((len(terms.intersection(have)) for have in best), default=0) / len(terms)


def is_relevant(words: float, closeness: float | None, threshold: float) -> bool:
    """Tell whether an answer may be brought: enough of the words, or close enough in meaning.

    Args:
        words: share of the question's terms, 0 to 1.
        closeness: of the nearest candidate; None without a model.
        threshold: least share of the words; 0 brings everything.
    """
    return words >= threshold or (closeness is not None and closeness >= CLOSE)


def is_probably_unknown(words: float, closeness: float | None, threshold: float) -> bool:
    """Tell whether the answer is about the question, but probably does not hold what is asked."""
    if closeness is None:
        return words < _LIKELY * threshold
    return words + closeness < _LIKELY * threshold + CLOSE
