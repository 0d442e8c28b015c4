"""The command `owner`: the entity that the workspace belongs to, with the names that only the owner has."""

from engram.base.self_names import SELF_NAMES
from engram.model.changes.change import Change
from engram.model.changes.change import EntityAliased
from engram.model.changes.change import EntityCreated
from engram.model.changes.change import EntityUnaliased
from engram.model.changes.state import State
from engram.model.commands.command import Envelope
from engram.model.value import Value
from engram.ports.database import SliceKeys
from engram.services.commands.decider import Context
from engram.services.commands.decider import Decided
from engram.services.commands.decider import done
from engram.services.commands.decider import read_args
from engram.services.commands.entity_names import new_entity


class OwnerArgs(Value):
    """What `owner` takes."""

    path: str  # people/NAME
    title: str | None = None  # of an entity that is made; None: as its path says


class NameOwner:
    """`owner`: make the entity unless it is there, and have "me" and the like mean it and no other person.

    A name that is somebody's title or folder, or means a project, stays where it is.
    """

    def __init__(self, envelope: Envelope, context: Context) -> None:
        """Read the arguments; raise BadValueError."""
        self._envelope = envelope
        args = read_args(OwnerArgs, envelope)
        self._entity = new_entity(args.path, args.title, context)

    def keys(self) -> SliceKeys:
        """See Decider."""
        return SliceKeys(names=frozenset({self._entity.path, *SELF_NAMES}))

    def decide(self, state: State) -> Decided:
        """See Decider."""
        path = state.resolve(self._entity.path) or self._entity.path  # wherever that entity stands now
        moves = [_move(state, name, path) for name in SELF_NAMES]
        taken = [change for taken in moves for change in taken or ()]
        given = [name for name, taken in zip(SELF_NAMES, moves, strict=True) if taken is not None]
        if path not in state.entities:
            made: list[Change] = [EntityCreated(entity=self._entity.model_copy(update={"aliases": tuple(given)}))]
        else:
            has = {alias.casefold() for alias in state.entities[path].aliases}
            made = [EntityAliased(path=path, alias=name) for name in given if name.casefold() not in has]
        reason = None if taken or made else "already so"
        return Decided(done(self._envelope, id=path, reason=reason), (*taken, *made))


def _move(state: State, name: str, owner: str) -> list[Change] | None:
    """Return the changes that take a name from other persons; None when it is not theirs to lose."""
    changes: list[Change] = []
    for path in state.find_entities(name):
        called = [alias for alias in state.entities[path].aliases if alias.casefold() == name.casefold()]
        if path == owner:
            continue
        if not called or not path.startswith("people/") or _is_proper(state, name, path):
            return None
        changes += [EntityUnaliased(path=path, alias=alias) for alias in called]
    return changes


def _is_proper(state: State, name: str, path: str) -> bool:
    proper = (state.entities[path].title, path.partition("/")[2])
    return any(name.casefold() == one.casefold() for one in proper)
