"""The version of a fact that a draft becomes. Pure."""

import datetime as dt
from collections.abc import Sequence

from engram.model.entity import Entity
from engram.model.fact import Draft
from engram.model.fact import Fact
from engram.model.fact import Precision
from engram.rules.temporal import names_its_beginning
from engram.rules.writes.situation import Analysis


def new_version(
    draft: Draft,
    analysis: Analysis,
    *,
    entity: Entity,
    chain: Sequence[Fact] = (),
    wrong: bool = False,
    now: dt.datetime,
) -> Fact:
    """Return the version that a draft becomes; `wrong` tells that what it replaces never held."""
    fact_id = f"{entity.path}-{entity.next_number:03d}"
    oldest = min(chain, key=lambda old: old.valid_from, default=None) if wrong else None
    begins = (now, Precision.DAY)
    if oldest is not None and (oldest.valid_from <= now or names_its_beginning(oldest)):
        begins = (oldest.valid_from, oldest.valid_from_precision)
    if draft.valid_to is not None and draft.valid_to < begins[0]:  # it was over before it was told
        begins = (draft.valid_to, draft.valid_to_precision)
    if draft.valid_from is not None:
        begins = (draft.valid_from, draft.valid_from_precision)
    return Fact(
        id=fact_id,
        entity=entity.path,
        text=draft.text,
        category=draft.category,
        attribute=draft.attribute,
        value=draft.value,
        confidence=draft.confidence,
        abstraction=draft.abstraction,
        tags=draft.tags,
        related=draft.related,
        scope=draft.scope,
        trust=analysis.trust,
        source=draft.source,
        lineage=chain[0].lineage if chain else fact_id,
        version=max((old.version for old in chain), default=0) + 1,
        supersedes=tuple(old.id for old in chain),
        derived_from=draft.derived_from,
        valid_from=begins[0],
        valid_from_precision=begins[1],
        valid_to=draft.valid_to,
        valid_to_precision=draft.valid_to_precision,
        recorded_at=now,
        fingerprint=analysis.fingerprint,
        skeleton=analysis.skeleton,
    )
