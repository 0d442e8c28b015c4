"""The commands by which an entity goes elsewhere or is called otherwise: entity-rename, -archive, -restore."""

from engram.base.counts import counted
from engram.base.text import ARCHIVES
from engram.base.text import is_archived
from engram.errors import RefusedError
from engram.model.changes.change import EntitiesRearranged
from engram.model.changes.state import State
from engram.model.commands.command import Envelope
from engram.model.entity import Entity
from engram.model.value import Value
from engram.ports.database import SliceKeys
from engram.rules.entities.entity_moves import plan_move
from engram.services.commands.decider import Context
from engram.services.commands.decider import Decided
from engram.services.commands.decider import get_entity
from engram.services.commands.decider import read_args
from engram.services.commands.entity_names import decided
from engram.services.commands.entity_names import free_path
from engram.services.commands.entity_names import own_facts
from engram.services.commands.entity_names import read_name
from engram.services.commands.entity_names import read_target
from engram.services.commands.entity_names import refuse_others
from engram.services.commands.entity_names import refuse_taken
from engram.services.commands.entity_names import title_of


class RenameArgs(Value):
    """What `entity rename` takes."""

    path: str  # path, title or alias of the entity
    new: str  # its new path, or its new name
    title: str | None = None  # None: the name that was given, else what fits the path


class ArchiveArgs(Value):
    """What `entity archive` and `entity restore` take."""

    path: str


class _Moving:
    """An entity that takes another path with all that is known of it."""

    def __init__(self, envelope: Envelope, context: Context, path: str) -> None:
        refuse_others(envelope)
        self.envelope = envelope
        self.context = context
        self.name = path

    def keys(self) -> SliceKeys:
        """See Decider."""
        return SliceKeys(names=frozenset({self.name}), whole=frozenset({self.name}), everybody=True)

    def further_keys(self, state: State) -> SliceKeys:
        """See Following: what names a path at which no entity stands yet belongs to whoever stands there."""
        return SliceKeys(whole=frozenset({self.target(state, get_entity(state, self.name)).path}))

    def decide(self, state: State) -> Decided:
        """See Decider."""
        entity = get_entity(state, self.name)
        target = self.target(state, entity)
        if target == entity:
            return decided(self.envelope, entity.path, "already so")
        done = plan_move(state, entity, target)
        change = EntitiesRearranged(rearrangement=done, at=self.context.now)
        moved = f"{entity.path} is {target.path} now, with {counted(own_facts(state, entity), 'fact')}"
        said = moved if target.path != entity.path else f"{target.path} is called {target.title!r} now"
        return decided(self.envelope, target.path, said, change, former=entity.path)

    def target(self, state: State, entity: Entity) -> Entity:
        """Return the entity as it is to be; raise RefusedError where it cannot."""
        raise NotImplementedError


class Rename(_Moving):
    """`entity rename`: another path, another name, or both; the former ones go on finding the entity."""

    def __init__(self, envelope: Envelope, context: Context) -> None:
        """Read the arguments; raise BadValueError or RefusedError."""
        self._args = read_args(RenameArgs, envelope)
        super().__init__(envelope, context, self._args.path)

    def target(self, state: State, entity: Entity) -> Entity:
        """Return the entity under its new path and names."""
        kind = entity.path.partition("/")[0]
        path, name = read_target(self._args.new, kind, self.context)
        new_kind = path.partition("/")[0]
        if new_kind == ARCHIVES != kind:
            raise RefusedError(f"{path} is a place for what is put away", hint=f"engram entity archive {entity.path}")
        given = read_name(self._args.title, self.context) if self._args.title is not None else name
        was_made_of_path = entity.title == title_of(entity.path)
        title = given or (title_of(path) if was_made_of_path and path != entity.path else entity.title)
        if path == entity.path and title == entity.title:
            return entity
        refuse_taken(state, path, title, besides=entity.path)
        known = {title.casefold(), *(alias.casefold() for alias in entity.aliases)}
        former = () if entity.title.casefold() in known else (entity.title,)
        aliases = tuple(alias for alias in (*entity.aliases, *former) if alias.casefold() != title.casefold())
        archived_from = entity.archived_from if new_kind == ARCHIVES else None
        update = {"path": path, "title": title, "aliases": aliases, "archived_from": archived_from}
        return entity.model_copy(update=update)


class Archive(_Moving):
    """`entity archive`: out of the way, and still found by its name."""

    def __init__(self, envelope: Envelope, context: Context) -> None:
        """Read the arguments; raise BadValueError or RefusedError."""
        super().__init__(envelope, context, read_args(ArchiveArgs, envelope).path)

    def target(self, state: State, entity: Entity) -> Entity:
        """Return the entity in archives/, under a number when that name is taken there."""
        slug = entity.path.partition("/")[2]
        if is_archived(entity.path):
            return entity
        path = free_path(state, ARCHIVES, slug, besides=entity.path)
        return entity.model_copy(update={"path": path, "archived_from": entity.path})


class Restore(_Moving):
    """`entity restore`: back to where it stood."""

    def __init__(self, envelope: Envelope, context: Context) -> None:
        """Read the arguments; raise BadValueError or RefusedError."""
        super().__init__(envelope, context, read_args(ArchiveArgs, envelope).path)

    def target(self, state: State, entity: Entity) -> Entity:
        """Return the entity where it stood before it was archived."""
        if not is_archived(entity.path):
            return entity
        if entity.archived_from is None:
            hint = f"engram entity rename {entity.path} people/NAME or projects/NAME"
            raise RefusedError(f"{entity.path} never stood elsewhere", hint=hint)
        held = state.resolve(entity.archived_from)
        if held not in {None, entity.path}:
            hint = f"engram entity rename {entity.path} {entity.path.replace(ARCHIVES, 'people', 1)}-2, or another path"
            raise RefusedError(f"{entity.archived_from} leads to {held} now", hint=hint, near=[held])
        return entity.model_copy(update={"path": entity.archived_from, "archived_from": None})
