"""What the commands that rearrange entities share: who may give them, and which paths and names are free."""

import re

from engram.base.text import KINDS
from engram.base.text import clean_statement
from engram.base.text import has_control
from engram.base.text import parse_entity_path
from engram.base.text import slugify
from engram.base.text import without_invisible
from engram.errors import BadValueError
from engram.errors import GivesOrdersError
from engram.errors import RefusedError
from engram.language.names.same_name import spelling_key
from engram.language.screen.injection import find_injection
from engram.language.screen.secrets import marked_kinds
from engram.model.changes.change import Change
from engram.model.changes.state import State
from engram.model.commands.command import Envelope
from engram.model.entity import Entity
from engram.model.fact import Actor
from engram.services.commands.decider import Context
from engram.services.commands.decider import Decided
from engram.services.commands.decider import done

MAX_NAME_CHARS = 200  # of a title or an alias
ENTITY_PATHS = ", ".join(f"{kind}/NAME" for kind in KINDS)  # as a hint says what a path looks like
_MAY = frozenset({Actor.USER, Actor.AGENT})
_LAST_NUMBER = re.compile(r"-\d+$")


def refuse_others(envelope: Envelope) -> None:
    """Refuse what neither a person nor an agent asked for: no import, file, tool or transcript rearranges entities."""
    if envelope.actor not in _MAY:
        why = f"who is who is for people and agents to say, not for what comes of: {envelope.actor.value}"
        raise RefusedError(why, hint="engram entity --help, as a person or an agent")


def read_name(name: str, context: Context) -> str:
    """Return what an entity is to be called; raise BadValueError, or GivesOrdersError."""
    clean = plain_name(name)
    if find_injection(clean, context.patterns) is not None:
        raise GivesOrdersError("the name gives orders to the agent")
    return clean


def plain_name(name: str) -> str:
    """Return a title or alias in its normal form; raise BadValueError for what can be none."""
    if has_control(name):
        raise BadValueError("a name holds a control character", hint="give a title or alias as people say it")
    clean = clean_statement(without_invisible(name))
    if not clean or len(clean) > MAX_NAME_CHARS:
        raise BadValueError(
            f"a name has 1 to {MAX_NAME_CHARS} characters", hint="give a title or alias as people say it"
        )
    if "/" in clean and parse_entity_path(clean) is not None:
        raise BadValueError(f"{clean!r} is an entity path, not a name", hint="give a title or alias as people say it")
    return clean


def title_for(path: str, title: str | None, context: Context) -> str:
    """Return the title of a new entity: as it was given if that can be a name, else as its path says.

    Titles stand in indexes and on pages, whatever becomes of the facts. Raises GivesOrdersError when the title, or the
    name that the path spells, would give orders there; BadValueError when the path spells a secret, which only the
    title shows: a path is in small letters.
    """
    if marked_kinds(title or "") and slugify(title or "") != path.partition("/")[2]:
        raise BadValueError("the name is a secret", hint="call it otherwise")
    spelled = title_of(path)
    clean = clean_statement(without_invisible(title or ""))
    is_path = "/" in clean and clean.partition("/")[0].casefold() in KINDS
    chosen = spelled if not clean or is_path or has_control(clean) or len(clean) > MAX_NAME_CHARS else clean
    if any(find_injection(name, context.patterns) is not None for name in (chosen, spelled)):
        raise GivesOrdersError("the name gives orders to the agent")
    return chosen


def title_of(path: str) -> str:
    """Return the title that an entity gets when nobody says one."""
    return clean_statement(path.partition("/")[2].replace("-", " ").replace("_", " ").title())


def read_target(new: str, kind: str, context: Context) -> tuple[str, str | None]:
    """Return (path, title or None) of what an entity is to be called: a path, or a name as people write it."""
    parsed = parse_entity_path(new)
    if parsed is not None:
        return "/".join(parsed), None
    name = read_name(new, context)
    if "/" in new or not (slug := slugify(name)):
        hint = f"write {ENTITY_PATHS}, or a name without a slash"
        raise BadValueError(f"{new!r} is neither a path nor a name", hint=hint)
    return f"{kind}/{slug}", name


def refuse_taken(state: State, path: str, title: str, *, besides: str) -> None:
    """Refuse a path and a title by which another entity is known, also when they are only written in another way.

    `besides` is the path of the entity that is to be called so. `state` knows every entity.
    """
    held = state.resolve(path)
    if held is not None and held != besides:
        said = f"{path} is there already" if held == path else f"{path} leads to {held}"
        hint = f"engram entity merge {besides} {held} if they are one" if besides else "choose another path"
        raise RefusedError(said, hint=hint, near=[held])
    kind = path.partition("/")[0]
    wanted = {spelling_key(title), spelling_key(path.partition("/")[2])} - {""}
    for other in sorted(state.entities.values(), key=lambda one: one.path):
        if other.path == besides or other.path.partition("/")[0] != kind:
            continue
        names = (other.title, other.path.partition("/")[2], *other.aliases)
        near = next((name for name in names if spelling_key(name) in wanted), None)
        if near is not None:
            why = f"{other.path} is called {near!r}, which is the same name"
            hint = f"engram entity merge {besides} {other.path} if they are one" if besides else "choose another name"
            raise RefusedError(why, hint=hint, near=[other.path])


def free_path(state: State, kind: str, slug: str, *, besides: str) -> str:
    """Return the first path of a kind at which no other entity stands or stood: kind/slug, kind/slug-2, ..."""
    base, number = _LAST_NUMBER.sub("", slug), 2
    path = f"{kind}/{slug}"
    while not _is_free(state, path, besides):
        path, number = f"{kind}/{base}-{number}", number + 1
    return path


def decided(envelope: Envelope, entity_path: str, reason: str, *changes: Change, **details: object) -> Decided:
    """Return the decision about an entity that stands at that path afterwards."""
    return Decided(done(envelope, id=entity_path, reason=reason, details=details), changes)


def own_facts(state: State, entity: Entity) -> int:
    """Return how many versions of facts an entity has."""
    return len(state.facts_of.get(entity.path, ()))


def _is_free(state: State, path: str, besides: str) -> bool:
    if path in state.entities:
        return False
    return path not in state.redirects or state.resolve(path) == besides


def new_entity(name: str, title: str | None, context: Context) -> Entity:
    """Return a fresh entity for a path; raise BadValueError when the name is no path, or GivesOrdersError."""
    parsed = parse_entity_path(name)
    if parsed is None:
        raise BadValueError(f"{name!r} is not an entity path", hint=f"write {ENTITY_PATHS}", name=name)
    path = "/".join(parsed)
    return Entity(path=path, title=title_for(path, title, context), created_at=context.now)
