"""Why candidates leave, and those that leave before the order: of another project, over, or saying what is over."""

from collections.abc import Sequence
from typing import Final
from typing import NamedTuple

from engram.language.compare.slots.value_questions import asks_beyond_now
from engram.model.fact import Fact
from engram.rules.recall.fusion import Fused
from engram.rules.trust.authority import PERSONS
from engram.services.recall.query import RecallQuery
from engram.services.recall.retrieval.candidate_set import CandidateSet
from engram.services.recall.retrieval.candidates import CandidateSource
from engram.services.recall.retrieval.search_filter import is_narrowed
from engram.services.recall.validity.superseded import SupersededStatement
from engram.services.recall.validity.superseded import says_only
from engram.services.recall.validity.versions import OUTDATED
from engram.services.recall.validity.versions import Versions

NOT_RELEVANT: Final = "not_relevant"  # exit of everything when nothing is about the question
BELOW_SCORE: Final = "below_score"  # exit of what has a lower score than the question asks for
FAR_BELOW: Final = "far_below"  # exit of what is far below the best, in words and in meaning
OTHER_PROJECT: Final = "other_project"  # exit of what belongs to another project than the one that is asked for
_MOST_REPLACED: Final = 5  # facts, the first ones, of which is asked whether a newer one makes them out of date


class Replacement(NamedTuple):
    """What newer facts did to the candidates."""

    former: dict[str, Fact]  # that left, by the id of the newer one, which tells what was before
    in_part: dict[str, SupersededStatement]  # by the id of the older one: it stays, with what holds now of a part
    has_moved: bool  # whether scores are others now


def drop_other_projects(pool: CandidateSet, versions: Versions, asked: RecallQuery) -> None:
    """Let leave what belongs to another project than the one that is worked on."""
    if asked.project is None:
        return
    for key, document in pool.documents.items():
        home = versions.worked_on(document, pool.facts.get(key))
        if home not in {None, asked.project} and key not in pool.exits:
            pool.exits[key] = OTHER_PROJECT


def drop_outdated(pool: CandidateSet, versions: Versions, asked: RecallQuery) -> list[SupersededStatement]:
    """Let facts leave that a newer one tells to be over: that one stands in the better place of the two."""
    if asked.asks_for_the_past():
        return []
    left = [fact for key, fact in pool.believed().items() if key not in pool.exits]
    outdated = versions.find_outdated(left)
    for old, new in outdated:
        pool.exits[old.id] = OUTDATED
        if new is not None and new.id in pool.documents:  # what ends an order need not be about the question
            pool.take_over(new.id, old.id)
    return outdated


def drop_replaced(
    pool: CandidateSet, candidates: CandidateSource, ranked: Sequence[Fused], asked: RecallQuery
) -> Replacement:
    """Let the first facts leave that a newer one probably makes out of date: that one stands in their place.

    What is out of date in part stays beside it. One that perhaps does so is to stand right behind them.
    """
    if asked.asks_for_the_past() or asked.by == "session" or asks_beyond_now(asked.query):
        return Replacement({}, {}, has_moved=False)
    believed = pool.believed()
    said = [believed[one.id] for one in ranked if one.id in believed and believed[one.id].source.actor in PERSONS]
    found = candidates.versions.find_replaced(said[:_MOST_REPLACED], asked)
    if _is_asked_of_all(asked):
        candidates.bring_in(
            pool, list(dict.fromkeys(new.id for _, new in (*found.probably, *found.in_part, *found.perhaps)))
        )
    for old, new in found.perhaps:
        if new.id in pool.documents and new.id not in pool.exits:
            pool.follow(new.id, old.id)
    replaced: dict[str, Fact] = {}
    for old, new in found.probably:
        if new.id in pool.documents and new.id not in pool.exits:
            pool.exits[old.id] = OUTDATED
            pool.take_over(new.id, old.id)
            replaced.setdefault(new.id, old)
    in_part = [pair for pair in found.in_part if pair[1].id in pool.documents and pair[1].id not in pool.exits]
    for old, new in in_part:
        pool.take_over(new.id, old.id)
    stays = {old.id: SupersededStatement(old, new) for old, new in in_part}
    return Replacement(replaced, stays, has_moved=bool(found.probably or found.in_part or found.perhaps))


def _is_asked_of_all(asked: RecallQuery) -> bool:
    """Tell whether a question is asked of all that its asker may see: then a fact that no leg has found may answer."""
    narrowed = asked.entity or asked.since or asked.until or is_narrowed(asked)
    return not narrowed and asked.space in {"notes", "all"}


def drop_renewed(pool: CandidateSet, versions: Versions, asked: RecallQuery) -> None:
    """Let statements leave of which a newer one gives another value: that one stands in the better place."""
    if asked.asks_for_the_past() or asked.by == "session" or asks_beyond_now(asked.query):
        return
    left = [document for key, document in pool.documents.items() if key not in pool.exits]
    for old, new in versions.find_renewed(left, pool.believed(), asked.query).items():
        pool.exits[old] = OUTDATED
        pool.take_over(new, old)


def drop_retired(
    pool: CandidateSet, versions: Versions, asked: RecallQuery, outdated: Sequence[SupersededStatement]
) -> dict[str, SupersededStatement]:
    """Let raw text leave that says only what does not hold any more; return by id what else says such a thing."""
    raw = [key for key, document in pool.documents.items() if document.kind != "fact" and key not in pool.exits]
    if not raw or asked.asks_for_the_past():
        return {}
    retired = [*versions.find_retired(asked), *outdated]
    if not retired:
        return {}
    said = {key: one for key in raw if (one := versions.retired_in(pool.documents[key], retired, asked))}
    for key, one in said.items():
        if asked.by == "item" and says_only(pool.documents[key], one):
            pool.exits[key] = OUTDATED if one in outdated else one.fact.status.value
    return said
