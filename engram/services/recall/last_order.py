"""Which candidates are brought, and in which last order: none that is not about the question, and the newest lead."""

from collections.abc import Mapping

from engram.rules.recall.fusion import Fused
from engram.rules.recall.fusion import add_support
from engram.rules.recall.ranking import shown_score
from engram.rules.recall.relevance import Signs
from engram.rules.recall.relevance import is_relevant
from engram.services.recall.departures import BELOW_SCORE
from engram.services.recall.departures import FAR_BELOW
from engram.services.recall.departures import NOT_RELEVANT
from engram.services.recall.fitness.asked_kind import answering_first
from engram.services.recall.fitness.said_questions import answers_before_questions
from engram.services.recall.presentation.passages import fold_sources
from engram.services.recall.presentation.passages import support_neighbours
from engram.services.recall.presentation.shown_hits import SHOWN_BESIDE
from engram.services.recall.query import RecallContext
from engram.services.recall.query import RecallQuery
from engram.services.recall.relevance import answers_as_much
from engram.services.recall.relevance import far_below
from engram.services.recall.retrieval.candidate_set import CandidateSet
from engram.services.recall.session_scores import rank_sessions
from engram.services.recall.standing_order import talk_of
from engram.services.recall.validity.newest_value import newest_first
from engram.services.recall.validity.newest_value import newest_of_slots_first


def bring(
    pool: CandidateSet,
    ranked: list[Fused],
    asked: RecallQuery,
    signs: Signs,
    closeness: Mapping[str, float],
    around: RecallContext,
) -> list[Fused]:
    """Return what is brought, in its last order: nothing when it is not about the question.

    Args:
        pool: of the candidates; it notes the exit of each that is not brought, and beside which another is shown.
        ranked: in the first order.
        asked: the question.
        signs: what speaks for the candidates as a whole.
        closeness: by id, how near a candidate's text is to the question in meaning.
        around: when it is asked, and how far a candidate has to be about it.
    """
    if not is_relevant(signs, around.threshold, surely=asked.surely):
        pool.exits |= dict.fromkeys((one.id for one in ranked), NOT_RELEVANT)
        return []
    if asked.by == "session":
        return _high_enough(pool, rank_sessions(pool, ranked, asked.query), asked)
    folded = fold_sources(
        support_neighbours(ranked, pool.documents),
        pool.documents,
        pool.facts,
        lambda fact, turn: answers_as_much(pool, fact, turn, closeness, asked.query),
    )
    pool.place_of = folded.place_of
    pool.exits |= dict.fromkeys(folded.exits, SHOWN_BESIDE)
    sessions = {one.id: session for one in folded.ranked if (session := talk_of(pool.documents[one.id]))}
    supported = answers_before_questions(add_support(folded.ranked, sessions), pool.documents)
    answering = answering_first(supported, pool.documents, asked.query)
    pool.come_forward = answering.come_forward
    supported = newest_of_slots_first(answering.ranked, pool.believed(), asked.query, around.now)
    ordered = newest_first(supported, pool.documents, asked.query)
    far = far_below(pool, ordered, closeness, asked.query) if around.threshold > 0 else set()
    pool.exits |= dict.fromkeys(far, FAR_BELOW)
    return _high_enough(pool, [one for one in ordered if one.id not in far], asked)


def _high_enough(pool: CandidateSet, ranked: list[Fused], asked: RecallQuery) -> list[Fused]:
    """Return what has the score that a question asks for, as hits show it."""
    if asked.min_score is None:
        return ranked
    low = {one.id for one in ranked if shown_score(one.score) < asked.min_score}
    pool.exits |= dict.fromkeys(low, BELOW_SCORE)
    return [one for one in ranked if one.id not in low]
