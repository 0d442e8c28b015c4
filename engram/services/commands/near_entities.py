"""Entities that an unknown name may have meant."""

import difflib

from engram.ports.database import FactDatabase
from engram.services.visibility import Caller
from engram.services.visibility import visible_entities

NEAR_MATCHES = 5  # entity names offered for one that is unknown


def near_names(database: FactDatabase, name: str, caller: Caller) -> list[str]:
    """Return paths of entities that a name may have meant to a caller, nearest first."""
    names: dict[str, str] = {}
    for entity in visible_entities(database, caller):
        slug = entity.path.partition("/")[2]
        names |= {known.casefold(): entity.path for known in (entity.path, slug, entity.title, *entity.aliases)}
    wanted = {name.casefold(), name.casefold().rpartition("/")[2]}
    found = [near for one in wanted for near in difflib.get_close_matches(one, names, n=NEAR_MATCHES, cutoff=0.6)]
    return list(dict.fromkeys(names[near] for near in found))[:NEAR_MATCHES]
