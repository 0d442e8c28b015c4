"""What speaks for the candidates of a question: whether they are about it, and which are far below the best."""

from collections.abc import Sequence
from typing import Final

from engram.language.lexical import count_words
from engram.language.lexical import terms
from engram.language.term_weights import is_identifier
from engram.ports.index import VectorIndex
from engram.rules.fusion import Fused
from engram.rules.relevance import BEST
from engram.rules.relevance import Signs
from engram.rules.relevance import is_far
from engram.rules.relevance import mean_of_nearest
from engram.rules.relevance import words_shared
from engram.services.recall.candidates import Pool
from engram.services.recall.query import RecallQuery

_JUDGED: Final = 5  # times the limit: the nearest candidates whose closeness is asked for


def signs_of(
    pool: Pool,
    ranked: Sequence[Fused],
    texts: Sequence[str],
    named: set[str],
    asked: RecallQuery,
    index: VectorIndex | None,
) -> Signs:
    """Return what speaks for the best candidates.

    Args:
        pool: with the legs' scores.
        ranked: best first.
        texts: what was searched of the first of them.
        named: entities that the question names.
        asked: the question.
        index: that found them; None when only words could.
    """
    # What was said then is about the question as far as it asks for the time.
    said = [terms(f"{text}\n{pool.period_words}") for text in texts]
    question = terms(asked.query)
    closeness = sorted(closeness_of(pool, asked, index).values(), reverse=True)
    facts = pool.believed()
    return Signs(
        words=words_shared(question, said),
        closeness=closeness[0] if closeness else None,
        near=mean_of_nearest(closeness),
        length=count_words(asked.query),
        is_named=any(one.id in facts and facts[one.id].entity in named for one in ranked[:BEST])
        or any(is_identifier(term) and term in have for term in question for have in said),
    )


def closeness_of(pool: Pool, asked: RecallQuery, index: VectorIndex | None) -> dict[str, float]:
    """Return by id how close the candidates lie to the question in meaning, as far as a model can tell."""
    found = pool.open_legs().get("dense", {})
    nearest = sorted(found, key=lambda key: -found[key])[: asked.limit * _JUDGED]
    said = {key: index.closeness(asked.query, found[key]) for key in nearest} if index else {}
    return {key: value for key, value in said.items() if value is not None}


def far_below(pool: Pool, ordered: Sequence[Fused], asked: RecallQuery, index: VectorIndex | None) -> set[str]:
    """Return the candidates that are far below the best, in words and in meaning, and not of the time asked about."""
    legs, closeness = pool.open_legs(), closeness_of(pool, asked, index)
    words, then = legs.get("lexical", {}), legs.get("time", {})
    best_words, best_closeness = max(words.values(), default=0.0), max(closeness.values(), default=None)
    return {
        one.id
        for one in ordered
        if one.id not in then
        and is_far(words.get(one.id, 0.0), closeness.get(one.id), best_words=best_words, best_closeness=best_closeness)
    }
