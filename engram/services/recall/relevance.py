"""What speaks for the candidates of a question: whether they are about it, and which are far below the best."""

from collections.abc import Mapping
from collections.abc import Sequence
from typing import Final

from engram.base.text import fingerprint
from engram.language.terms.bm25 import is_identifier
from engram.language.terms.terms import count_words
from engram.language.terms.terms import terms
from engram.ports.index import VectorIndex
from engram.rules.recall.fusion import Fused
from engram.rules.recall.relevance import BEST
from engram.rules.recall.relevance import Signs
from engram.rules.recall.relevance import is_far
from engram.rules.recall.relevance import mean_of_nearest
from engram.rules.recall.relevance import words_shared
from engram.services.recall.query import RecallQuery
from engram.services.recall.retrieval.candidate_set import CandidateSet

_SPEAKER_CHARS: Final = 40  # of the name before what somebody said


def closeness_of(pool: CandidateSet, asked: RecallQuery, index: VectorIndex | None) -> dict[str, float]:
    """Return by id how close the candidates lie to the question in meaning, as far as a model can tell."""
    found = pool.open_legs().get("dense", {})
    said = {key: index.closeness(asked.query, cosine) for key, cosine in found.items()} if index else {}
    return {key: value for key, value in said.items() if value is not None}


def signs_of(
    pool: CandidateSet,
    ranked: Sequence[Fused],
    texts: Sequence[str],
    closeness: Mapping[str, float],
    *,
    named: set[str],
    question: str,
) -> Signs:
    """Return what speaks for the best candidates.

    Args:
        pool: with the legs' scores.
        ranked: best first.
        texts: what was searched of the first of them.
        closeness: of the candidates, by id; empty without a model.
        named: entities that the question names.
        question: as it was asked.
    """
    # What was said then is about the question as far as it asks for the time.
    said = [terms(f"{text}\n{pool.period_words}") for text in texts]
    asked, facts = terms(question), pool.believed()
    return Signs(
        words=words_shared(asked, said),
        closeness=max(closeness.values(), default=None),
        near=mean_of_nearest(closeness.values()),
        length=count_words(question),
        is_named=any(one.id in facts and facts[one.id].entity in named for one in ranked[:BEST])
        or any(is_identifier(term) and term in have for term in asked for have in said),
    )


def far_below(pool: CandidateSet, ordered: Sequence[Fused], closeness: Mapping[str, float], question: str) -> set[str]:
    """Return the candidates that are far below the best, in words and in meaning, and not of the time asked about.

    What only says the question again, which nothing else can come near, is not the best that there is.
    """
    legs = pool.open_legs()
    words, then = legs.get("lexical", {}), legs.get("time", {})
    best_words = _best_of(words, pool, question) or 0.0
    best_closeness = _best_of(closeness, pool, question)
    return {
        one.id
        for one in ordered
        if one.id not in then
        and is_far(words.get(one.id, 0.0), closeness.get(one.id), best_words=best_words, best_closeness=best_closeness)
    }


def answers_as_much(pool: CandidateSet, fact: str, turn: str, closeness: Mapping[str, float], question: str) -> bool:
    """Tell whether a fact has every word of the question that its turn has, and is not far below it.

    Of a turn with several statements a fact says one: "The pump works again, so no more visits to the plumber."
    """
    asked, whom = set(terms(question)), (pool.documents[fact].entity or "").replace("-", " ")
    said = asked & set(terms(pool.documents[turn].text))
    words = pool.legs.get("lexical", {})
    return said <= set(terms(f"{whom}\n{pool.documents[fact].text}")) and not is_far(
        words.get(fact, 0.0),
        closeness.get(fact),
        best_words=words.get(turn, 0.0),
        best_closeness=closeness.get(turn),
    )


def _best_of(scores: Mapping[str, float], pool: CandidateSet, question: str) -> float | None:
    """Return the best score of what does not only say the question again; None when there is no such candidate."""
    asked = fingerprint(question)
    best_first = sorted(scores, key=lambda key: -scores[key])
    return next((scores[key] for key in best_first if not _is_again(pool.documents[key].text, asked)), None)


def _is_again(text: str, asked: str) -> bool:
    """Tell whether a text is the question, perhaps with its speaker before it."""
    if len(text) > 2 * len(asked) + _SPEAKER_CHARS:
        return False
    return asked in {fingerprint(text), fingerprint(text.partition(": ")[2])}
