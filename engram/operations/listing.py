"""Facts as they are listed, each that a newer one tells to be over with the id of that one."""

from typing import Any
from typing import Final

from engram.services.facts.listing import FactQuery
from engram.services.facts.listing import Moment
from engram.services.facts.listing import list_facts
from engram.services.recall.validity.outdated_now import outdated_now
from engram.services.visibility import visible_scopes
from engram.workspace import Workspace

OVER: Final = "outdated_by"  # in a view: the id of the newer fact
_SAID_OF_NOW: Final = frozenset({"active", "planned"})  # listings of which newer facts may tell some to be over


def listed_facts(workspace: Workspace, query: FactQuery, moment: Moment) -> list[dict[str, Any]]:
    """Return what a listing asks for. Raises UnknownEntityError, AmbiguousNameError."""
    with workspace.reading() as database:
        views = list_facts(database, query, moment)
        if query.status not in _SAID_OF_NOW or query.as_of or query.as_known:
            return views
        scopes = visible_scopes(moment.caller) if moment.caller else ()
        over = outdated_now(database, [view["id"] for view in views], moment.now, scopes)
    return [{**view, **({OVER: over[view["id"]]} if view["id"] in over else {})} for view in views]
