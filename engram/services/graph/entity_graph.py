"""The graph of entities with how much is known of each, at a moment of the world and of our knowledge.

What stands in columns is counted by the database, the rest here by the same rules on time as listings use.
"""

import datetime as dt
from collections import Counter
from collections.abc import Container
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from typing import NamedTuple

from engram.base.clock import local_day
from engram.base.day_numbers import FIRST_DAY
from engram.base.day_numbers import day_number
from engram.config.sections.memory import DecaySettings
from engram.model.entity import Entity
from engram.model.fact import Fact
from engram.ports.columns import FactLife
from engram.ports.columns import SpanFilter
from engram.ports.columns import SpanRow
from engram.ports.database import FactDatabase
from engram.rules.life.decay import TIERS
from engram.rules.life.decay import Calendar
from engram.rules.life.decay import days_between
from engram.rules.life.decay import tier_of
from engram.rules.relations.ontology import Ontology
from engram.rules.temporal import ends_at
from engram.rules.temporal import holds_now
from engram.services.facts.held_at import HeldSpan
from engram.services.facts.held_at import held_at
from engram.services.facts.held_at import held_spans
from engram.services.facts.listing import Moment
from engram.services.graph.joins import Joins
from engram.services.visibility import Caller
from engram.services.visibility import visible_entities
from engram.services.visibility import visible_scopes


class GraphQuery(NamedTuple):
    """Which graph is asked for: that of now, unless a moment is given."""

    moment: Moment
    as_of: dt.datetime | None = None  # true in the world at
    as_known: dt.datetime | None = None  # believed at
    ontology: Ontology | None = None  # the types of relations that the workspace has; None: those of the package

    @property
    def is_past(self) -> bool:
        """Whether a moment is given."""
        return self.as_of is not None or self.as_known is not None

    def holding(self, facts: Iterable[Fact]) -> list[Fact]:
        """Return those of these facts that are part of the graph, as they stood."""
        if self.is_past:
            return held_at(facts, self.as_of, self.as_known)
        return [fact for fact in facts if holds_now(fact, self.moment.now)]

    def iter_joining(self, database: FactDatabase) -> Iterator[Fact]:
        """Yield the facts of the graph that may join entities, few of which are held at once."""
        for page in database.pages_of_lives(self.span_filter(), joining=True):
            yield from self.holding(one.fact for one in page)

    def holding_spans(self, facts: Iterable[Fact]) -> list[HeldSpan]:
        """Return the same facts with the whole time for which each was said to hold."""
        return [HeldSpan(fact, fact.valid_from, ends_at(fact)) for fact in self.holding(facts)]

    def span_filter(self) -> SpanFilter:
        """Return the same question as the database counts."""
        now = self.moment.now if not self.is_past else self.as_known if self.as_of is None else None
        return SpanFilter(self.moment.zone, _scopes(self.moment.caller), self.as_known, self.as_of, now)


class Node(NamedTuple):
    """An entity of the graph."""

    path: str
    title: str  # as people write it
    kind: str  # people, projects or archives
    tiers: dict[str, int]  # facts by tier, "hot", "warm" and "cold"
    tags: list[str]  # of its facts
    first_on: dt.date | None  # on which the first of its facts began; None: it has none
    last_on: dt.date | None  # on which the last one did

    @property
    def facts(self) -> int:
        """How many facts hold."""
        return sum(self.tiers.values())

    @property
    def hottest(self) -> str | None:
        """The highest tier of a fact; None: there is none."""
        return next((name for name in TIERS if self.tiers[name]), None)


class Edge(NamedTuple):
    """Two entities and how many facts join them."""

    first: str  # path, before the other one by order
    last: str
    facts: int


class EntityGraph(NamedTuple):
    """Who and what there is, and what joins it."""

    nodes: list[Node]  # by path
    edges: list[Edge]  # by both paths


class TierOf:
    """The tier of facts by the day of their last use, each kind reckoned once."""

    def __init__(self, settings: DecaySettings, now: dt.datetime, calendar: Calendar) -> None:
        """Take by what tiers are reckoned."""
        self._settings, self._calendar = settings, calendar
        self._today = local_day(now, calendar.zone)
        self._known: dict[tuple[int, float, int], int] = {}
        self._ages: dict[int, int] = {}

    def __call__(self, used_day: int, confidence: float, access_count: int) -> int:
        """Return the place of the tier in TIERS."""
        key = (used_day, confidence, access_count)
        if key not in self._known:
            if used_day not in self._ages:
                used_on = FIRST_DAY + dt.timedelta(days=used_day)
                self._ages[used_day] = days_between(used_on, self._today, self._settings.clock, self._calendar)
            name = tier_of(confidence, access_count, age=self._ages[used_day], settings=self._settings)
            self._known[key] = TIERS.index(name)
        return self._known[key]


class Counted(NamedTuple):
    """What a graph is counted from."""

    entities: list[Entity]  # that the reader may know, by path
    spans: Iterable[SpanRow]  # of the database as it is gone through; all of them stand in no list unless one is made
    tags: dict[str, set[str]]  # path -> tags of its facts; whole when the spans were gone through
    tier_of: TierOf


def entity_graph(database: FactDatabase, asked: GraphQuery) -> EntityGraph:
    """Return the graph at a moment: every entity that the caller may know, of a past only those with facts in it."""
    counted = read_spans(database, asked)
    tiers: dict[str, list[int]] = {}
    begins: dict[str, list[int]] = {}
    edges: Counter[tuple[str, str]] = Counter()
    there = {one.path for one in counted.entities}
    for entity, other, begins_day, _, used_day, confidence, access_count, facts in counted.spans:
        if other is None:
            tier = counted.tier_of(used_day, confidence, access_count)
            tiers.setdefault(entity, [0] * len(TIERS))[tier] += facts
            begins.setdefault(entity, []).append(begins_day)
        elif (pair := edge_between(entity, other, there)) is not None:
            edges[pair] += facts
    joined = {path for pair in edges for path in pair}
    nodes = [
        _node(one, tiers.get(one.path, [0] * len(TIERS)), counted.tags, begins.get(one.path, ()))
        for one in counted.entities
        if one.path in tiers or one.path in joined or not asked.is_past
    ]
    return EntityGraph(nodes, [Edge(*pair, edges[pair]) for pair in sorted(edges)])


def read_spans(database: FactDatabase, asked: GraphQuery, *, at_all_times: bool = False) -> Counted:
    """Return what the graph of a moment is counted from, or, `at_all_times` of the world, what a replay is.

    The spans are gone through once, while the database is held.
    """
    moment = asked.moment
    wanted = asked.span_filter()
    if at_all_times:
        wanted = wanted._replace(as_of=None, now=None)
    tags = {path: set(found) for path, found in database.entity_tags(wanted).items()}
    entities = visible_entities(database, moment.caller or Caller())
    joins = Joins(entities, asked.ontology)

    def spans() -> Iterator[SpanRow]:
        yield from database.iter_spans(wanted)
        for page in database.pages_of_lives(wanted):
            lives = {one.fact.id: one for one in page}
            facts = [one.fact for one in page]
            for held in held_spans(facts, asked.as_known) if at_all_times else asked.holding_spans(facts):
                tags.setdefault(held.fact.entity, set()).update(held.fact.tags)
                yield from _spans_of(held, lives[held.fact.id], moment.zone, joins.others(held.fact))

    calendar = Calendar(moment.zone, database.active_days(moment.zone))
    return Counted(entities, spans(), tags, TierOf(moment.decay, moment.now, calendar))


def _spans_of(held: HeldSpan, life: FactLife, zone: dt.tzinfo, others: Iterable[str]) -> list[SpanRow]:
    """Return one fact as the database counts many: once for itself, and once for each entity that it is joined to."""
    fact = held.fact
    begins = day_number(held.begins_at, zone)
    ends = day_number(held.ends_at, zone) if held.ends_at is not None else None
    how = (begins, ends, life.used_day, fact.confidence, life.access_count, 1)
    return [(fact.entity, other, *how) for other in (None, *others)]


def edge_between(entity: str, other: str, there: Container[str]) -> tuple[str, str] | None:
    """Return the two entities that facts join, in order; None when one of them is not there."""
    if other == entity or other not in there or entity not in there:
        return None
    return (entity, other) if entity < other else (other, entity)


def _scopes(caller: Caller | None) -> tuple[str, ...]:
    return () if caller is None else visible_scopes(caller)


def _node(entity: Entity, tiers: list[int], tags: Mapping[str, set[str]], begins: Iterable[int]) -> Node:
    days = sorted(begins)
    first, last = (FIRST_DAY + dt.timedelta(days=day) for day in (days[0], days[-1])) if days else (None, None)
    counts = dict(zip(TIERS, tiers, strict=True))
    kind = entity.path.partition("/")[0]
    return Node(entity.path, entity.title, kind, counts, sorted(tags.get(entity.path, ())), first, last)
