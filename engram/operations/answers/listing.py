"""Facts as they are listed: each that a newer one tells to be over with the id of that one, orders with their case."""

from collections.abc import Iterator
from collections.abc import Mapping
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
from engram.services.facts.listing import iter_fact_pages
from engram.services.facts.listing import list_facts
from engram.services.recall.validity.outdated_now import MOST_COMPARED
from engram.services.recall.validity.outdated_now import outdated_now
from engram.services.visibility import visible_scopes
from engram.workspace import Workspace

ORDER: Final = "order"  # in the view of a person's order: {"when", "until", "by", "against"}
_SAID_OF_NOW: Final = frozenset({"active", "planned"})  # listings of which newer facts may tell some to be over


def listed_facts(workspace: Workspace, query: FactQuery, moment: Moment) -> list[dict[str, Any]]:
    """Return what a listing asks for. Raises UnknownEntityError, AmbiguousNameError."""
    with workspace.reading() as database:
        views = _with_orders(database, list_facts(database, query, moment), moment)
        if query.status not in _SAID_OF_NOW or query.is_of_past:
            return views
        scopes = visible_scopes(moment.caller) if moment.caller else ()
        over = outdated_now(database, [view["id"] for view in views], moment.now, scopes)
    return with_what_is_over(views, over)


def iter_listed_facts(workspace: Workspace, query: FactQuery, moment: Moment) -> Iterator[dict[str, Any]]:
    """Yield what `listed_facts` returns; of a large store few are held. Raises like it, before the first one."""
    if query.limit:
        yield from listed_facts(workspace, query, moment)
        return
    with workspace.reading() as database:
        orders = (view["id"] for page in iter_fact_pages(database, query, moment, (INSTRUCTION,)) for view in page)
        told = _orders_told(database, [*orders], moment)
        scopes = visible_scopes(moment.caller) if moment.caller else ()
        over: dict[str, str] | None = None if query.status in _SAID_OF_NOW and not query.is_of_past else {}
        held: list[dict[str, Any]] = []
        for page in iter_fact_pages(database, query, moment):
            held += page
            if over is None and len(held) >= MOST_COMPARED:  # it looks at the first of a listing only
                over = outdated_now(database, [view["id"] for view in held], moment.now, scopes)
            if over is not None:
                yield from _marked(with_what_is_over(held, over), told)
                held = []
        if held:
            over = outdated_now(database, [view["id"] for view in held], moment.now, scopes)
            yield from _marked(with_what_is_over(held, over), told)


def _with_orders(database: FactDatabase, views: Sequence[dict[str, Any]], moment: Moment) -> list[dict[str, Any]]:
    """Return views, those of orders with what is told of them."""
    ids = [view["id"] for view in views if view["category"] == INSTRUCTION or INSTRUCTION in view["tags"]]
    return _marked(views, _orders_told(database, ids, moment))


def _orders_told(database: FactDatabase, ids: Sequence[str], moment: Moment) -> dict[str, dict[str, Any]]:
    facts = database.list_facts(FactFilter(ids=tuple(ids), status="all")) if ids else []
    return orders_told(database, filter(is_listed_as_order, facts), moment.zone)


def _marked(views: Sequence[dict[str, Any]], told: Mapping[str, dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**view, **({ORDER: told[view["id"]]} if view["id"] in told else {})} for view in views]
