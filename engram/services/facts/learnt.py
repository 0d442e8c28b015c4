"""What the memory learnt since somebody looked last: by whom it is about, and of each the facts that matter most."""

import datetime as dt
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.base.clock import to_iso
from engram.model.entity import Entity
from engram.model.fact import Fact
from engram.model.fact import Trust
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.rules.life.importance import importance
from engram.services.facts.listing import Moment
from engram.services.facts.listing import fact_views
from engram.services.facts.sources.origins import with_source_lines
from engram.services.visibility import Caller
from engram.services.visibility import visible_entities
from engram.services.visibility import visible_scopes

_READ_OF_ONE: Final = 60  # newest facts of an entity among which those that matter most are chosen


class LearntQuery(NamedTuple):
    """Since when, and how much of it is shown."""

    since: dt.datetime
    owner: str = ""  # path of the entity that comes first
    entities: int = 12  # that are shown
    each: int = 5  # facts of each of them


def learnt_since(database: FactDatabase, asked: LearntQuery, moment: Moment) -> dict[str, Any]:
    """Return what was learnt, as far as the caller may see it.

    {"since", "facts", "entities": how many, "groups": [{"entity", "title", "facts": how many, "shown": views}]}. The
    views are those of `fact_views` with `said`, the source in one line, and `was`, the text that each one replaced.
    """
    scopes = () if moment.caller is None else visible_scopes(moment.caller)
    counts = database.learnt_counts(asked.since, scopes)
    order = sorted(counts, key=lambda path: (path != asked.owner, -counts[path], path))[: asked.entities]
    facts = database.learnt_facts(asked.since, order, _READ_OF_ONE, scopes)
    chosen = _most_important(database, facts, asked.each)
    views = _views(database, [fact for of_one in chosen.values() for fact in of_one], moment)
    titles = _titles(database, moment)
    groups = [
        {
            "entity": path,
            "title": titles[path].title if path in titles else path.partition("/")[2],
            "facts": counts[path],
            "shown": [views[fact.id] for fact in chosen.get(path, ())],
        }
        for path in order
    ]
    return {
        "since": to_iso(asked.since),
        "facts": sum(counts.values()),
        "entities": len(counts),
        "groups": groups,
    }


def _most_important(database: FactDatabase, facts: Sequence[Fact], each: int) -> dict[str, list[Fact]]:
    """Return of each entity those that matter most, the newest of equal ones first."""
    usages = database.usages([fact.id for fact in facts])
    of_entity: dict[str, list[Fact]] = {}
    for fact in facts:  # the newest first
        of_entity.setdefault(fact.entity, []).append(fact)
    return {
        path: sorted(found, key=lambda fact: -round(importance(fact, usages.get(fact.id)), 2))[:each]
        for path, found in of_entity.items()
    }


def _views(database: FactDatabase, facts: Sequence[Fact], moment: Moment) -> dict[str, dict[str, Any]]:
    views = with_source_lines(database, facts, fact_views(database, facts, moment))
    replaced = tuple(sorted({key for view in views for key in view["supersedes"]}))
    former = database.list_facts(FactFilter(status="all", ids=replaced)) if replaced else []
    texts = {fact.id: fact.text for fact in former if fact.trust != Trust.QUARANTINED}
    return {view["id"]: {**view, "was": _last(view["supersedes"], texts)} for view in views}


def _last(ids: Sequence[str], texts: Mapping[str, str]) -> str | None:
    return texts.get(ids[-1]) if ids else None


def _titles(database: FactDatabase, moment: Moment) -> dict[str, Entity]:
    return {entity.path: entity for entity in visible_entities(database, moment.caller or Caller())}
