"""The first order of candidates: what the legs say of each, moved gently by how each stands."""

import datetime as dt
from collections.abc import Mapping

from engram.language.terms.bm25 import names_identifier
from engram.model.document import Document
from engram.model.fact import Fact
from engram.rules.recall.fusion import WEIGHTS
from engram.rules.recall.fusion import WEIGHTS_OF_NAMES
from engram.rules.recall.fusion import Fused
from engram.rules.recall.fusion import fuse
from engram.rules.recall.fusion import in_order
from engram.rules.recall.ranking import Standing
from engram.rules.recall.ranking import standing_score
from engram.services.recall.fitness.told_then import most_telling_first
from engram.services.recall.presentation.near_duplicates import is_rolled_up
from engram.services.recall.retrieval.candidate_set import CandidateSet


def rank(pool: CandidateSet, named: set[str], question: str, now: dt.datetime) -> list[Fused]:
    """Order what may be shown by the legs and by the candidates' standing, best first.

    Args:
        pool: with the legs' scores.
        named: entities that the question names.
        question: as it was asked.
        now: of the asking.
    """
    believed = pool.believed()
    fused = fuse(pool.open_legs(), weights_for(question))
    if pool.period is not None and pool.period.is_all and pool.legs.get("time"):
        fused = most_telling_first(fused, pool.documents, believed)
    return in_order(_with_standing(pool, one, believed.get(one.id), named, now) for one in fused)


def weights_for(question: str) -> Mapping[str, float]:
    """Return the shares of the legs for a question."""
    return WEIGHTS_OF_NAMES if names_identifier(question) else WEIGHTS


def _with_standing(pool: CandidateSet, one: Fused, fact: Fact | None, named: set[str], now: dt.datetime) -> Fused:
    document = pool.documents[one.id]
    standing = Standing(
        fact,
        pool.tiers.get(one.id),
        named=fact is not None and fact.entity in named,
        by_assistant=document.by_assistant,
        is_retold=is_rolled_up(document) and one.id not in pool.legs.get("time", {}),
        confidence=pool.rated.get(one.id),
    )
    return one._replace(score=standing_score(one.score, standing, now=now))


def talk_of(document: Document) -> str | None:
    """Return the session that a turn belongs to; facts and notes stand for themselves."""
    return document.session if document.kind == "turn" else None
