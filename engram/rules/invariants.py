"""What holds of every state whatever was written, settled and taken back: doctor looks for what does not. Pure."""

import itertools
from collections import defaultdict
from collections.abc import Callable
from collections.abc import Hashable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence

from engram.model.changes.state import State
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.fact import Trust
from engram.model.observation import Observation
from engram.model.observation import ObservationStatus
from engram.model.tension import TensionStatus
from engram.rules.temporal import ends_at
from engram.rules.trust.authority import PERSONS
from engram.rules.writes.derivation import least_trusted

_BELIEVED = frozenset({Status.ACTIVE, Status.PENDING})
_ELSEWHERE = "MEMORY.md"


def broken(state: State) -> list[str]:
    """Return one sentence for each invariant that a whole state breaks; none when all hold."""
    return [*_broken_chains(state), *_broken_facts(state), *_broken_tensions(state), *_broken_observations(state)]


def _broken_chains(state: State) -> Iterator[str]:
    for fact in state.facts.values():
        follows = fact.superseded_by is not None  # of an active one that is a plan: it goes on until that one begins
        if fact.status != Status.ACTIVE and (fact.status == Status.SUPERSEDED) != follows:
            yield f"{fact.id} is {fact.status}, and superseded by {fact.superseded_by}"
        elif fact.superseded_by is not None and fact.superseded_by not in state.facts:
            yield f"{fact.id} is superseded by {fact.superseded_by}, which is unknown"
        elif _runs_in_a_circle(state.facts, fact.id, "superseded_by"):
            yield f"{fact.id} is superseded by itself, over others"
    # A plan beside what was said since of the time before it makes two branches; without one there is one head.
    planned = {fact.lineage for fact in state.facts.values() if fact.valid_from > fact.recorded_at}
    for lineage, heads in _active_by(state, lambda fact: fact.lineage):
        if (count := _at_once(heads)) and lineage not in planned:
            yield f"the chain of {lineage} has {count} live heads"


def _active_by(state: State, key: Callable[[Fact], Hashable]) -> Iterator[tuple[Hashable, list[Fact]]]:
    """Yield active facts that are alike, where there are several."""
    alike: dict[Hashable, list[Fact]] = defaultdict(list)
    for fact in state.facts.values():
        if fact.status == Status.ACTIVE:
            alike[key(fact)].append(fact)
    yield from ((mark, facts) for mark, facts in alike.items() if len(facts) > 1)


def _at_once(facts: Sequence[Fact]) -> int:
    """Return how many of several facts hold at some one time together; 0 when they follow each other."""
    in_order = sorted(facts, key=lambda fact: (fact.valid_from, fact.id))
    overlap = [
        one
        for one, following in itertools.pairwise(in_order)
        if (end := ends_at(one)) is None or following.valid_from < end
    ]
    return len(overlap) + 1 if overlap else 0


def _runs_in_a_circle(known: Mapping[str, Fact | Observation], start: str, link: str) -> bool:
    seen = {start}
    following: str | None = getattr(known[start], link)
    while following is not None and following in known:
        if following in seen:
            return True
        seen.add(following)
        following = getattr(known[following], link)
    return False


def _broken_facts(state: State) -> Iterator[str]:
    for _, alike in _active_by(state, lambda fact: (fact.entity, fact.scope, fact.fingerprint)):
        if _at_once(alike):
            yield f"{alike[0].entity} has an active fact twice: {alike[0].fingerprint}"
    for fact in state.facts.values():
        sources = [state.facts.get(key) or state.observations.get(key) for key in fact.derived_from]
        known = [source for source in sources if source is not None]
        if len(known) < len(sources):
            yield f"{fact.id} is derived from what is unknown"
        elif least_trusted(fact.trust, known) != fact.trust and not _is_vouched_for(fact, known, state):
            yield f"{fact.id} is more trusted than what it was made of"


def _is_vouched_for(fact: Fact, sources: Iterable[Fact | Observation], state: State) -> bool:
    """Tell whether a person stands by a fact: by all of it, or by what an agent noticed; by nothing quarantined."""
    if any(one.trust == Trust.QUARANTINED for one in sources):
        return False
    usage = state.usages.get(fact.id)
    if usage is not None and (usage.pinned or any(one.actor in PERSONS for one in usage.confirmed_by)):
        return True
    before = (state.facts.get(key) for key in fact.supersedes)
    if fact.source.actor in PERSONS and any(one and one.fingerprint == fact.fingerprint for one in before):
        return True  # they said the same words again
    facts = [one for one in sources if isinstance(one, Fact)]
    return fact.source.actor in PERSONS and least_trusted(fact.trust, facts) == fact.trust


def _broken_tensions(state: State) -> Iterator[str]:
    for tension in state.tensions.values():
        sides = [state.facts.get(side) for side in (tension.fact1, tension.fact2)]
        if any(side is None for side in sides):
            yield f"{tension.id} is about a fact that is unknown"
        elif tension.status == TensionStatus.OPEN and any(side and side.status not in _BELIEVED for side in sides):
            yield f"{tension.id} waits, and one of its sides is no longer believed"


def _broken_observations(state: State) -> Iterator[str]:
    for one in state.observations.values():
        promoted = one.status == ObservationStatus.PROMOTED
        merged = one.status == ObservationStatus.MERGED
        if promoted != (one.promoted_to is not None):
            yield f"{one.id} is {one.status}, and promoted to {one.promoted_to}"
        elif promoted and one.promoted_to != _ELSEWHERE and one.promoted_to not in state.facts:
            yield f"{one.id} was promoted to {one.promoted_to}, which is unknown"
        elif merged and one.merged_into not in state.observations:
            yield f"{one.id} was merged into {one.merged_into}, which is unknown"
        elif merged and _runs_in_a_circle(state.observations, one.id, "merged_into"):
            yield f"{one.id} is merged into itself, over others"
        elif any(fact not in state.facts for fact in one.facts):
            yield f"{one.id} stands on a fact that is unknown"
