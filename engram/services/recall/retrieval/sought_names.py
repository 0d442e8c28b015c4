"""By which words entities are found in a question."""

from collections.abc import Iterable
from functools import lru_cache

from engram.base.self_names import is_sought_in_text
from engram.language.terms.terms import terms
from engram.model.entity import Entity
from engram.services.recall.validity.versions import Names

_CACHED_NAMES = 20_000


def names_of(entities: Iterable[Entity]) -> Names:
    """Return every name of the entities as terms, each with the paths that it may mean."""
    names: Names = {}
    for entity in entities:
        for name in (entity.title, entity.path.partition("/")[2], *entity.aliases):
            if key := _terms_of_name(name):
                names[key] = names.get(key, frozenset()) | {entity.path}
    return names


@lru_cache(maxsize=_CACHED_NAMES)
def _terms_of_name(name: str) -> tuple[str, ...]:
    """Return what a name is found by in a question; nothing for one that is no name there."""
    return tuple(terms(name.replace("-", " "))) if is_sought_in_text(name) else ()
