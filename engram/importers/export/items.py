"""A store as items.json files of Engram v2: what `import engram-v2` reads back. Pure.

The layout is that of the project's fact-schema.md, with the list under "facts". What v2 has no name for stands beside
it under names of its own (recordedAt, validTo, attribute, value, scope, trust, kind), which other readers pass over.
Facts in quarantine and candidates are left out: a reader of these files would believe them. A retracted fact is a
superseded one without a follower, which is as near as v2 comes.
"""

import json
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import Final

from engram.base.clock import to_iso
from engram.model.entity import Entity
from engram.model.fact import SHARED
from engram.model.fact import Category
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.fact import Trust
from engram.model.fact import Usage
from engram.rules.fold.facts import fact_number
from engram.rules.temporal import was_believed

_TYPES = {"people": "area", "projects": "project", "archives": "archive"}
_FOLDERS = {"people": "areas/people", "projects": "projects", "archives": "archives"}
V2_CATEGORIES: Final = {  # v2 knows seven; the others stand under `kind` besides
    Category.INSTRUCTION: Category.PREFERENCE,
    Category.IDENTITY: Category.CONTEXT,
    Category.COMMITMENT: Category.STATUS,
    Category.LESSON: Category.CONTEXT,
}
_PAST = frozenset({Status.SUPERSEDED, Status.RETRACTED})


def render_items_v2(entity: Entity, facts: Sequence[Fact], usages: Mapping[str, Usage]) -> tuple[str, bytes]:
    """Return the file's name, relative to the folder of the export, and its content."""
    shown = sorted((fact for fact in facts if is_exported(fact)), key=lambda fact: (fact_number(fact.id), fact.id))
    ids = {fact.id: _short(fact) for fact in shown}
    kind, _, slug = entity.path.partition("/")
    whole = {
        "entityId": f"{_FOLDERS[kind]}/{slug}",
        "entityType": _TYPES[kind],
        "title": entity.title,
        "aliases": list(entity.aliases),
        "facts": [_item(fact, usages.get(fact.id), ids) for fact in shown],
    }
    content = json.dumps(whole, ensure_ascii=False, indent=2) + "\n"
    return f"life/{_FOLDERS[kind]}/{slug}/items.json", content.encode()


def is_exported(fact: Fact) -> bool:
    """Tell whether a fact stands in an export that others read: not one in quarantine, nor one that waits."""
    return fact.trust != Trust.QUARANTINED and was_believed(fact)


def _item(fact: Fact, usage: Usage | None, ids: Mapping[str, str]) -> dict[str, Any]:
    use = usage or Usage(fact_id=fact.id)
    fields: dict[str, Any] = {
        "id": ids[fact.id],
        "fact": fact.text,
        "category": V2_CATEGORIES.get(fact.category, fact.category).value,
        "confidence": fact.confidence,
        "abstractionLevel": fact.abstraction.value,
        "tags": list(fact.tags),
        "timestamp": to_iso(fact.valid_from),
        "source": fact.source.label or fact.source.path or fact.source.session or fact.source.actor.value,
        "status": "superseded" if fact.status in _PAST else "active",
        "supersededBy": ids.get(fact.superseded_by or ""),
        "relatedEntities": [_place(path) for path in fact.related],
        "lastAccessed": to_iso(use.last_accessed_at) if use.last_accessed_at else None,
        "accessCount": use.access_count,
        "recordedAt": to_iso(fact.recorded_at),
    }
    more = {
        "validTo": to_iso(fact.valid_to) if fact.valid_to else None,
        "attribute": fact.attribute,
        "value": fact.value,
        "scope": None if fact.scope == SHARED else fact.scope,
        "trust": fact.trust.value,
        "kind": fact.category.value if fact.category in V2_CATEGORIES else None,
    }
    return {**fields, **{name: value for name, value in more.items() if value is not None}}


def _short(fact: Fact) -> str:
    """Return the id as v2 has them, unique in its file: that of a fact born elsewhere stays whole."""
    return fact.id.partition("/")[2] if fact.id.rpartition("-")[0] == fact.entity else fact.id


def _place(path: str) -> str:
    kind, _, slug = path.partition("/")
    return f"{_FOLDERS[kind]}/{slug}"
