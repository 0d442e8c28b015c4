"""What waits for review, as far as a caller may see it; what it may not see is not there."""

import datetime as dt
from collections.abc import Iterable

from engram.config.settings import Settings
from engram.errors import NotFoundError
from engram.model.tension import Tension
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.services.review.candidates import find_brought
from engram.services.review.names import find_pairs
from engram.services.review.queue import PendingItem
from engram.services.review.queue import queue
from engram.services.visibility import Caller
from engram.services.visibility import may_see


def visible_queue(
    database: FactDatabase, settings: Settings, caller: Caller | None, now: dt.datetime
) -> list[PendingItem]:
    """Return what waits for review, in its order, as far as the caller may see all that it stands on; None: all.

    Entities that may be one come behind all that was noticed, for the owner only, who sees all of both; the candidates
    that are brought today come last (see `services.review`).
    """
    waiting = queue(database)
    if caller is None or caller.is_owner:
        waiting += [PendingItem("names", pair) for pair in find_pairs(database)]
    if caller is not None:
        waiting = [one for one in waiting if all(may_see(caller, scope) for scope in scopes_of(database, one))]
    brought = find_brought(database, settings, caller, besides=len(waiting), now=now)
    return [*waiting, *(PendingItem("candidate", fact) for fact in brought.facts)]


def scopes_of(database: FactDatabase, waiter: PendingItem) -> list[str]:
    """Return the scopes of what waits: its own, or those of both sides of a tension."""
    thing = waiter.thing
    if not isinstance(thing, Tension):
        return [thing.scope]
    sides = database.list_facts(FactFilter(ids=(thing.fact1, thing.fact2), status="all"))
    return [fact.scope for fact in sides]


def get_waiter(waiting: Iterable[PendingItem], wanted: str) -> PendingItem:
    """Return the one of an id; raise NotFoundError."""
    found = next((one for one in waiting if one.thing.id == wanted), None)
    if found is None:
        raise NotFoundError(f"nothing waits for review under the id {wanted!r}", hint="engram review list", id=wanted)
    return found
