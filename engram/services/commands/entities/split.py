"""The command `entity-split`: what was merged stands apart again, or some facts become an entity of their own."""

from engram.base.counts import counted
from engram.base.text import is_archived
from engram.errors import BadValueError
from engram.errors import RefusedError
from engram.model.changes.change import CommandUndone
from engram.model.changes.change import EntitiesRearranged
from engram.model.changes.rearrangement import Verb
from engram.model.changes.state import State
from engram.model.changes.undoable import Undoable
from engram.model.commands.command import Envelope
from engram.model.entity import Entity
from engram.model.value import Value
from engram.ports.database import SliceKeys
from engram.rules.entities.entity_moves import plan_split
from engram.rules.entities.entity_moves_undo import plan_unmerge
from engram.services.commands.decider import Context
from engram.services.commands.decider import Decided
from engram.services.commands.decider import get_entity
from engram.services.commands.decider import get_fact
from engram.services.commands.decider import read_args
from engram.services.commands.entity_names import decided
from engram.services.commands.entity_names import read_name
from engram.services.commands.entity_names import read_target
from engram.services.commands.entity_names import refuse_others
from engram.services.commands.entity_names import refuse_taken
from engram.services.commands.entity_names import title_of

MERGE_KINDS = frozenset({"entity-merge", "undo"})  # commands that a merge may come of


class SplitArgs(Value):
    """What `entity split` takes."""

    path: str  # path, title or alias of the entity
    facts: tuple[str, ...] = ()  # ids; none: the latest merge into it is undone
    to: str | None = None  # the new entity's path or name
    title: str | None = None  # of the new entity


class Split:
    """`entity split`: undoes a merge, or takes some facts out."""

    def __init__(self, envelope: Envelope, context: Context) -> None:
        """Read the arguments; raise BadValueError or RefusedError."""
        refuse_others(envelope)
        self._envelope = envelope
        self._context = context
        self._args = read_args(SplitArgs, envelope)
        if bool(self._args.facts) != (self._args.to is not None):
            missing = "where the facts go" if self._args.facts else "which facts go there"
            raise BadValueError(f"it is not said {missing}", hint="engram entity split PATH TO --facts ID,...")

    def keys(self) -> SliceKeys:
        """See Decider."""
        names = frozenset({self._args.path})
        ids = frozenset(key.casefold() for key in self._args.facts)
        kinds = frozenset[str]() if ids else MERGE_KINDS
        return SliceKeys(names=names, whole=names, fact_ids=ids, undoable_kinds=kinds, everybody=bool(ids))

    def further_keys(self, state: State) -> SliceKeys:
        """See Following."""
        if self._args.facts:
            return SliceKeys()
        return keys_around(find_merge(state, self._args.path))

    def decide(self, state: State) -> Decided:
        """See Decider."""
        if self._args.facts:
            return self._take_out(state, get_entity(state, self._args.path))
        merge = find_merge(state, self._args.path)
        changes = plan_unmerge(state, merge, self._context.now)
        done = changes[0].rearrangement if isinstance(changes[0], EntitiesRearranged) else None
        former = done.former if done is not None and done.former is not None else ""
        back = sum(step.now.entity == former for step in done.facts) if done is not None else 0
        reason = f"{former} stands apart again, with {counted(back, 'fact')}"
        undone = CommandUndone(id=merge.id, at=self._context.now)
        return decided(self._envelope, former, reason, *changes, undone, former=done.path if done is not None else "")

    def _take_out(self, state: State, source: Entity) -> Decided:
        facts = [get_fact(state, key) for key in self._args.facts]
        if strange := [fact for fact in facts if fact.entity != source.path]:
            why = f"{strange[0].id} is about {strange[0].entity}, not {source.path}"
            raise RefusedError(why, hint=f"engram facts --entity {source.path}")
        path, name = read_target(self._args.to or "", source.path.partition("/")[0], self._context)
        if is_archived(path) and not is_archived(source.path):
            raise RefusedError(f"{path} is a place for what is put away", hint="split it, then engram entity archive")
        given = read_name(self._args.title, self._context) if self._args.title is not None else name
        title = given or title_of(path)
        if path in state.redirects or path == source.path:
            raise RefusedError(f"{path} is taken: it leads to {state.resolve(path)}", hint="choose another path")
        refuse_taken(state, path, title, besides="")
        new = Entity(path=path, title=title, created_at=self._context.now)
        done = plan_split(state, source, new, [fact.id for fact in facts])
        change = EntitiesRearranged(rearrangement=done, at=self._context.now)
        reason = f"{counted(len(done.facts), 'fact')} of {source.path} moved to {path}"
        return decided(self._envelope, path, reason, change, former=source.path)


def find_merge(state: State, name: str) -> Undoable:
    """Return the latest merge into the entity of a name that stands, or that of the path named; raise RefusedError."""
    into = get_entity(state, name).path
    wanted = name.strip().casefold()
    found = []
    for one in state.undoables.values():
        done = one.rearrangement
        if done is None or done.verb != Verb.MERGE or one.undone_at is not None:
            continue
        if state.resolve(done.path) == into and wanted in {done.former, into, done.path} | _named(state, into, wanted):
            found.append(one)
    if not found:
        hint = f"engram entity split {into} TO --facts ID,... takes some facts out"
        raise RefusedError(f"nothing that was merged into {into} stands", hint=hint)
    exact = [one for one in found if one.rearrangement is not None and one.rearrangement.former == wanted]
    return max(exact or found, key=lambda one: one.number)


def keys_around(undoable: Undoable) -> SliceKeys:
    """Return what must be seen to take something back: all around the paths, and all that it touched."""
    done = undoable.rearrangement
    if done is None:
        return SliceKeys()
    paths = frozenset({step.path for step in done.entities} | {done.path} | ({done.former} if done.former else set()))
    tensions = {change.id for change in undoable.changes if change.kind == "tension_resolved"}
    tensions |= {change.tension.id for change in undoable.changes if change.kind == "tension_opened"}
    return SliceKeys(
        names=paths,
        whole=paths,
        fact_ids=frozenset(step.id for step in done.facts),
        observation_ids=frozenset(step.id for step in done.noticed),
        tension_ids=frozenset({step.id for step in done.pairs} | tensions),
    )


def _named(state: State, path: str, name: str) -> set[str]:
    """Return a name that is no path, when it means the entity."""
    return {name} if "/" not in name and path in state.find_entities(name) else set()
