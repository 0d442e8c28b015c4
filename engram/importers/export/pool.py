"""The pool of lessons as others of the owner's workspaces take it over: what holds, and who wrote it. Pure.

Nobody can show there whose words a lesson holds, so each is unverified; who wrote it stands in its source as a label.
Of the past, of what waits or is in quarantine, and of use nothing is told; what a lesson names stays named.
"""

import datetime as dt
from collections.abc import Sequence

from engram.importers.export.packed_facts import PackedFacts
from engram.importers.export.shared import Shared
from engram.model.entity import Entity
from engram.model.fact import Fact
from engram.model.fact import Source
from engram.model.fact import Trust
from engram.rules.temporal import holds_now


def is_lesson(fact: Fact, now: dt.datetime) -> bool:
    """Tell whether others take over a fact of the pool."""
    return holds_now(fact, now) and fact.trust != Trust.QUARANTINED


def pool_of(entities: Sequence[Entity], facts: PackedFacts) -> Shared:
    """Return the lessons, by entity, with the entities that they are about; `facts` are those that are taken over."""

    def facts_of(about: str) -> list[Fact]:
        return [_lesson(fact, number) for number, fact in enumerate(facts.of(about), 1)]

    about = [one for one in entities if one.path in facts.counts]
    numbered = [one.model_copy(update={"next_number": facts.counts[one.path] + 1}) for one in about]
    return Shared(sorted(numbered, key=lambda one: one.path), facts_of, facts.count, facts.left_out)


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
