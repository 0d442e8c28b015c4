"""What a change makes of entities: made, named, and moved with all that is theirs."""

import datetime as dt
from collections.abc import Callable
from typing import Any

from engram.model.changes.change import EntitiesRearranged
from engram.model.changes.change import EntityAliased
from engram.model.changes.change import EntityCreated
from engram.model.changes.change import EntityUnaliased
from engram.model.changes.rearrangement import EntityStep
from engram.model.changes.rearrangement import FactStep
from engram.model.changes.rearrangement import NoticedStep
from engram.model.changes.state import State
from engram.model.entity import Redirect
from engram.rules.fold.facts import change_fact


def _entity_created(state: State, change: EntityCreated) -> None:
    state.put_entity(change.entity)


def _entity_aliased(state: State, change: EntityAliased) -> None:
    entity = state.entities[change.path]
    state.put_entity(entity.model_copy(update={"aliases": (*entity.aliases, change.alias)}))


def _entity_unaliased(state: State, change: EntityUnaliased) -> None:
    entity = state.entities[change.path]
    kept = tuple(alias for alias in entity.aliases if alias != change.alias)
    state.put_entity(entity.model_copy(update={"aliases": kept}))


def _entities_rearranged(state: State, change: EntitiesRearranged) -> None:
    done = change.rearrangement
    for step in done.entities:
        _put_place(state, step)
    for moved in done.facts:
        _place_fact(state, moved, change.at)
    for noticed in done.noticed:
        _place_noticed(state, noticed)
    for pair in done.pairs:
        state.tensions[pair.id] = state.tensions[pair.id].model_copy(update={"pair": pair.now})


def _put_place(state: State, step: EntityStep) -> None:
    """Let an entity, or the way to it, stand at a path: what was born there keeps its number for good."""
    number = state.number_at(step.path)
    if step.now.entity is not None:
        number = max(number, step.now.entity.next_number)
        state.put_entity(step.now.entity.model_copy(update={"next_number": number}))
    elif step.now.to is not None:
        state.put_redirect(Redirect(path=step.path, to=step.now.to, next_number=number))
    else:
        state.drop_place(step.path)


def _place_fact(state: State, step: FactStep, at: dt.datetime) -> None:
    update: dict[str, Any] = {"entity": step.now.entity, "related": step.now.related}
    if step.now.life is not None:
        update |= {name: getattr(step.now.life, name) for name in type(step.now.life).model_fields if name != "id"}
    change_fact(state, state.facts[step.id].model_copy(update=update), at)


def _place_noticed(state: State, step: NoticedStep) -> None:
    known = state.observations[step.id]
    suggestion = known.suggestion and known.suggestion.model_copy(update={"entity": step.now.suggested})
    update = {"entity": step.now.entity, "suggestion": suggestion}
    state.observations[step.id] = known.model_copy(update=update)


ENTITY_FOLDS: dict[type, Callable[[State, Any], None]] = {
    EntityCreated: _entity_created,
    EntityAliased: _entity_aliased,
    EntityUnaliased: _entity_unaliased,
    EntitiesRearranged: _entities_rearranged,
}
"""Kind of change -> what it makes of the entities of a state."""
