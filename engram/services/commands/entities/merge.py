"""The command `entity-merge`: two entities are one."""

import datetime as dt
from collections.abc import Iterable

from engram.base.counts import counted
from engram.errors import RefusedError
from engram.language.compare.slots.slots import canonical
from engram.language.compare.slots.slots import same_value
from engram.language.compare.slots.slots import single_valued
from engram.model.changes.change import Change
from engram.model.changes.change import EntitiesRearranged
from engram.model.changes.change import TensionOpened
from engram.model.changes.rearrangement import Rearrangement
from engram.model.changes.state import State
from engram.model.commands.command import Envelope
from engram.model.entity import Entity
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.tension import Tension
from engram.model.value import Value
from engram.ports.database import SliceKeys
from engram.rules.entities.entity_moves import plan_merge
from engram.rules.temporal import ends_at
from engram.rules.writes.retraction import close_tensions
from engram.rules.writes.tensions import pair_of
from engram.services.commands.decider import Context
from engram.services.commands.decider import Decided
from engram.services.commands.decider import get_entity
from engram.services.commands.decider import read_args
from engram.services.commands.entity_names import decided
from engram.services.commands.entity_names import own_facts
from engram.services.commands.entity_names import refuse_others


class MergeArgs(Value):
    """What `entity merge` takes."""

    source: str  # path, title or alias of the entity that goes
    into: str  # of the one that stays


class Merge:
    """`entity merge`: all that is known of one entity is known of the other, which has the names of both."""

    def __init__(self, envelope: Envelope, context: Context) -> None:
        """Read the arguments; raise BadValueError or RefusedError."""
        refuse_others(envelope)
        self._envelope = envelope
        self._context = context
        self._args = read_args(MergeArgs, envelope)

    def keys(self) -> SliceKeys:
        """See Decider."""
        names = frozenset({self._args.source, self._args.into})
        return SliceKeys(names=names, whole=names)

    def further_keys(self, state: State) -> SliceKeys:
        """See Following: of two facts that say the same, the one that is pinned stays."""
        both = (get_entity(state, self._args.source), get_entity(state, self._args.into))
        return SliceKeys(fact_ids=frozenset(key for one in both for key in state.facts_of.get(one.path, ())))

    def decide(self, state: State) -> Decided:
        """See Decider."""
        source, into = get_entity(state, self._args.source), get_entity(state, self._args.into)
        if source.path == into.path:
            raise RefusedError(f"{self._args.source!r} and {self._args.into!r} are one already", hint="name two")
        changes = merge_changes(state, source, into, self._context)
        reason = f"{source.path} is part of {into.path} now, with {counted(own_facts(state, source), 'fact')}"
        opened = [one.tension.id for one in changes if isinstance(one, TensionOpened)]
        reason += f"; {len(opened)} contradict what is known there: engram tension list" if opened else ""
        made = decided(self._envelope, into.path, reason, *changes, former=source.path)
        return made._replace(result=made.result.model_copy(update={"tensions": tuple(opened)}))


def merge_changes(state: State, source: Entity, into: Entity, context: Context) -> list[Change]:
    """Return the changes that make two entities one, and the tensions that are between them then."""
    now = context.now
    done = plan_merge(state, source, into, now=now)
    retired = {step.id for step in done.facts if step.now.life is not None}
    closed = close_tensions(list(state.tensions.values()), retired, "merged", now)
    return [EntitiesRearranged(rearrangement=done, at=now), *closed, *_opened(state, done, source, into, context)]


def _opened(state: State, done: Rearrangement, source: Entity, into: Entity, context: Context) -> list[TensionOpened]:
    """Return a tension for each two values of a slot that holds one at a time, of which each entity had one."""
    retired = {step.id for step in done.facts if step.now.life is not None}
    pairs = {step.now for step in done.pairs} | {one.pair for one in state.tensions.values() if one.pair}
    opened: list[TensionOpened] = []
    for fact in slotted(_own(state, source, retired)):
        for other in slotted(_own(state, into, retired)):
            if fact.scope != other.scope or not exclude(fact, other):
                continue
            there = fact.model_copy(update={"entity": into.path})
            if pair_of(there, other) in pairs or _is_open(state, there, other):
                continue
            number = state.tension_count + len(opened) + 1
            opened.append(tension_of(there, other, number, context.now))
    return opened


def _own(state: State, entity: Entity, retired: set[str]) -> list[Fact]:
    facts = (state.facts[key] for key in sorted(state.facts_of.get(entity.path, ())))
    return [fact for fact in facts if fact.id not in retired]


def tension_of(fact: Fact, other: Fact, number: int, now: dt.datetime) -> TensionOpened:
    """Return the tension between two values of a slot that holds one, with its number."""
    older, newer = sorted((fact, other), key=lambda one: (one.recorded_at, one.id))
    text = f"“{older.text}” ({older.id}) against “{newer.text}” ({newer.id}): of one {fact.attribute}"
    named = {"id": f"tension-{number:04d}", "fact1": older.id, "fact2": newer.id}
    return TensionOpened(tension=Tension(**named, text=text, kind="attribute", opened_at=now))


def slotted(facts: Iterable[Fact]) -> list[Fact]:
    """Return the active facts that fill a slot which holds one value at a time."""
    return [
        fact
        for fact in facts
        if fact.status == Status.ACTIVE
        and fact.attribute is not None
        and fact.value is not None
        and single_valued(fact.attribute)
    ]


def exclude(fact: Fact, other: Fact) -> bool:
    """Tell whether two facts hold different values of one slot at a time that both cover."""
    if canonical(fact.attribute or "") != canonical(other.attribute or ""):
        return False
    if same_value(fact.value or "", other.value or ""):
        return False
    ends = (ends_at(fact), ends_at(other))
    begins = (other.valid_from, fact.valid_from)
    return all(end is None or end > begin for end, begin in zip(ends, begins, strict=True))


def _is_open(state: State, fact: Fact, other: Fact) -> bool:
    return any({one.fact1, one.fact2} == {fact.id, other.id} for one in state.tensions.values())
