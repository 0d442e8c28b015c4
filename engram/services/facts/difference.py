"""What the memory learnt, replaced and took back between two instants, or two positions of the journal."""

from collections import defaultdict
from collections.abc import Callable
from collections.abc import Iterable
from typing import Any

from engram.model.changes.change import FactRecorded
from engram.model.changes.change import FactRetracted
from engram.model.changes.change import FactSuperseded
from engram.model.changes.record import Record
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


def differences_in(
    database: FactDatabase, records: Iterable[Record], moment: Moment, entity: str = ""
) -> dict[str, list[dict[str, Any]]]:
    """Return what `differences` does of the records of a journal in place of a window; raises like it."""
    ids: dict[str, set[str]] = defaultdict(set)
    for record in records:
        for decision in record.decisions:
            for change in decision.changes:
                if isinstance(change, FactRecorded) and change.fact.status != Status.CANDIDATE:
                    ids["created"].add(change.fact.id)
                elif isinstance(change, FactSuperseded | FactRetracted):
                    ids["superseded" if isinstance(change, FactSuperseded) else "retracted"].add(change.id)
    return _views_by_kind(database, moment, entity, lambda kind, fact: fact.id in ids[kind])


def differences(
    database: FactDatabase, window: Window, moment: Moment, entity: str = ""
) -> dict[str, list[dict[str, Any]]]:
    """Return the facts that were created, superseded and retracted in the window, each kind by entity and number.

    A fact that came and went in it is told twice. What is quarantined is not believed and not told. Raises
    UnknownEntityError, AmbiguousNameError.
    """
    return _views_by_kind(database, moment, entity, lambda kind, fact: _KINDS[kind](fact, window))


def _views_by_kind(
    database: FactDatabase, moment: Moment, entity: str, belongs: Callable[[str, Fact], bool]
) -> dict[str, list[dict[str, Any]]]:
    """Return, by kind, the believed facts that belong there: of a large store no others are held."""
    path = get_entity_path(database, entity, moment.caller) if entity else ""
    scopes = () if moment.caller is None else visible_scopes(moment.caller)
    found: dict[str, list[Fact]] = {kind: [] for kind in _KINDS}
    for fact in database.iter_facts(FactFilter(entity=path, status="all", scopes=scopes)):
        for kind, facts in found.items() if fact.trust != Trust.QUARANTINED else ():
            if belongs(kind, fact):
                facts.append(fact)
    return {kind: fact_views(database, facts, moment) for kind, facts in found.items()}
