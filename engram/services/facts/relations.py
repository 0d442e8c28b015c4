"""Whom an entity is joined to, and by which facts: those about it that name others, and others that name it."""

import datetime as dt
from collections.abc import Iterable
from typing import Any
from typing import Final

from engram.model.fact import Fact
from engram.model.fact import Trust
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.rules.temporal import holds_now
from engram.services.facts.held_at import held_at
from engram.services.facts.listing import Moment
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
) -> list[dict[str, Any]]:
    """Return [{"entity", "title", "facts": how many, "shown": [{"id", "text", "about"}]}], the closest first.

    Only facts that hold now count, or that held at the moment that is given, between entities that the caller may know.
    """
    scopes = () if moment.caller is None else visible_scopes(moment.caller)
    is_past = as_of is not None or as_known is not None
    status = "all" if is_past else "active"
    own = database.list_facts(FactFilter(entity=path, scopes=scopes, status=status))
    others = database.list_facts(FactFilter(naming=(path,), scopes=scopes, status=status))
    if is_past:
        own, others = held_at(own, as_of, as_known), held_at(others, as_of, as_known)
    known = {one.path: one.title for one in visible_entities(database, moment.caller or Caller())}
    joined: dict[str, dict[str, Fact]] = {}
    for other, fact in [*_named(own), *((fact.entity, fact) for fact in others)]:
        if (
            other in known
            and other != path
            and fact.trust != Trust.QUARANTINED
            and (is_past or holds_now(fact, moment.now))
        ):
            joined.setdefault(other, {})[fact.id] = fact
    told = [
        {"entity": other, "title": known[other], "facts": len(facts), "shown": _newest(facts.values())}
        for other, facts in joined.items()
    ]
    return sorted(told, key=lambda one: (-one["facts"], one["entity"]))


def _named(facts: Iterable[Fact]) -> list[tuple[str, Fact]]:
    return [(other, fact) for fact in facts for other in fact.related]


def _newest(facts: Iterable[Fact]) -> list[dict[str, str]]:
    newest = sorted(facts, key=lambda fact: (fact.recorded_at, fact.id), reverse=True)[:_MOST_FACTS]
    return [{"id": fact.id, "text": fact.text, "about": fact.entity} for fact in newest]
