"""The commands about entities and sessions: entity-add, entity-alias, session-add."""

from typing import Literal

from engram.base.self_names import is_self_name
from engram.base.text import slug_problem
from engram.errors import BadValueError
from engram.errors import RefusedError
from engram.language.names.twins import Named
from engram.language.names.twins import find_twins
from engram.language.screen.secrets import redact
from engram.model.changes.change import Change
from engram.model.changes.change import EntityAliased
from engram.model.changes.change import EntityCreated
from engram.model.changes.session_changes import SessionAdded
from engram.model.changes.state import State
from engram.model.commands.command import Envelope
from engram.model.conversation import Session
from engram.model.entity import Entity
from engram.model.fact import Actor
from engram.model.value import Value
from engram.ports.database import SliceKeys
from engram.services.commands.decider import Context
from engram.services.commands.decider import Decided
from engram.services.commands.decider import done
from engram.services.commands.decider import get_entity
from engram.services.commands.decider import read_args
from engram.services.commands.entities.session_project import harmless_project
from engram.services.commands.entity_names import new_entity
from engram.services.commands.entity_names import plain_name
from engram.services.commands.entity_names import read_name

_ASKING = frozenset({Actor.USER, Actor.AGENT})  # who wants to hear of a near name
_MOST_NEAR = 3  # near names that are told


class EntityArgs(Value):
    """What `entity add` takes."""

    path: str
    title: str | None = None
    aliases: tuple[str, ...] = ()


class AddEntity:
    """`entity add`: a person or project, with its names."""

    def __init__(self, envelope: Envelope, context: Context) -> None:
        """Read the arguments; raise BadValueError or GivesOrdersError."""
        self._envelope = envelope
        args = read_args(EntityArgs, envelope)
        entity = new_entity(args.path, plain_name(args.title) if args.title else None, context)
        aliases = tuple(dict.fromkeys(read_name(alias, context) for alias in args.aliases))
        self._entity = entity.model_copy(update={"aliases": aliases})

    def keys(self) -> SliceKeys:
        """See Decider."""
        names = frozenset({self._entity.path, *filter(is_self_name, self._entity.aliases)})
        return SliceKeys(names=names, everybody=self._envelope.actor in _ASKING)

    def decide(self, state: State) -> Decided:
        """See Decider."""
        if self._entity.path in state.entities:
            hint = f"engram entity alias {self._entity.path} NAME adds a name"
            raise RefusedError(f"{self._entity.path} is there already", hint=hint, path=self._entity.path)
        if (now := state.resolve(self._entity.path)) is not None:
            why = f"{self._entity.path} is {now} since it went there"
            raise RefusedError(why, hint=f"engram entity alias {now} NAME adds a name", path=now)
        entity = self._free_names(state)
        result = done(self._envelope, id=entity.path, reason=_near(state, entity) or None)
        return Decided(result, (EntityCreated(entity=entity),))

    def _free_names(self, state: State) -> Entity:
        """Return the entity without names such as "me" that are the owner's: an archive brings those of its own."""
        taken = [name for name in self._entity.aliases if is_self_name(name) and state.find_entities(name)]
        if taken and self._envelope.actor != Actor.IMPORT:
            raise _already_means(taken[0], state.find_entities(taken[0]))
        names = tuple(name for name in self._entity.aliases if name not in taken)
        return self._entity.model_copy(update={"aliases": names})


def _near(state: State, entity: Entity) -> str:
    """Return in words which entities may be the same under another name; "" when none may."""
    everybody = [entity, *state.entities.values()]
    twins = find_twins(Named(one.path, one.title, one.aliases) for one in everybody)
    near = [(pair, pair.other if pair.one == entity.path else pair.one) for pair in twins if entity.path in pair[:2]]
    said = [f"{other} may be the same: {redact(pair.why).text}" for pair, other in near[:_MOST_NEAR]]
    join = f"engram entity merge {entity.path} {near[0][1]} if they are one" if near else ""
    return "; ".join([*said, join]) if said else ""


class AliasArgs(Value):
    """What `entity alias` takes."""

    path: str
    alias: str


class AliasEntity:
    """`entity alias`: another name for an entity."""

    def __init__(self, envelope: Envelope, context: Context) -> None:
        """Read the arguments; raise BadValueError or GivesOrdersError."""
        self._envelope = envelope
        self._args = read_args(AliasArgs, envelope)
        self._alias = read_name(self._args.alias, context)

    def keys(self) -> SliceKeys:
        """See Decider."""
        return SliceKeys(names=frozenset({self._args.path, self._alias}))

    def decide(self, state: State) -> Decided:
        """See Decider."""
        entity = get_entity(state, self._args.path)
        owners = [path for path in state.find_entities(self._alias) if path != entity.path]
        if owners:
            raise _already_means(self._alias, owners)
        known = self._alias.casefold() in {name.casefold() for name in (entity.title, *entity.aliases)}
        changes: tuple[Change, ...] = () if known else (EntityAliased(path=entity.path, alias=self._alias),)
        return Decided(done(self._envelope, id=entity.path, reason="already so" if known else None), changes)


class SessionArgs(Value):
    """What `session add` takes."""

    name: str
    platform: str | None = None
    external_id: str | None = None
    kind: Literal["personal", "group"] | None = None
    project: str | None = None  # what it is held about: projects/NAME
    project_title: str | None = None  # as its folder is written


class AddSession:
    """`session add`: a silo for one conversation."""

    def __init__(self, envelope: Envelope, context: Context) -> None:
        """Read the arguments; raise BadValueError."""
        self._envelope = envelope
        args = read_args(SessionArgs, envelope)
        check_session_name(args.name)
        project = harmless_project(args.project, args.project_title, context.patterns)
        fields = args.model_dump(exclude={"project", "project_title"})
        self._session = Session(**fields, **project, created_at=context.now)

    def keys(self) -> SliceKeys:
        """See Decider."""
        return SliceKeys(sessions=frozenset({self._session.name}))

    def decide(self, state: State) -> Decided:
        """See Decider."""
        if self._session.name in state.sessions:
            is_apart = state.sessions[self._session.name].kind is not None
            hint = f"engram session open {self._session.name}" if is_apart else "engram session list"
            raise RefusedError(f"session {self._session.name!r} is there already", hint=hint)
        return Decided(done(self._envelope, id=self._session.name), (SessionAdded(session=self._session),))


def check_session_name(name: str) -> None:
    """Raise BadValueError for a name that cannot be a folder (parts joined by '/')."""
    for part in name.split("/"):
        if why := slug_problem(part):
            raise BadValueError(f"session name {name!r}: {why}", hint="such as main or telegram/family")


def _already_means(name: str, paths: list[str]) -> RefusedError:
    return RefusedError(f"{name!r} already means {paths[0]}", hint="choose another name", near=paths)
