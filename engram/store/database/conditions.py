"""Filters of the database's port as parameters of its named queries: only what filters is one."""

import datetime as dt
from typing import Any

from engram.base.clock import to_iso
from engram.ports.columns import SpanFilter
from engram.ports.database import FactFilter


def conditions_of(wanted: FactFilter) -> dict[str, Any]:
    """Return the parameters of `list_facts`: only those that filter."""
    asked = {
        **wanted._asdict(),
        "status": "" if wanted.status in {"all", "quarantined"} else wanted.status,
        "trust": wanted.status if wanted.status == "quarantined" else "",
        "since": naive(wanted.since),
    }
    if wanted.entities:  # to compare with two names costs a tenth of looking among many, and leaves few facts for that
        asked |= {"from_entity": min(wanted.entities), "upto_entity": max(wanted.entities)}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asked.items() if value}


def span_conditions(wanted: SpanFilter) -> dict[str, Any]:
    """Return the parameters of a filter on spans: only those that filter."""
    moments = {name: naive(getattr(wanted, name)) for name in ("as_known", "as_of", "now")}
    asked = {"scopes": list(wanted.scopes), **moments}
    return {name: value for name, value in asked.items() if value}


def naive(at: dt.datetime | None) -> str | None:
    """Return an instant as the engine compares it: in UTC, without saying so."""
    return to_iso(at).removesuffix("Z") if at else None
