"""Entities that may be one under two names: a proposal each, with the command that joins them."""

import shlex
from collections.abc import Iterator

from engram.language.names.twins import Named
from engram.language.names.twins import find_twins
from engram.language.secrets import redact
from engram.model.entity import Entity
from engram.model.finding import Finding
from engram.model.finding import Level
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter

CODE = "entity-twice"
MOST = 10  # proposals at a time: nobody works through more


def find_twice(database: FactDatabase) -> Iterator[Finding]:
    """Yield a finding for each two entities that may be one, the ones of which most is known first.

    Two that a fact speaks of together are two.
    """
    entities = {entity.path: entity for entity in database.list_entities()}
    twins = find_twins(Named(one.path, one.title, one.aliases) for one in entities.values())
    if not twins:
        return
    facts = database.list_facts(FactFilter())
    together = {frozenset((fact.entity, other)) for fact in facts for other in fact.related}
    together |= {frozenset((one, other)) for fact in facts for one in fact.related for other in fact.related}
    known = {path: counts.versions for path, counts in database.entity_counts().items()}
    asked = [pair for pair in twins if frozenset((pair.one, pair.other)) not in together]
    asked.sort(key=lambda pair: -min(known.get(pair.one, 0), known.get(pair.other, 0)))
    for pair in asked[:MOST]:
        goes, stays = sorted((pair.one, pair.other), key=lambda path: _weight(entities[path], known))
        command = f"engram entity merge {shlex.quote(goes)} {shlex.quote(stays)}"
        message = f"{goes} and {stays} may be one: {redact(pair.why).text}"
        yield Finding(code=CODE, level=Level.INFO, path=f"life/{goes}", message=message, command=command)
    if len(asked) > MOST:
        message = f"{len(asked) - MOST} more pairs of entities may be one; they are named when these are settled"
        yield Finding(code=CODE, level=Level.INFO, path="life", message=message, command="engram entity list")


def _weight(entity: Entity, known: dict[str, int]) -> tuple[int, int, str]:
    """Return how well an entity is known: the one that is known better stays."""
    return known.get(entity.path, 0), len(entity.title.split()), entity.path
