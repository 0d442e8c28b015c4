"""Facts and what waits for review, as far as a caller may see them; what it may not see is not there."""

from collections.abc import Iterable

from engram.config.settings import Settings
from engram.errors import AmbiguousNameError
from engram.errors import NotFoundError
from engram.errors import UnknownFactError
from engram.model.fact import Fact
from engram.model.tension import Tension
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.services.reviewing import Waiter
from engram.services.reviewing import queue
from engram.services.visibility import Caller
from engram.services.visibility import may_see


def get_visible_fact(database: FactDatabase, caller: Caller, fact_id: str) -> Fact:
    """Return the fact of an id, full or short; raise UnknownFactError or AmbiguousNameError."""
    found = [fact for fact in database.find_facts(fact_id.casefold()) if may_see(caller, fact.scope)]
    if len(found) > 1:
        ids = [fact.id for fact in found]
        raise AmbiguousNameError(f"{fact_id!r} can mean {' or '.join(ids)}", near=ids)
    if not found:
        raise UnknownFactError(f"no fact has the id {fact_id!r}", id=fact_id)
    return found[0]


def visible_queue(database: FactDatabase, settings: Settings, caller: Caller | None) -> list[Waiter]:
    """Return what waits for review, in its order, as far as the caller may see all that it stands on; None: all."""
    waiting = queue(database, settings)
    return waiting if caller is None else [one for one in waiting if _is_visible(database, one, caller)]


def get_waiter(waiting: Iterable[Waiter], wanted: str) -> Waiter:
    """Return the one of an id; raise NotFoundError."""
    found = next((one for one in waiting if one.thing.id == wanted), None)
    if found is None:
        raise NotFoundError(f"nothing waits for review under the id {wanted!r}", hint="engram review list", id=wanted)
    return found


def _is_visible(database: FactDatabase, waiter: Waiter, caller: Caller) -> bool:
    thing = waiter.thing
    if not isinstance(thing, Tension):
        return may_see(caller, thing.scope)
    sides = database.list_facts(FactFilter(ids=(thing.fact1, thing.fact2), status="all"))
    return all(may_see(caller, fact.scope) for fact in sides)
