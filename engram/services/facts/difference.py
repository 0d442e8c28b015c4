"""What the memory learnt, replaced and took back between two instants."""

from collections.abc import Callable
from typing import Any

from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.fact import Trust
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.services.facts.listing import Moment
from engram.services.facts.listing import fact_views
from engram.services.facts.listing import get_entity_path
from engram.services.facts.timeline import Window
from engram.services.visibility import visible_scopes

_KINDS: dict[str, Callable[[Fact, Window], bool]] = {
    "created": lambda fact, window: window.holds(fact.recorded_at) and fact.status != Status.CANDIDATE,
    "superseded": lambda fact, window: fact.status == Status.SUPERSEDED and window.holds(fact.known_to),
    "retracted": lambda fact, window: fact.status == Status.RETRACTED and window.holds(fact.known_to),
}


def differences(
    database: FactDatabase, window: Window, moment: Moment, entity: str = ""
) -> dict[str, list[dict[str, Any]]]:
    """Return the facts that were created, superseded and retracted in the window, each kind by entity and number.

    A fact that came and went in it is told twice. What is quarantined is not believed and not told. Raises
    UnknownEntityError, AmbiguousNameError.
    """
    path = get_entity_path(database, entity, moment.caller) if entity else ""
    scopes = () if moment.caller is None else visible_scopes(moment.caller)
    listed = database.list_facts(FactFilter(entity=path, status="all", scopes=scopes))
    believed = [fact for fact in listed if fact.trust != Trust.QUARANTINED]
    return {
        kind: fact_views(database, [fact for fact in believed if belongs(fact, window)], moment)
        for kind, belongs in _KINDS.items()
    }
