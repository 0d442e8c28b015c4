"""The pool of lessons as others of the owner's workspaces take it over: what holds, and who wrote it. Pure.

Nobody can show there whose words a lesson holds, so each is unverified; who wrote it stands in its source as a label.
Of the past, of what waits or is in quarantine, and of use nothing is told; what a lesson names stays named.
"""

import datetime as dt
from collections.abc import Iterable
from collections.abc import Sequence

from engram.importers.export.shared import Shared
from engram.model.entity import Entity
from engram.model.fact import Fact
from engram.model.fact import Source
from engram.model.fact import Status
from engram.model.fact import Trust
from engram.rules.temporal import holds_now


def pool_of(entities: Sequence[Entity], facts: Iterable[Fact], now: dt.datetime) -> Shared:
    """Return the lessons that hold, by entity, with the entities that they are about; `facts` are those of the pool."""
    known = list(facts)
    kept = [fact for fact in known if holds_now(fact, now) and fact.trust != Trust.QUARANTINED]
    by_entity: dict[str, list[Fact]] = {}
    for fact in kept:
        own = by_entity.setdefault(fact.entity, [])
        own.append(_lesson(fact, len(own) + 1))
    about = [one for one in entities if one.path in by_entity]
    numbered = [one.model_copy(update={"next_number": len(by_entity[one.path]) + 1}) for one in about]
    left_out = sum(fact.status == Status.ACTIVE for fact in known) - len(kept)
    return Shared(sorted(numbered, key=lambda one: one.path), by_entity, left_out)


def _lesson(fact: Fact, number: int) -> Fact:
    """Return a lesson as the first of its chain, with who wrote it in words."""
    fact_id = f"{fact.entity}-{number:03d}"
    return fact.model_copy(
        update={
            "id": fact_id,
            "trust": Trust.UNVERIFIED,
            "related": (),
            "source": Source(actor=fact.source.actor, label=written_by(fact)),
            "lineage": fact_id,
            "version": 1,
            "supersedes": (),
            "derived_from": (),
            "beliefs": (),
        }
    )


def written_by(fact: Fact) -> str:
    """Return who wrote a lesson, in words: the source that it was given, else its session, else what wrote it."""
    source = fact.source
    return source.label or source.session or source.actor.value
