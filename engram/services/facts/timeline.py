"""What was true of an entity, in the order in which it became true."""

import datetime as dt
from typing import Any
from typing import NamedTuple

from engram.errors import BadValueError
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.fact import Trust
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.rules.temporal import has_ended
from engram.services.facts.listing import Moment
from engram.services.facts.listing import fact_views
from engram.services.facts.listing import get_entity_path
from engram.services.visibility import visible_scopes

_HELD = frozenset({Status.ACTIVE, Status.SUPERSEDED})


class Window(NamedTuple):
    """A stretch of time, in UTC."""

    since: dt.datetime | None = None  # None: no beginning
    until: dt.datetime | None = None  # excluded; None: no end

    def holds(self, at: dt.datetime | None) -> bool:
        """Tell whether an instant lies inside; what never happened does not."""
        return at is not None and (self.since is None or self.since <= at) and (self.until is None or at < self.until)


def window_between(since: dt.datetime | None, until: dt.datetime | None) -> Window:
    """Return the window between two instants; raise BadValueError for one that ends before it begins."""
    if since is not None and until is not None and until < since:
        raise BadValueError("the time ends before it begins", hint="say the earlier day first: monday..today")
    return Window(since, until)


def timeline(database: FactDatabase, name: str, window: Window, moment: Moment) -> tuple[str, list[dict[str, Any]]]:
    """Return an entity's path and the facts that held at some time in the window, by the day on which they began.

    What was found to be wrong never held, and what waits or is quarantined is not believed: neither is told. Raises
    UnknownEntityError, AmbiguousNameError.
    """
    path = get_entity_path(database, name, moment.caller)
    scopes = () if moment.caller is None else visible_scopes(moment.caller)
    listed = database.list_facts(FactFilter(entity=path, status="all", scopes=scopes))
    held = [fact for fact in listed if _held(fact) and _meets(fact, window)]
    held.sort(key=lambda fact: (fact.valid_from, fact.recorded_at, fact.id))
    return path, fact_views(database, held, moment)


def _held(fact: Fact) -> bool:
    return fact.status in _HELD and not fact.was_wrong and fact.trust != Trust.QUARANTINED


def _meets(fact: Fact, window: Window) -> bool:
    begins_in_time = window.until is None or fact.valid_from < window.until
    ended_before = window.since is not None and has_ended(fact, window.since)
    return begins_in_time and not ended_before
