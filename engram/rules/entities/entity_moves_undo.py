"""Taking a rearrangement back: everything stands where it stood, and what came since stays where it belongs. Pure.

What was written since about an entity that only moved moves back with it. What was written since about a merged entity
stays with the one that lives on, but for the later versions of facts that go back. Refused is what would tear a chain
of versions apart, or what another act was built on; the sentence says what to take back first.
"""

import datetime as dt
from collections.abc import Iterable

from engram.errors import RefusedError
from engram.model.changes.change import Change
from engram.model.changes.change import EntitiesRearranged
from engram.model.changes.change import TensionOpened
from engram.model.changes.change import TensionReopened
from engram.model.changes.change import TensionResolved
from engram.model.changes.rearrangement import EntityStep
from engram.model.changes.rearrangement import FactPlace
from engram.model.changes.rearrangement import FactStep
from engram.model.changes.rearrangement import NoticedStep
from engram.model.changes.rearrangement import PairStep
from engram.model.changes.rearrangement import Place
from engram.model.changes.rearrangement import Rearrangement
from engram.model.changes.rearrangement import Verb
from engram.model.changes.settlement import FactLife
from engram.model.changes.state import State
from engram.model.changes.undoable import Undoable
from engram.model.entity import Entity
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.tension import TensionStatus
from engram.rules.entities.entity_moves import noticed_place
from engram.rules.entities.entity_moves import plan_move
from engram.rules.writes.tension_outcome import life_of

APART = "the entities stand apart again"


def plan_move_back(state: State, done: Rearrangement, at: dt.datetime) -> Rearrangement:
    """Return the steps by which an entity that moved at that instant stands where it stood, under its names then."""
    entity = _standing(state, done.path)
    if done.former is None:
        return plan_move(state, entity, _names_back(entity, done.entities[0]))
    if state.resolve(done.former) != done.path:
        raise _built_on(f"{done.former} does not lead to {done.path} any more")
    before, after = done.entities
    back = _names_back(entity, EntityStep(path=done.path, was=before.was, now=after.now))
    planned = plan_move(state, entity, back)
    number = after.now.entity.next_number if after.now.entity is not None else 1
    left = after.was if state.number_at(done.path) <= number or after.was.to is not None else Place(to=done.former)
    leaving = EntityStep(path=done.path, was=Place(entity=entity), now=left)
    stay = {fact.id for fact in state.facts.values() if done.path in fact.related and fact.recorded_at < at}
    stay -= {step.id for step in done.facts}  # they named that path before any entity stood there
    moved = {step.id: step for step in done.facts}
    facts = tuple(_links_back(step, moved.get(step.id)) for step in planned.facts if step.id not in stay)
    spoken = {one.id for one in state.observations.values() if one.opened_at < at} - {one.id for one in done.noticed}
    noted = {step.id: step for step in done.noticed}
    noticed = tuple(_notice_back(step, noted.get(step.id)) for step in planned.noticed if step.id not in spoken)
    update = {"entities": (leaving, planned.entities[1]), "facts": facts, "noticed": noticed}
    return planned.model_copy(update=update)


def plan_unmerge(state: State, merge: Undoable, now: dt.datetime) -> tuple[Change, ...]:
    """Return the changes by which two merged entities stand apart again."""
    done = merge.rearrangement
    assert done is not None and done.former is not None  # noqa: PT018, S101 - that is what a merge is
    source, entity = done.former, _standing(state, done.path)
    redirect = state.redirects.get(source)
    if redirect is None or state.resolve(source) != entity.path:
        raise _built_on(f"{source} does not lead to {entity.path} any more")
    going = _going(state, done, merge.at, entity.path)
    steps = [_fact_back(state, step, entity.path, going) for step in done.facts]
    steps += [
        FactStep(id=key, was=_place(state.facts[key]), now=_place(state.facts[key], entity=source))
        for key in sorted(going - {step.id for step in done.facts})
    ]
    was = next(step.was for step in done.entities if step.path == source)
    target = next(step for step in done.entities if step.path == done.path)
    rearrangement = Rearrangement(
        verb=Verb.UNMERGE,
        path=entity.path,
        former=source,
        entities=(
            EntityStep(path=source, was=Place(to=redirect.to), now=was),
            EntityStep(path=entity.path, was=Place(entity=entity), now=Place(entity=_names_back(entity, target))),
        ),
        facts=tuple(step for step in steps if step.was != step.now),
        noticed=_noticed_back(state, done.noticed),
        pairs=_pairs_back(state, done.pairs),
    )
    return EntitiesRearranged(rearrangement=rearrangement, at=now), *_tensions_back(state, merge, rearrangement, now)


def plan_unsplit(state: State, done: Rearrangement) -> Rearrangement:
    """Return the steps by which the facts of a split entity stand with those of the other one again."""
    assert done.former is not None  # noqa: S101 - that is what a split is
    new, source = _standing(state, done.path), _standing(state, done.former)
    own = {step.id for step in done.facts}
    if since := sorted(state.facts_of.get(new.path, set()) - own):
        raise _built_on(f"{since[0]} came to {new.path}", hint=f"engram entity merge {new.path} {source.path}")
    naming = [fact.id for fact in state.facts.values() if new.path in fact.related]
    naming += [one.id for one in state.observations.values() if new.path in {one.entity, noticed_place(one).suggested}]
    if naming:
        raise _built_on(f"{naming[0]} names {new.path}", hint=f"engram entity merge {new.path} {source.path}")
    _refuse_twins(state, own, source.path, hint=f"engram entity merge {new.path} {source.path}")
    steps = [_fact_back(state, step, new.path, own) for step in done.facts]
    was = done.entities[0].was
    return Rearrangement(
        verb=Verb.UNSPLIT,
        path=source.path,
        former=new.path,
        entities=(EntityStep(path=new.path, was=Place(entity=new), now=was),),
        facts=tuple(step for step in steps if step.was != step.now),
        pairs=_pairs_back(state, done.pairs),
    )


def plan_unadd(state: State, made: Entity) -> Rearrangement:
    """Return the step by which an entity is gone of which nothing is known."""
    entity = _standing(state, made.path)
    if state.facts_of.get(made.path):
        raise _built_on(f"something is known of {made.path}", hint=f"engram entity archive {made.path}")
    if (entity.title, entity.aliases) != (made.title, made.aliases):
        raise _built_on(f"{made.path} has other names")
    naming = [fact.id for fact in state.facts.values() if made.path in fact.related]
    naming += [one.id for one in state.observations.values() if made.path in {one.entity, noticed_place(one).suggested}]
    if naming:
        raise _built_on(f"{naming[0]} names {made.path}")
    step = EntityStep(path=made.path, was=Place(entity=entity), now=Place())
    return Rearrangement(verb=Verb.NAMES, path=made.path, entities=(step,))


def plan_unalias(state: State, path: str, alias: str) -> Rearrangement:
    """Return the step by which an entity is called so no longer."""
    entity = _standing(state, path)
    if alias not in entity.aliases:
        raise _built_on(f"{entity.path} is not called {alias!r} any more")
    named = entity.model_copy(update={"aliases": tuple(one for one in entity.aliases if one != alias)})
    step = EntityStep(path=entity.path, was=Place(entity=entity), now=Place(entity=named))
    return Rearrangement(verb=Verb.NAMES, path=entity.path, entities=(step,))


def _links_back(step: FactStep, moved: FactStep | None) -> FactStep:
    """Return the step back with the links that the fact had before it moved, unless they changed since."""
    if moved is None or step.was.related != moved.now.related:
        return step
    return step.model_copy(update={"now": step.now.model_copy(update={"related": moved.was.related})})


def _notice_back(step: NoticedStep, moved: NoticedStep | None) -> NoticedStep:
    """Return the step back to what an observation was about before it moved, unless that changed since."""
    return step if moved is None or step.was != moved.now else step.model_copy(update={"now": moved.was})


def _standing(state: State, path: str) -> Entity:
    """Return the entity that stands at a path."""
    if path in state.entities:
        return state.entities[path]
    now = state.resolve(path)
    raise _built_on(f"{path} is {now}" if now is not None else f"{path} is gone")


def _built_on(what: str, hint: str = "take that back first: engram undo COMMAND_ID") -> RefusedError:
    return RefusedError(f"it was built on since: {what}", hint=hint)


def _refuse_twins(state: State, coming: Iterable[str], path: str, *, hint: str) -> None:
    """Refuse what would leave an entity with an active fact twice: one that comes back, and one said again since."""
    there = [state.facts[key] for key in sorted(state.facts_of.get(path, ()))]
    said = {(fact.scope, fact.fingerprint): fact.id for fact in there if fact.status == Status.ACTIVE}
    for fact in (state.facts[key] for key in sorted(coming)):
        twin = said.get((fact.scope, fact.fingerprint))
        if fact.status == Status.ACTIVE and twin is not None:
            raise _built_on(f"{twin} says again what {fact.id} says", hint=hint)


def _names_back(entity: Entity, step: EntityStep) -> Entity:
    """Return the entity as it was called before a step, with the names that it was given since."""
    was, now = step.was.entity, step.now.entity
    if was is None or now is None:
        return entity
    update: dict[str, object] = {"path": was.path, "archived_from": was.archived_from}
    if entity.title == now.title:
        update["title"] = was.title
    if entity.aliases == now.aliases:
        update["aliases"] = was.aliases
    else:
        kept = [alias for alias in entity.aliases if alias in was.aliases or alias not in now.aliases]
        update["aliases"] = tuple(dict.fromkeys((*kept, *(one for one in was.aliases if one not in now.aliases))))
    return entity.model_copy(update=update)


def _going(state: State, done: Rearrangement, at: dt.datetime, target: str) -> set[str]:
    """Return the ids of the facts that go back: those that came with a merge, and their later versions."""
    own = {step.id for step in done.facts if step.was.entity == done.former}
    for key in sorted(own):
        if state.facts[key].entity != target:
            raise _built_on(f"{key} went on to {state.facts[key].entity}")
    there = [state.facts[key] for key in state.facts_of.get(target, ())]
    going = set(own)
    while further := {fact.id for fact in there if going.intersection(fact.supersedes)} - going:
        going |= further
    retired = {step.id for step in done.facts if step.now.life is not None}
    here = {fact.id for fact in there}
    for fact in there:
        follower = fact.superseded_by
        if follower not in here or fact.id in retired:
            continue  # a follower that is about another entity stays where it is
        was_so = fact.id not in state.facts[follower].supersedes and fact.known_to is not None and fact.known_to <= at
        if not was_so and (fact.id in going) != (follower in going):
            why = f"{follower} took the place of {fact.id}, and only one of them goes back"
            raise _built_on(why, hint=f"engram history {fact.id}")
    return going


def _fact_back(state: State, step: FactStep, target: str, going: set[str]) -> FactStep:
    """Return the step by which a fact stands where it stood, and is believed again if it only gave way to its twin."""
    fact = state.facts[step.id]
    entity = step.was.entity if fact.id in going and fact.entity == target else fact.entity
    was, now = step.was.related, step.now.related
    if fact.related == now:
        related = was
    else:
        added = {state.resolve(other) or other for other in set(now) - set(was)}
        related = tuple(sorted((set(fact.related) - added) | (set(was) - set(now))))
    life = _life_back(state, fact, step)
    return FactStep(
        id=fact.id,
        was=_place(fact, life=life_of(fact) if life is not None else None),
        now=FactPlace(entity=entity, related=related, life=life),
    )


def _life_back(state: State, fact: Fact, step: FactStep) -> FactLife | None:
    if step.now.life is None or life_of(fact) != step.now.life:
        return None
    kept = state.facts.get(step.now.life.superseded_by or "")
    return step.was.life if kept is not None and kept.status == Status.ACTIVE else None


def _place(fact: Fact, *, entity: str | None = None, life: FactLife | None = None) -> FactPlace:
    return FactPlace(entity=entity or fact.entity, related=fact.related, life=life)


def _noticed_back(state: State, steps: Iterable[NoticedStep]) -> tuple[NoticedStep, ...]:
    return tuple(
        NoticedStep(id=step.id, was=step.now, now=step.was)
        for step in steps
        if noticed_place(state.observations[step.id]) == step.now
    )


def _pairs_back(state: State, steps: Iterable[PairStep]) -> tuple[PairStep, ...]:
    return tuple(
        PairStep(id=step.id, was=step.now, now=step.was) for step in steps if state.tensions[step.id].pair == step.now
    )


def _tensions_back(state: State, merge: Undoable, done: Rearrangement, now: dt.datetime) -> list[Change]:
    """Return what closes the tensions that the merge opened, and opens those again that it closed."""
    believed = {step.id: step.now.life.status == Status.ACTIVE for step in done.facts if step.now.life is not None}
    changes: list[Change] = []
    for change in merge.changes:
        if isinstance(change, TensionOpened) and state.tensions[change.tension.id].status == TensionStatus.OPEN:
            changes.append(TensionResolved(id=change.tension.id, resolution=APART, at=now))
        elif isinstance(change, TensionResolved):
            tension = state.tensions[change.id]
            sides = [state.facts[key] for key in (tension.fact1, tension.fact2)]
            by_itself = tension.status == TensionStatus.RESOLVED and tension.outcome is None
            if by_itself and all(believed.get(fact.id, fact.status == Status.ACTIVE) for fact in sides):
                changes.append(TensionReopened(id=change.id, at=now))
    return changes
