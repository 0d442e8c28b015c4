"""Whom an entity is joined to, and by which facts: those about it that name others, and others that name it.

A fact names another entity where its value is that one's name, too.
"""

import datetime as dt
from collections.abc import Iterable
from typing import Any
from typing import Final

from engram.model.entity import Entity
from engram.model.fact import Fact
from engram.model.fact import Trust
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.rules.relations.ontology import Ontology
from engram.rules.relations.relation import Relation
from engram.rules.temporal import holds_now
from engram.services.facts.held_at import held_at
from engram.services.facts.listing import Moment
from engram.services.graph.joins import Joins
from engram.services.visibility import Caller
from engram.services.visibility import visible_entities
from engram.services.visibility import visible_scopes

_MOST_FACTS: Final = 5  # that are told of one pair


def relations_of(
    database: FactDatabase,
    path: str,
    moment: Moment,
    *,
    as_of: dt.datetime | None = None,
    as_known: dt.datetime | None = None,
    ontology: Ontology | None = None,
) -> list[dict[str, Any]]:
    """Return whom an entity is joined to, the closest first.

    As [{"entity", "title", "facts": how many, "relations": [{"type", "shown", "from", "to"}], "shown": [{"id", "text",
    "about"}]}], the newest five facts of each.

    Only facts that hold now count, or that held at the moment that is given, between entities that the caller may know.
    """
    scopes = () if moment.caller is None else visible_scopes(moment.caller)
    is_past = as_of is not None or as_known is not None
    status = "all" if is_past else "active"
    own = database.list_facts(FactFilter(entity=path, scopes=scopes, status=status))
    entities = {one.path: one for one in visible_entities(database, moment.caller or Caller())}
    names = _names(entities[path]) if path in entities else ()
    naming = database.list_facts(FactFilter(naming=(path,), scopes=scopes, status=status))
    valued = database.list_facts(FactFilter(values=names, scopes=scopes, status=status)) if names else []
    others = [*naming, *(fact for fact in valued if path not in fact.related)]
    if is_past:
        own, others = held_at(own, as_of, as_known), held_at(others, as_of, as_known)
    joins = Joins(entities.values(), ontology)
    joined: dict[str, dict[str, Fact]] = {}
    relations: dict[str, set[Relation]] = {}
    for fact in [*own, *others]:
        if fact.trust == Trust.QUARANTINED or not (is_past or holds_now(fact, moment.now)):
            continue
        for other in joins.others(fact) if fact.entity == path else [fact.entity] * (path in joins.others(fact)):
            if other in entities and other != path:
                joined.setdefault(other, {})[fact.id] = fact
                stated = (one for one in joins.relations(fact) if one.fits and {*one.ends} == {path, other})
                relations.setdefault(other, set()).update(stated)
    told = [
        {
            "entity": other,
            "title": entities[other].title,
            "facts": len(facts),
            "relations": _stated(relations[other]),
            "shown": _newest(facts.values()),
        }
        for other, facts in joined.items()
    ]
    return sorted(told, key=lambda one: (-one["facts"], one["entity"]))


def _names(entity: Entity) -> tuple[str, ...]:
    slug = entity.path.partition("/")[2]
    return tuple({name.lower() for name in (entity.title, *entity.aliases, slug, slug.replace("-", " "))})


def _stated(relations: Iterable[Relation]) -> list[dict[str, str]]:
    stated = sorted({(one.type.name, one.type.shown, *one.ends) for one in relations})
    return [dict(zip(("type", "shown", "from", "to"), one, strict=True)) for one in stated]


def _newest(facts: Iterable[Fact]) -> list[dict[str, str]]:
    newest = sorted(facts, key=lambda fact: (fact.recorded_at, fact.id), reverse=True)[:_MOST_FACTS]
    return [{"id": fact.id, "text": fact.text, "about": fact.entity} for fact in newest]
