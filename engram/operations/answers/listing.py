"""Facts as they are listed: each that a newer one tells to be over with the id of that one, orders with their case."""

from collections.abc import Sequence
from typing import Any
from typing import Final

from engram.operations.answers.kept_promises import with_what_is_over
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.services.context.orders import INSTRUCTION
from engram.services.context.orders import is_listed_as_order
from engram.services.context.orders import orders_told
from engram.services.facts.listing import FactQuery
from engram.services.facts.listing import Moment
from engram.services.facts.listing import list_facts
from engram.services.recall.validity.outdated_now import outdated_now
from engram.services.visibility import visible_scopes
from engram.workspace import Workspace

ORDER: Final = "order"  # in the view of a person's order: {"when", "until", "by", "against"}
_SAID_OF_NOW: Final = frozenset({"active", "planned"})  # listings of which newer facts may tell some to be over


def listed_facts(workspace: Workspace, query: FactQuery, moment: Moment) -> list[dict[str, Any]]:
    """Return what a listing asks for. Raises UnknownEntityError, AmbiguousNameError."""
    with workspace.reading() as database:
        views = _with_orders(database, list_facts(database, query, moment), moment)
        if query.status not in _SAID_OF_NOW or query.as_of or query.as_known:
            return views
        scopes = visible_scopes(moment.caller) if moment.caller else ()
        over = outdated_now(database, [view["id"] for view in views], moment.now, scopes)
    return with_what_is_over(views, over)


def _with_orders(database: FactDatabase, views: Sequence[dict[str, Any]], moment: Moment) -> list[dict[str, Any]]:
    """Return views, those of orders with what is told of them."""
    ids = [view["id"] for view in views if view["category"] == INSTRUCTION or INSTRUCTION in view["tags"]]
    facts = database.list_facts(FactFilter(ids=tuple(ids), status="all")) if ids else []
    told = orders_told(database, filter(is_listed_as_order, facts), moment.zone)
    return [{**view, **({ORDER: told[view["id"]]} if view["id"] in told else {})} for view in views]
