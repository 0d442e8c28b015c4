"""The graph of entities: two are joined by each fact of the one that names the other, also by its value."""

from collections import deque
from operator import itemgetter
from typing import NamedTuple

from engram.ports.database import FactDatabase
from engram.services.facts.listing import get_entity_path
from engram.services.graph.entity_graph import GraphQuery
from engram.services.graph.joins import Joins
from engram.services.visibility import Caller
from engram.services.visibility import visible_entities


class _Join(NamedTuple):
    facts: list[str]  # ids
    relations: set[str]  # types


Edges = dict[str, dict[str, _Join]]  # path -> path of a neighbour -> what joins the two


class Neighbour(NamedTuple):
    """An entity near another one."""

    entity: str  # path
    hops: int  # from the one that was asked about, from 1
    through: str  # path of the entity before it
    facts: list[str]  # ids of the facts that join it to that one
    relations: list[str]  # types of the relations that these state, such as works_at


def neighbours(database: FactDatabase, name: str, hops: int, asked: GraphQuery) -> tuple[str, list[Neighbour]]:
    """Return an entity's path and those within so many hops of it, nearest first, then by path.

    Raises UnknownEntityError, AmbiguousNameError.
    """
    start = get_entity_path(database, name, asked.moment.caller)
    edges = _edges(database, asked)
    return start, [one for one in _reached(edges, start) if one.hops <= hops]


def shortest_path(database: FactDatabase, first: str, last: str, asked: GraphQuery) -> tuple[str, str, list[Neighbour]]:
    """Return both paths and the steps from the one entity to the other; no step when nothing joins them.

    Of several shortest ways it is the first by path. Raises UnknownEntityError, AmbiguousNameError.
    """
    start, end = (get_entity_path(database, name, asked.moment.caller) for name in (first, last))
    reached = {one.entity: one for one in _reached(_edges(database, asked), start)}
    steps: list[Neighbour] = []
    here = end
    while here in reached:
        steps.append(reached[here])
        here = reached[here].through
    return start, end, steps[::-1]


def _reached(edges: Edges, start: str) -> list[Neighbour]:
    found: list[Neighbour] = []
    hops = {start: 0}
    waiting = deque([start])
    while waiting:
        here = waiting.popleft()
        for other, join in sorted(edges.get(here, {}).items(), key=itemgetter(0)):
            if other not in hops:
                hops[other] = hops[here] + 1
                found.append(Neighbour(other, hops[other], here, join.facts, sorted(join.relations)))
                waiting.append(other)
    return sorted(found, key=lambda one: (one.hops, one.entity))


def _edges(database: FactDatabase, asked: GraphQuery) -> Edges:
    """Return the edges of the facts that a graph is made of, between entities that the caller may know."""
    entities = visible_entities(database, asked.moment.caller or Caller())
    there = {one.path for one in entities}
    joins = Joins(entities, asked.ontology)
    edges: Edges = {}
    for fact in asked.iter_joining(database):
        for other in joins.others(fact):
            if other in there:
                stated = {one.type.name for one in joins.relations(fact) if one.fits and other in one.ends}
                for here, beyond in ((fact.entity, other), (other, fact.entity)):
                    join = edges.setdefault(here, {}).setdefault(beyond, _Join([], set()))
                    join.facts.append(fact.id)
                    join.relations.update(stated)
    return edges
