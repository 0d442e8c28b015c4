"""What the memory learnt, replaced and took back between two instants, or two positions of the journal."""

import datetime as dt
from collections import defaultdict
from collections.abc import Callable
from collections.abc import Iterable
from typing import Any

from engram.model.changes.change import Change
from engram.model.changes.change import FactRecorded
from engram.model.changes.change import FactRestored
from engram.model.changes.change import FactRetracted
from engram.model.changes.change import FactSuperseded
from engram.model.changes.change import ObservationResolved
from engram.model.changes.record import Record
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.fact import Trust
from engram.model.observation import ObservationStatus
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.services.facts.listing import Moment
from engram.services.facts.listing import fact_views
from engram.services.facts.listing import get_entity_path
from engram.services.facts.timeline import Window
from engram.services.visibility import visible_scopes

_PROMOTED = "promoted"
_KINDS: dict[str, Callable[[Fact, Window], bool]] = {
    "created": lambda fact, window: window.holds(fact.recorded_at) and fact.status != Status.CANDIDATE,
    "superseded": lambda fact, window: fact.status == Status.SUPERSEDED and window.holds(fact.known_to),
    "retracted": lambda fact, window: fact.status == Status.RETRACTED and window.holds(fact.known_to),
    _PROMOTED: lambda fact, window: any(window.holds(at) for at in _believed_from(fact)),
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
                elif (promoted := _promoted_by(change)) is not None:
                    ids[_PROMOTED].add(promoted)
    made = _made_in_review(database, Window())

    def belongs(kind: str, fact: Fact) -> bool:
        is_told = fact.id in ids[kind]
        return is_told and (kind != _PROMOTED or fact.id in made or bool(_believed_from(fact)))

    return _views_by_kind(database, moment, entity, belongs)


def differences(
    database: FactDatabase, window: Window, moment: Moment, entity: str = ""
) -> dict[str, list[dict[str, Any]]]:
    """Return the facts that were created, superseded, retracted and promoted in the window, by entity and number.

    Promoted is a candidate that was believed, and what a review made of an observation. A fact that came and went in
    the window is told twice. What is quarantined is not believed and not told. Raises UnknownEntityError,
    AmbiguousNameError.
    """
    made = {_PROMOTED: _made_in_review(database, window)}

    def belongs(kind: str, fact: Fact) -> bool:
        return _KINDS[kind](fact, window) or fact.id in made.get(kind, ())

    return _views_by_kind(database, moment, entity, belongs)


def _believed_from(fact: Fact) -> list[dt.datetime]:
    """Return the instants from which a fact was believed that had waited as a candidate until then."""
    then = [*(one.status for one in fact.beliefs[1:]), fact.status]
    return [
        was.until
        for was, status in zip(fact.beliefs, then, strict=False)
        if was.status == Status.CANDIDATE and status == Status.ACTIVE
    ]


def _made_in_review(database: FactDatabase, window: Window) -> set[str]:
    """Return the ids of the facts that a review made of what was noticed."""
    promoted = database.list_observations(ObservationStatus.PROMOTED)
    return {one.promoted_to for one in promoted if one.promoted_to and window.holds(one.resolved_at)}


def _promoted_by(change: Change) -> str | None:
    """Return the id of a fact that a change may promote, None for one that promotes nothing."""
    if isinstance(change, FactRestored) and change.fact.status == Status.ACTIVE:
        return change.fact.id
    return change.promoted_to if isinstance(change, ObservationResolved) else None


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
