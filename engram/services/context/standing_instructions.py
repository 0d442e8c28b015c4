"""What always holds for whoever asks: standing instructions and preferences, and who the owner is. No question needed.

An instruction is one by its category, by its tag, or by its words: many were kept as preferences.
"""

from collections.abc import Container
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from engram.base.text import is_archived
from engram.base.tokens.estimate import estimate_tokens
from engram.language.compare.slots.slots import canonical
from engram.language.signal.detector import detect
from engram.model.document import Hit
from engram.model.fact import EXPERIENCE
from engram.model.fact import Category
from engram.model.fact import Fact
from engram.model.fact import Trust
from engram.model.fact import Usage
from engram.model.value import Value
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.rules.fold.facts import fact_number
from engram.rules.life.decay import Calendar
from engram.rules.life.decay import tiers
from engram.rules.life.importance import salience
from engram.rules.origin import OWNERS
from engram.rules.origin import Origin
from engram.rules.origin import origin_of
from engram.rules.origin import source_words
from engram.rules.recall.ranking import fit_budget
from engram.rules.temporal import holds_now
from engram.rules.temporal import written_begin
from engram.services.context.orders import Orders
from engram.services.recall.query import FOUND
from engram.services.recall.query import NOTHING_KNOWN
from engram.services.recall.query import WITHHELD
from engram.services.recall.query import RecallAnswer
from engram.services.recall.query import RecallContext
from engram.services.recall.validity.outdated import is_until
from engram.services.recall.validity.outdated_now import outdated_now
from engram.services.visibility import current_path
from engram.services.visibility import identify
from engram.services.visibility import visible_scopes

INSTRUCTION = "instruction"
STANDING_TAGS = frozenset(
    {INSTRUCTION, "preference", "identity"}
)  # a fact that has one is standing whatever its category
_CATEGORIES = frozenset([Category.INSTRUCTION, Category.PREFERENCE, Category.CORRECTION])
# Slots of the owner that say who somebody is. They are single-valued, so there are few, and each is current.
IDENTITY = frozenset({"name", "role", "employer", "city", "country", "birthday", "timezone", "spouse", "manager"})
_LOOKED_AT = ("active", "quarantined")  # the latter only to say that there are some
_MOST_READ = 300  # facts whose words are read (1 ms each); there are seldom more preferences, and these come first


class StandingQuery(Value):
    """Who asks, and how much the answer may take."""

    session: str | None = None  # sees its private scope besides what is shared
    agent: str | None = None  # as with `RecallQuery`
    scopes: tuple[str, ...] = ()  # scopes to see besides
    budget: Annotated[int, Field(ge=0)] | None = None  # tokens that the texts may take
    limit: Annotated[int, Field(ge=1)] | None = None  # facts at most; None: all


def recall_standing(database: FactDatabase, asked: StandingQuery, around: RecallContext, *, owner: str) -> RecallAnswer:
    """Return what holds now, whole facts only: instructions first, of each the weightiest.

    It is the owner's own words, typed or confirmed by them, or from their transcripts, which keep their trust in the
    answer: the same that a start block shows as the owner's. What agents say or another memory kept never is.

    `owner` is the path of the entity whose identity counts, or "" for nobody's. What the budget or the limit leaves out
    is in `cut`. The answer is `withheld` when there is only what may not be shown.
    """
    started = around.clock()
    owner = current_path(database, owner)
    standing = _standing_facts(database, owner)
    caller = identify(database, around.agent, asked.session, asked.agent)
    scopes = visible_scopes(caller, asked.scopes)
    open_to_all = [fact for fact in standing if _may_be_shown(fact, scopes, around)]
    usages = database.usages([fact.id for fact in open_to_all])
    sessions = {one.name: one for one in database.list_sessions()} if open_to_all else {}
    origins = {
        one.id: origin_of(one, usages.get(one.id), sessions.get(one.source.session or "")) for one in open_to_all
    }
    said = [fact for fact in open_to_all if origins[fact.id] in OWNERS]
    until = [fact.id for fact in said if is_until(fact)]  # nothing else that stands is over because a newer one says so
    over = outdated_now(database, until, around.now, scopes)
    shown = [fact for fact in said if fact.id not in over]
    withheld = any(_stands(fact, ()) and (caller.is_owner or fact.scope in scopes) for fact in standing)
    tier_of = _tiers(database, shown, usages, around)
    ordered = _once(_ordered(shown, usages, tier_of))
    costs = {fact.id: estimate_tokens(fact.text) for fact in ordered}
    kept, cut = fit_budget(costs, asked.budget)
    beyond = kept[asked.limit :] if asked.limit else []
    chosen = set(kept) - set(beyond)
    left_out = {*cut, *beyond}
    hits = [_hit(fact, tier_of[fact.id], around) for fact in ordered if fact.id in chosen]
    hits = _with_orders(database, hits, ordered, origins, around)
    receipts = [{"id": fact.id, "kind": "fact", "tokens": costs[fact.id]} for fact in ordered if fact.id in left_out]
    return RecallAnswer(
        hits=_scored(hits),
        answer=FOUND if hits else WITHHELD if withheld else NOTHING_KNOWN,
        tokens=sum(costs[hit.id] for hit in hits),
        cut=receipts,
        index_lag=0,
        degraded=[],
        took_ms=round((around.clock() - started) * 1000, 3),
        probably_unknown=not hits,
        impaired=False,
    )


def _standing_facts(database: FactDatabase, owner: str) -> list[Fact]:
    """Return the facts that `may_stand`, what is active first, of each by entity and number."""
    marked = tuple(sorted(STANDING_TAGS | {category.value for category in _CATEGORIES}))
    found: list[Fact] = []
    for status in _LOOKED_AT:
        wanted = FactFilter(status=status)
        known = database.list_facts(wanted._replace(marked=marked))
        known += database.list_facts(wanted._replace(entity=owner)) if owner else []
        by_id = {fact.id: fact for fact in known if may_stand(fact, owner)}
        found += sorted(by_id.values(), key=lambda fact: (fact.entity, fact_number(fact.id), fact.id))
    return found


def is_instruction(fact: Fact) -> bool:
    """Tell whether a fact says what is to be done: its category, its tag or its words do."""
    if fact.category == Category.INSTRUCTION or INSTRUCTION in fact.tags:
        return True
    return INSTRUCTION in detect(fact.text).categories


def may_stand(fact: Fact, owner: str) -> bool:
    """Tell whether a fact is of a kind that may always hold; `owner` is the path of whose identity counts, or "".

    A lesson of the pool is nobody's instruction, whatever labels it has.
    """
    if fact.scope == EXPERIENCE:
        return False
    if fact.category in _CATEGORIES or not STANDING_TAGS.isdisjoint(fact.tags):
        return True
    named = fact.attribute is not None and canonical(fact.attribute) in IDENTITY
    return bool(owner) and fact.entity == owner and (named or fact.category == Category.IDENTITY)


def _stands(fact: Fact, orders: Container[str]) -> bool:
    """Tell whether a fact stands for good: a correction only as an order ("never again"), or by its tag."""
    return fact.category != Category.CORRECTION or fact.id in orders or not STANDING_TAGS.isdisjoint(fact.tags)


def _may_be_shown(fact: Fact, scopes: Sequence[str], around: RecallContext) -> bool:
    if fact.scope not in scopes or fact.trust == Trust.QUARANTINED or is_archived(fact.entity):
        return False
    return holds_now(fact, around.now)


def _tiers(
    database: FactDatabase, facts: Sequence[Fact], usages: dict[str, Usage], around: RecallContext
) -> dict[str, str]:
    calendar = Calendar(around.zone, database.active_days(around.zone))
    return tiers(facts, usages, now=around.now, calendar=calendar, settings=around.decay)


def _ordered(facts: Iterable[Fact], usages: Mapping[str, Usage], tier_of: Mapping[str, str]) -> list[Fact]:
    weights = {fact.id: salience(fact, usages.get(fact.id), tier_of[fact.id]) for fact in facts}
    best_first = sorted(facts, key=lambda fact: (-round(weights[fact.id], 2), -fact.recorded_at.timestamp(), fact.id))
    orders = {fact.id for fact in best_first[:_MOST_READ] if is_instruction(fact)}
    standing = [fact for fact in best_first if _stands(fact, orders)]
    return sorted(standing, key=lambda fact: fact.id not in orders)  # stable: the order above holds among equals


def _once(facts: Iterable[Fact]) -> list[Fact]:
    """Leave out what an entity's fact before it says in the same words: shared and private versions of one."""
    return list({(fact.entity, fact.fingerprint): fact for fact in reversed(list(facts))}.values())[::-1]


def _hit(fact: Fact, tier: str, around: RecallContext) -> Hit:
    return Hit(
        id=fact.id,
        kind="fact",
        text=fact.text,
        score=0.0,
        date=written_begin(fact, around.zone),
        entity=fact.entity,
        source=source_words(fact.source),
        tier=tier,
        trust=fact.trust,
    )


def _with_orders(
    database: FactDatabase,
    hits: Sequence[Hit],
    facts: Iterable[Fact],
    origins: Mapping[str, Origin],
    around: RecallContext,
) -> list[Hit]:
    """Return the hits, those that say what is to be done with what is told of an order."""
    by_id = {fact.id: fact for fact in facts}
    orders = Orders(database, around.zone)
    told = {
        key: orders.told(by_id[key], origins[key], by_id)
        for key in (hit.id for hit in hits)
        if is_instruction(by_id[key])
    }
    return [hit.model_copy(update={"order": told.get(hit.id)}) for hit in hits]


def _scored(hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits with scores that fall from 1 towards 0 in their order."""
    return [hit.model_copy(update={"score": round(1 - place / len(hits), 6)}) for place, hit in enumerate(hits)]
