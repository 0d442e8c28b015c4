"""Promises that are shown: none is called overdue that a newer fact tells to be over, as done or as put off."""

from collections.abc import Iterable
from typing import Any
from typing import Final

from engram.ports.database import FactDatabase
from engram.services.facts.listing import OVERDUE
from engram.services.facts.listing import Moment
from engram.services.recall.validity.outdated_now import outdated_now
from engram.services.visibility import visible_scopes

OVER: Final = "outdated_by"  # in a view of what a newer fact tells to be over: the id of that one


def without_kept(database: FactDatabase, views: Iterable[dict[str, Any]], moment: Moment) -> list[dict[str, Any]]:
    """Return views as `fact_views` gives them; a promise that is over says by which fact, and is not overdue."""
    told = list(views)
    late = [view["id"] for view in told if view[OVERDUE]]
    scopes = visible_scopes(moment.caller) if moment.caller else ()
    return with_what_is_over(told, outdated_now(database, late, moment.now, scopes))


def with_what_is_over(views: Iterable[dict[str, Any]], over: dict[str, str]) -> list[dict[str, Any]]:
    """Return views, those of facts that are over with the id of the newer fact that says so; `over` maps their ids."""
    return [{**view, OVER: over[view["id"]], OVERDUE: None} if view["id"] in over else view for view in views]
