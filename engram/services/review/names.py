"""Two entities that may be one under two names, as a question to a person: is it one, or are they two?

Two that a fact speaks of together are two, and so are two of which somebody said so, wherever they stand since.
"""

import datetime as dt
from collections.abc import Set
from itertools import combinations

from engram.language.names.twins import Named
from engram.language.names.twins import find_twins
from engram.language.screen.secrets import redact
from engram.model.entity import Entity
from engram.model.fact import SHARED
from engram.model.value import Instant
from engram.model.value import Value
from engram.model.vocabulary import Trust
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.rules.entities.name_pair import pair_id
from engram.rules.entities.name_pair import read_pair
from engram.services.visibility import current_path


class NamePair(Value):
    """Two entities that may be one."""

    id: str  # both paths: people/mira+people/meera
    goes: str  # path of the one of which less is known
    stays: str
    text: str  # the question
    why: str  # what their names have in common, in words
    opened_at: Instant  # since when both are there
    scope: str = SHARED
    trust: Trust = Trust.TRUSTED


def find_pairs(database: FactDatabase) -> list[NamePair]:
    """Return the pairs of which nobody decided anything yet, the ones of which most is known first."""
    entities = {entity.path: entity for entity in database.list_entities()}
    twins = find_twins(Named(one.path, one.title, one.aliases) for one in entities.values())
    if not twins:
        return []
    two = _spoken_of_together(database, {frozenset((pair.one, pair.other)) for pair in twins}) | _decided(database)
    known = {path: counts.versions for path, counts in database.entity_counts().items()}
    asked = [pair for pair in twins if frozenset((pair.one, pair.other)) not in two]
    asked.sort(key=lambda pair: -min(known.get(pair.one, 0), known.get(pair.other, 0)))
    return [_pair(entities[pair.one], entities[pair.other], pair.why, known) for pair in asked]


def _spoken_of_together(database: FactDatabase, asked: Set[frozenset[str]]) -> set[frozenset[str]]:
    """Return those of the pairs of which both stand in one fact."""
    named = ((fact.entity, *fact.related) for fact in database.iter_facts(FactFilter()) if fact.related)
    return {pair for names in named for pair in map(frozenset, combinations(names, 2)) if pair in asked}


def _decided(database: FactDatabase) -> set[frozenset[str]]:
    standing = (one for one in database.list_settlements() if one.undone_at is None)
    pairs = (pair for one in standing if (pair := read_pair(one.subject)) is not None)
    return {frozenset(current_path(database, path) for path in pair) for pair in pairs}


def _pair(one: Entity, other: Entity, why: str, known: dict[str, int]) -> NamePair:
    goes, stays = sorted((one, other), key=lambda entity: _weight(entity, known))
    return NamePair(
        id=pair_id(goes.path, stays.path),
        goes=goes.path,
        stays=stays.path,
        text=f"{goes.path} and {stays.path} may be one",
        why=redact(why).text,
        opened_at=_since(one, other),
    )


def _since(one: Entity, other: Entity) -> dt.datetime:
    return max(one.created_at, other.created_at)


def _weight(entity: Entity, known: dict[str, int]) -> tuple[int, int, str]:
    """Return how well an entity is known: the one that is known better stays."""
    return known.get(entity.path, 0), len(entity.title.split()), entity.path
