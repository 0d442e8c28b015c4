"""Values that tests begin with; each test names only the fields that it is about."""

import datetime as dt
from typing import Any

from engram.base.text import fingerprint
from engram.model.conversation import Session
from engram.model.entity import Entity
from engram.model.fact import Fact

DAY0 = dt.datetime(2026, 3, 1, 23, 30, tzinfo=dt.UTC)
NOW = dt.datetime(2026, 3, 2, 10, 0, tzinfo=dt.UTC)


def make_fact(number: int = 1, text: str = "Anna prefers tea", **fields: Any) -> Fact:
    """Return a trusted, active, shared fact of people/anna."""
    entity = fields.get("entity", "people/anna")
    defaults: dict[str, Any] = {
        "id": f"{entity}-{number:03d}",
        "entity": entity,
        "text": text,
        "category": "preference",
        "confidence": 0.9,
        "abstraction": "episode",
        "trust": "trusted",
        "source": {"actor": "user"},
        "lineage": f"{entity}-{number:03d}",
        "version": 1,
        "valid_from": DAY0,
        "recorded_at": DAY0,
        "fingerprint": fingerprint(text),
        "skeleton": fingerprint(text),
    }
    return Fact.model_validate({**defaults, **fields})


def make_entity(path: str = "people/anna", title: str = "Anna", **fields: Any) -> Entity:
    """Return an entity that was made on DAY0."""
    return Entity(path=path, title=title, created_at=DAY0, **fields)


def make_session(name: str = "demo", **fields: Any) -> Session:
    """Return a session that was made on DAY0."""
    return Session(name=name, created_at=DAY0, **fields)
