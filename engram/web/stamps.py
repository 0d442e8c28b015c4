"""Stamps: what tells whether something is still as a form showed it.

The words of a version never change, so the stamp of a fact is about its life: what would make another answer right.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

_LIFE = (
    "id",
    "entity",
    "status",
    "superseded_by",
    "trust",
    "valid_from",
    "valid_to",
    "category",
    "confidence",
    "pinned",
)
_DIGITS = 16


def stamp_of(value: Any) -> str:
    """Return the stamp of a JSON-ready value."""
    said = json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(said.encode()).hexdigest()[:_DIGITS]


def fact_stamp(view: Mapping[str, Any]) -> str:
    """Return the stamp of a fact as `fact_views` shows it."""
    return stamp_of([view[name] for name in _LIFE])


def stamped(view: Mapping[str, Any]) -> dict[str, Any]:
    """Return a fact's view with its stamp."""
    return {**view, "stamp": fact_stamp(view)}
