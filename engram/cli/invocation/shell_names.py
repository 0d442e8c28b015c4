"""The names and ids that a shell offers, listed out of a workspace. Heavy: loaded when the tab key is pressed."""

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from typing import Any
from typing import Final

from engram.config.settings_file import setting_names
from engram.heartbeat.child.run_records import RunRecords
from engram.operations.domains.domain_proposals import waiting_proposals
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.services.domains.registry import load_registry
from engram.services.review.visible_queue import visible_queue
from engram.services.visibility import Caller
from engram.services.visibility import identify
from engram.services.visibility import visible_entities
from engram.services.visibility import visible_scopes
from engram.workspace import Workspace

Listing = Callable[[Workspace, Mapping[str, Any]], Iterable[str]]  # the options of the line so far come second


def list_names(workspace: Workspace, kind: str, said: Mapping[str, Any]) -> list[str]:
    """Return the names of a kind; `said` holds the options of the line so far. Raises EngramError."""
    return list(_LISTINGS[kind](workspace, said))


def _stored(names: Callable[[FactDatabase, Caller | None], Iterable[str]]) -> Listing:
    """Return what lists names out of a workspace's database, as whoever the line asks for sees them."""

    def listed(workspace: Workspace, said: Mapping[str, Any]) -> list[str]:
        with workspace.reading(applies=False) as database:
            session, agent = said.get("session"), said.get("agent")
            asks = identify(database, workspace.settings.agent, session, agent) if session or agent else None
            return list(names(database, asks))

    return listed


def _entities(database: FactDatabase, caller: Caller | None) -> Iterable[str]:
    known = database.list_entities() if caller is None else visible_entities(database, caller)
    return (one.path for one in known)


def _facts(database: FactDatabase, caller: Caller | None) -> Iterable[str]:
    wanted = FactFilter() if caller is None else FactFilter(scopes=visible_scopes(caller))
    return (fact.id for fact in database.list_facts(wanted))


def _sessions(database: FactDatabase, _caller: Caller | None) -> Iterable[str]:
    return (one.name for one in database.list_sessions())


def _tensions(status: str) -> Callable[[FactDatabase, Caller | None], Iterable[str]]:
    return lambda database, _caller: (one.id for one in database.list_tensions(status))


def _settled(database: FactDatabase, _caller: Caller | None) -> Iterable[str]:
    return (one.subject for one in database.list_settlements() if one.undone_at is None)


def _waiting(workspace: Workspace, _said: Mapping[str, Any]) -> list[str]:
    with workspace.reading(applies=False) as database:
        queue = visible_queue(database, workspace.settings, None, workspace.now())
    return [*(one.thing.id for one in queue), *(one.id for one in waiting_proposals(workspace))]


_LISTINGS: Final[Mapping[str, Listing]] = {
    "entities": _stored(_entities),
    "facts": _stored(_facts),
    "sessions": _stored(_sessions),
    **{f"{status} tensions": _stored(_tensions(status)) for status in ("open", "resolved", "all")},
    "settled": _stored(_settled),
    "waiting": _waiting,
    "domains": lambda workspace, _said: load_registry(workspace.files).domains,
    "runs": lambda workspace, _said: reversed(RunRecords(workspace.paths.runs).ids()),
    "settings": lambda workspace, _said: setting_names(workspace.paths),
}
