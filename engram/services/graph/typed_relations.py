"""The relations that facts state between entities, at a moment: who works where, who reports to whom."""

from collections.abc import Iterable
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.base.clock import to_iso
from engram.errors import BadValueError
from engram.model.fact import Fact
from engram.model.fact import Trust
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.rules.relations.ontology import Ontology
from engram.rules.relations.ontology import RelationType
from engram.rules.relations.ontology import default_ontology
from engram.rules.relations.relation import Relation
from engram.services.facts.listing import get_entity_path
from engram.services.graph.entity_graph import GraphQuery
from engram.services.graph.joins import Joins
from engram.services.visibility import Caller
from engram.services.visibility import visible_entities

_PEOPLE: Final = "people/"


class StatedRelation(NamedTuple):
    """A relation with all facts that state it, the newest first."""

    type: RelationType
    source: str  # path of an entity, or a value as written
    target: str
    joins: bool  # both ends are entities
    facts: tuple[Fact, ...]  # without their texts

    @property
    def trust(self) -> Trust:
        """That of the fact which is trusted most: it is enough that somebody vouches for one."""
        return Trust.TRUSTED if any(one.trust == Trust.TRUSTED for one in self.facts) else Trust.UNVERIFIED

    def as_json(self) -> dict[str, Any]:
        """Return {"type", "from", "to", "joins", "since", "until", "trust", "facts": ids}."""
        newest = self.facts[0]
        return {
            "type": self.type.name,
            "from": self.source,
            "to": self.target,
            "joins": self.joins,
            "since": to_iso(newest.valid_from),
            "until": to_iso(newest.valid_to) if newest.valid_to else None,
            "trust": self.trust.value,
            "facts": [one.id for one in self.facts],
        }


def list_relations(
    database: FactDatabase, asked: GraphQuery, *, name: str = "", kind: str = ""
) -> list[StatedRelation]:
    """Return the relations of the graph that is asked for, by type, source and target.

    Args:
        database: where the facts are.
        asked: at which moment, and for whom.
        name: of an entity, one end of each relation; empty: every one.
        kind: name of a type; empty: every type.

    Raises:
        UnknownEntityError, AmbiguousNameError: for the name.
        BadValueError: there is no such type.
    """
    ontology = asked.ontology or default_ontology()
    wanted = _type(ontology, kind) if kind else None
    path = get_entity_path(database, name, asked.moment.caller) if name else ""
    found: dict[tuple[str, str, str], list[Relation]] = {}
    for one in read_all(database, asked):
        if one.fits and (wanted is None or one.type == wanted) and (not path or path in one.ends):
            found.setdefault((one.type.name, one.source, one.target), []).append(one)
    return [_stated(found[key]) for key in sorted(found)]


def read_all(database: FactDatabase, asked: GraphQuery) -> Iterable[Relation]:
    """Yield every relation that a fact states, also between ends that the type is not for.

    One to an entity that the caller may not know is left out.
    """
    entities = visible_entities(database, asked.moment.caller or Caller())
    there = {one.path for one in entities}
    joins = Joins(entities, asked.ontology)
    stated = (one for fact in asked.iter_joining(database) for one in joins.relations(fact))
    return (one for one in stated if not one.joins or there.issuperset(one.ends))


def facts_of_people(database: FactDatabase, asked: GraphQuery, path: str) -> list[Fact]:
    """Return the facts about people, with their texts, that say how these stand to an entity."""
    told = (one.fact for one in read_all(database, asked) if one.fits and one.joins and path in one.ends)
    ids = dict.fromkeys(fact.id for fact in told if fact.entity != path and fact.entity.startswith(_PEOPLE))
    return database.list_facts(FactFilter(ids=tuple(ids), status="all")) if ids else []


def _type(ontology: Ontology, kind: str) -> RelationType:
    found = ontology.find(kind)
    if found is None:
        raise BadValueError(f"{kind!r} is no type of relation", hint=f"one of {', '.join(sorted(ontology.types))}")
    return found


def _stated(relations: list[Relation]) -> StatedRelation:
    first = relations[0]
    facts = sorted((one.fact for one in relations), key=lambda fact: (fact.valid_from, fact.id), reverse=True)
    return StatedRelation(first.type, first.source, first.target, first.joins, tuple(facts))
