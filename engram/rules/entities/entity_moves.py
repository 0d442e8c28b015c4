"""What becomes of everything around an entity when it moves, is merged, or is split. Pure: values in, steps out.

Ids, texts, chains and sources of facts stay as they are; what changes is about whom a fact is, whom it names, and the
names themselves. Each step holds what was, so that `rules.rearranging_back` can take it back.
"""

import datetime as dt
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Mapping

from engram.model.changes.rearrangement import EntityStep
from engram.model.changes.rearrangement import FactPlace
from engram.model.changes.rearrangement import FactStep
from engram.model.changes.rearrangement import NoticedPlace
from engram.model.changes.rearrangement import NoticedStep
from engram.model.changes.rearrangement import PairStep
from engram.model.changes.rearrangement import Place
from engram.model.changes.rearrangement import Rearrangement
from engram.model.changes.rearrangement import Verb
from engram.model.changes.settlement import FactLife
from engram.model.changes.state import State
from engram.model.entity import Entity
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.fact import Trust
from engram.model.observation import Observation
from engram.model.tension import Tension
from engram.rules.writes.tension_outcome import life_of

SAME_STATEMENT = "the entity that it was merged with says the same"
_TRUST = (Trust.QUARANTINED, Trust.UNVERIFIED, Trust.TRUSTED)


def plan_move(state: State, entity: Entity, now: Entity) -> Rearrangement:
    """Return the steps by which an entity takes the path and the names of `now`; nobody stands at that path.

    `state` holds all around both paths. The numbers of facts go on where they were, so short ids stay unlike.
    """
    if entity.path == now.path:
        step = EntityStep(path=entity.path, was=Place(entity=entity), now=Place(entity=now))
        return Rearrangement(verb=Verb.MOVE, path=now.path, entities=(step,))
    number = max(state.number_at(now.path), entity.next_number)
    away = {entity.path: now.path}
    return Rearrangement(
        verb=Verb.MOVE,
        path=now.path,
        former=entity.path,
        entities=(
            EntityStep(path=entity.path, was=Place(entity=entity), now=Place(to=now.path)),
            EntityStep(
                path=now.path,
                was=place_at(state, now.path),
                now=Place(entity=now.model_copy(update={"next_number": number})),
            ),
        ),
        facts=_moved_facts(state.facts.values(), away),
        noticed=moved_observations(state.observations.values(), away),
        pairs=moved_pairs(state, away),
    )


def plan_merge(state: State, source: Entity, target: Entity, *, now: dt.datetime) -> Rearrangement:
    """Return the steps by which all of `source` becomes part of `target`, which gets its names as aliases.

    Of two active facts of one scope that say the same, one gives way to the other: the less trusted one, else the one
    that is not pinned, else the later one.
    """
    away = {source.path: target.path}
    steps = {step.id: step for step in _moved_facts(state.facts.values(), away)}
    for retired, kept in _said_twice(state, source.path, target.path):
        before = life_of(retired)
        after = before.model_copy(
            update={
                "status": Status.SUPERSEDED,
                "superseded_by": kept.id,
                "known_to": now,
                "reason": SAME_STATEMENT,
                "was_wrong": False,
            }
        )
        steps[retired.id] = _with_life(steps.get(retired.id) or _standing(retired), before, after)
    named = {name.casefold() for name in (target.title, *target.aliases)}
    gained = {name.casefold(): name for name in (source.title, *source.aliases) if name.casefold() not in named}
    whole = target.model_copy(update={"aliases": (*target.aliases, *gained.values())})
    return Rearrangement(
        verb=Verb.MERGE,
        path=target.path,
        former=source.path,
        entities=(
            EntityStep(path=source.path, was=Place(entity=source), now=Place(to=target.path)),
            EntityStep(path=target.path, was=Place(entity=target), now=Place(entity=whole)),
        ),
        facts=tuple(steps.values()),
        noticed=moved_observations(state.observations.values(), away),
        pairs=moved_pairs(state, away),
    )


def plan_split(state: State, source: Entity, new: Entity, ids: Collection[str]) -> Rearrangement:
    """Return the steps by which these facts of an entity, with all their versions, become an entity of their own."""
    own = [state.facts[key] for key in state.facts_of.get(source.path, ())]
    moving = chains_of(own, ids)
    gone = {fact.fingerprint for fact in own if fact.id in moving}
    gone -= {fact.fingerprint for fact in own if fact.id not in moving}
    away = {f"{source.path}\n{fingerprint}": f"{new.path}\n{fingerprint}" for fingerprint in gone}
    pairs = ((one.id, one.pair, tuple(sorted(away.get(side, side) for side in one.pair))) for one in _settled(state))
    return Rearrangement(
        verb=Verb.SPLIT,
        path=new.path,
        former=source.path,
        entities=(EntityStep(path=new.path, was=place_at(state, new.path), now=Place(entity=new)),),
        facts=tuple(_step(fact, new.path, fact.related) for fact in own if fact.id in moving),
        pairs=tuple(PairStep(id=key, was=was, now=now) for key, was, now in pairs if was != now),
    )


def chains_of(facts: Iterable[Fact], ids: Collection[str]) -> set[str]:
    """Return the ids of these facts, and of all that are joined to them by superseding."""
    beside: dict[str, set[str]] = {}
    for fact in facts:
        for other in (*fact.supersedes, fact.superseded_by, fact.lineage):
            if other is not None:
                beside.setdefault(fact.id, set()).add(other)
                beside.setdefault(other, set()).add(fact.id)
    found, front = set(ids), list(ids)
    while front:
        further = beside.get(front.pop(), set()) - found
        found |= further
        front += further
    return found


def place_at(state: State, path: str) -> Place:
    """Return what stands at a path."""
    redirect = state.redirects.get(path)
    return Place(entity=state.entities.get(path), to=redirect.to if redirect is not None else None)


def moved_observations(observations: Iterable[Observation], away: Mapping[str, str]) -> tuple[NoticedStep, ...]:
    """Return the steps of the observations that are about one of the paths or suggest a fact about it."""
    steps = []
    for one in observations:
        was = noticed_place(one)
        now = NoticedPlace(entity=_gone(was.entity, away), suggested=_gone(was.suggested, away))
        if now != was:
            steps.append(NoticedStep(id=one.id, was=was, now=now))
    return tuple(steps)


def noticed_place(observation: Observation) -> NoticedPlace:
    """Return about whom an observation is, and the fact that it suggests."""
    suggestion = observation.suggestion
    return NoticedPlace(entity=observation.entity, suggested=suggestion.entity if suggestion is not None else None)


def moved_pairs(state: State, away: Mapping[str, str]) -> tuple[PairStep, ...]:
    """Return the steps of the pairs that are no conflict and of which one side is about one of the paths."""
    steps = []
    for tension in _settled(state):
        parts = [side.partition("\n") for side in tension.pair]
        pair = tuple(sorted(f"{away.get(path, path)}\n{said}" for path, _, said in parts))
        if pair != tension.pair and any(path in away for path, _, _ in parts):
            steps.append(PairStep(id=tension.id, was=tension.pair, now=pair))
    return tuple(steps)


def related_after(fact: Fact, entity: str, away: Mapping[str, str]) -> tuple[str, ...]:
    """Return whom a fact names when the entities of some paths have gone to others; not its own entity, for that."""
    if not any(other in away for other in fact.related):
        return tuple(other for other in fact.related if other != entity or other == fact.entity)
    kept = {away.get(other, other) for other in fact.related}
    return tuple(sorted(kept - ({entity} if fact.entity not in fact.related else set())))


def _moved_facts(facts: Iterable[Fact], away: Mapping[str, str]) -> tuple[FactStep, ...]:
    steps = []
    for fact in facts:
        entity = away.get(fact.entity, fact.entity)
        if entity == fact.entity and not any(other in away for other in fact.related):
            continue
        steps.append(_step(fact, entity, related_after(fact, entity, away)))
    return tuple(steps)


def _said_twice(state: State, source: str, target: str) -> list[tuple[Fact, Fact]]:
    """Return the active facts of two entities that say the same to the same readers: who gives way, and to whom."""
    there = {
        (fact.scope, fact.fingerprint): fact
        for fact in (state.facts[key] for key in state.facts_of.get(target, ()))
        if fact.status == Status.ACTIVE
    }
    found = []
    for fact in (state.facts[key] for key in sorted(state.facts_of.get(source, ()))):
        other = there.get((fact.scope, fact.fingerprint)) if fact.status == Status.ACTIVE else None
        if other is not None:
            retired, kept = sorted((fact, other), key=lambda one: _standing_of(state, one))
            found.append((retired, kept))
    return found


def _standing_of(state: State, fact: Fact) -> tuple[int, bool, float, str]:
    """Return how well a fact stands among others that say the same; the highest stays."""
    usage = state.usages.get(fact.id)
    pinned = usage is not None and usage.pinned
    return _TRUST.index(fact.trust), pinned, -fact.recorded_at.timestamp(), fact.id


def _step(fact: Fact, entity: str, related: tuple[str, ...]) -> FactStep:
    was = FactPlace(entity=fact.entity, related=fact.related)
    return FactStep(id=fact.id, was=was, now=FactPlace(entity=entity, related=related))


def _standing(fact: Fact) -> FactStep:
    return _step(fact, fact.entity, fact.related)


def _with_life(step: FactStep, before: FactLife, after: FactLife) -> FactStep:
    was = step.was.model_copy(update={"life": before})
    return step.model_copy(update={"was": was, "now": step.now.model_copy(update={"life": after})})


def _settled(state: State) -> list[Tension]:
    return sorted((one for one in state.tensions.values() if one.pair), key=lambda one: one.id)


def _gone(path: str | None, away: Mapping[str, str]) -> str | None:
    return None if path is None else away.get(path, path)
