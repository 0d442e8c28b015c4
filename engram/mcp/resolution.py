"""What a caller means by a name or an id: an entity that is known, one to be made, a fact; else what comes near it.

Each error says what to call next, and offers only what the caller may know.
"""

from collections.abc import Iterable
from typing import NamedTuple

from engram.base.self_names import is_self_name
from engram.base.text import KINDS
from engram.base.text import parse_entity_path
from engram.base.text import slugify
from engram.errors import BadValueError
from engram.errors import UnknownEntityError
from engram.errors import UnknownFactError
from engram.language.names.persons import is_person
from engram.language.names.twins import Named
from engram.language.screen.injection import find_injection
from engram.model.fact import Fact
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.services.commands.near_entities import near_names
from engram.services.facts.listing import get_entity_path
from engram.services.facts.listing import get_fact
from engram.services.facts.near_names import like_names
from engram.services.visibility import Caller
from engram.services.visibility import may_see
from engram.services.visibility import visible_entities

_PATHS = "people/NAME or projects/NAME"
_MOST_IDS = 5  # of facts that are offered for one that is unknown


class Meant(NamedTuple):
    """The entity that a name means."""

    path: str
    is_new: bool = False
    title: str | None = None  # of one that is to be made, when the name was no path


def entity_of(database: FactDatabase, caller: Caller, name: str) -> str:
    """Return the path of the entity that a name means to the caller.

    Raises UnknownEntityError, which names those that come near, and AmbiguousNameError.
    """
    try:
        return get_entity_path(database, name, caller)
    except UnknownEntityError:
        if is_self_name(name):
            raise _nobody_owns(name) from None
        near = near_names(database, name, caller)
    hint = f"did you mean {_listed(near)}?" if near else "memory_recall without entity finds what is known"
    raise UnknownEntityError(f"no entity is called {name!r}", hint=hint, name=name, near=near)


def entity_for(database: FactDatabase, caller: Caller, name: str, fact: str, *, create: bool) -> Meant:
    """Return the entity that a fact is about: the one that the name means, or a new one when no name comes near.

    With `create` it is made although others have a like name. In a session that is kept apart that has to be said: what
    is unknown there may be known elsewhere, and which of the two it is, is not told.

    Raises UnknownEntityError, which names those that come near, AmbiguousNameError, and BadValueError for what cannot
    be a name.
    """
    try:
        return Meant(get_entity_path(database, name, caller))
    except UnknownEntityError:
        if is_self_name(name):
            raise _nobody_owns(name) from None
    meant = _new(name, fact)
    if create:
        return meant
    said = f"no entity is called {name!r}"
    known = (Named(one.path, one.title, one.aliases) for one in visible_entities(database, caller))
    if near := like_names(name, known):
        hint = f"did you mean {_listed(near)}? create makes {meant.path} a new one"
        raise UnknownEntityError(said, hint=hint, name=name, near=near)
    if not caller.is_owner:
        raise UnknownEntityError(said, hint="memory_remember with create makes it", name=name, near=[])
    return meant


def fact_of(database: FactDatabase, caller: Caller, fact_id: str) -> Fact:
    """Return the fact of an id; raise UnknownFactError, which names ids that come near, or AmbiguousNameError."""
    try:
        return get_fact(database, fact_id, caller)
    except UnknownFactError as unknown:
        about = fact_id.rpartition("-")[0]
        entities = near_names(database, about, caller) if about else []
        ids = [fact.id for path in entities[:1] for fact in _visible(database, caller, path)][-_MOST_IDS:]
        if not ids:
            raise
        hint = f"did you mean {_listed(ids)}? memory_recall finds other ids"
        raise UnknownFactError(unknown.message, hint=hint, id=fact_id, near=ids) from None


def _new(name: str, fact: str) -> Meant:
    """Return an entity to be made, at its path, or at one that is read off the name and what is said of it."""
    if (parsed := parse_entity_path(name)) is not None:
        return Meant("/".join(parsed), is_new=True)
    kind = "people" if is_person(fact, name) else "projects"
    path = f"{kind}/{slugify(name)}"
    if "/" in name or parse_entity_path(path) is None or find_injection(name) is not None:
        raise BadValueError(f"{name!r} cannot be the name of an entity", hint=f"such as {_PATHS}", kinds=list(KINDS))
    return Meant(path, is_new=True, title=name)


def _nobody_owns(name: str) -> UnknownEntityError:
    hint = "say the person's path, such as people/anna; engram config owner people/NAME says who it is"
    return UnknownEntityError(f"it is not known who {name!r} is", hint=hint, name=name, near=[])


def _visible(database: FactDatabase, caller: Caller, path: str) -> Iterable[Fact]:
    return (one for one in database.list_facts(FactFilter(entity=path)) if may_see(caller, one.scope))


def _listed(names: Iterable[str]) -> str:
    return " or ".join(names)
