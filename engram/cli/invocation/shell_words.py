"""What the tab key offers for a name or an id. Light until it is pressed: options and arguments name these functions.

The person at the keyboard is the owner, so what is offered is what the owner sees; behind --session or --agent, what
that caller sees. A store that cannot be read offers nothing: a shell has no place for an error.
"""

from collections.abc import Callable
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from engram.errors import EngramError

if TYPE_CHECKING:
    from engram.cli.invocation.asked import Invocation
    from engram.ports.database import FactDatabase
    from engram.services.visibility import Caller
    from engram.workspace import Workspace

Completer = Callable[[click.Context, click.Parameter, str], list[str]]

_MOST = 100  # offers; nobody reads more


def complete_entity(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the paths of entities that begin so, or whose name does."""

    def paths(database: "FactDatabase", caller: "Caller | None") -> Iterable[str]:
        from engram.services.visibility import visible_entities  # noqa: PLC0415 - see the module's first line

        known = database.list_entities() if caller is None else visible_entities(database, caller)
        return (one.path for one in known)

    return _offer_short(ctx, incomplete, paths)


def complete_fact(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the ids of active facts that begin so, or whose short form does."""

    def ids(database: "FactDatabase", caller: "Caller | None") -> Iterable[str]:
        from engram.ports.database import FactFilter  # noqa: PLC0415 - see the module's first line
        from engram.services.visibility import visible_scopes  # noqa: PLC0415 - as above

        wanted = FactFilter() if caller is None else FactFilter(scopes=visible_scopes(caller))
        return (fact.id for fact in database.list_facts(wanted))

    return _offer_short(ctx, incomplete, ids)


def complete_session(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of sessions that begin so."""
    return _offer(ctx, incomplete, _stored(lambda database: (one.name for one in database.list_sessions())))


def complete_tension(status: str) -> Completer:
    """Return what offers the ids of tensions of that status: open, resolved or all."""
    listed = _stored(lambda database: (one.id for one in database.list_tensions(status)))
    return lambda ctx, _param, incomplete: _offer(ctx, incomplete, listed)


def complete_waiting(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the ids of what waits for a review."""

    def ids(workspace: "Workspace") -> list[str]:
        from engram.operations.domains.domain_proposals import waiting_proposals  # noqa: PLC0415 - see the module's first line
        from engram.services.review.visible_queue import visible_queue  # noqa: PLC0415 - as above

        with workspace.reading(applies=False) as database:
            queue = visible_queue(database, workspace.settings, None, workspace.now())
        return [*(one.thing.id for one in queue), *(one.id for one in waiting_proposals(workspace))]

    return _offer(ctx, incomplete, ids)


def complete_settled(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the ids of what a review settled and nobody took back."""

    def subjects(database: "FactDatabase") -> Iterable[str]:
        return (one.subject for one in database.list_settlements() if one.undone_at is None)

    return _offer(ctx, incomplete, _stored(subjects))


def complete_domain(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of domains that begin so."""

    def names(workspace: "Workspace") -> Iterable[str]:
        from engram.services.domains.registry import load_registry  # noqa: PLC0415 - see the module's first line

        return load_registry(workspace.paths).domains

    return _offer(ctx, incomplete, names)


def complete_run(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the ids of the heartbeat's runs, the newest first."""

    def ids(workspace: "Workspace") -> Iterable[str]:
        from engram.heartbeat.child.run_records import RunRecords  # noqa: PLC0415 - see the module's first line

        return reversed(RunRecords(workspace.paths.runs).ids())

    return _offer(ctx, incomplete, ids)


def complete_setting(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of settings that begin so."""

    def names(workspace: "Workspace") -> Iterable[str]:
        from engram.config.settings_file import setting_names  # noqa: PLC0415 - see the module's first line

        return setting_names(workspace.paths)

    return _offer(ctx, incomplete, names)


def _stored(names: "Callable[[FactDatabase], Iterable[str]]") -> "Callable[[Workspace], list[str]]":
    """Return what lists names out of a workspace's database."""

    def listed(workspace: "Workspace") -> list[str]:
        with workspace.reading(applies=False) as database:
            return list(names(database))

    return listed


def _offer(ctx: click.Context, incomplete: str, names: "Callable[[Workspace], Iterable[str]]") -> list[str]:
    begun = incomplete.casefold()
    return [name for name in dict.fromkeys(_listed(ctx, names)) if name.startswith(begun)][:_MOST]


def _offer_short(
    ctx: click.Context, incomplete: str, names: "Callable[[FactDatabase, Caller | None], Iterable[str]]"
) -> list[str]:
    """Offer names such as people/anna, of which the part behind the slash is enough."""

    def seen(workspace: "Workspace") -> list[str]:
        with workspace.reading(applies=False) as database:
            return list(names(database, _caller(ctx, workspace, database)))

    begun, listed = incomplete.casefold(), _listed(ctx, seen)
    whole = [name for name in listed if name.startswith(begun)]
    short = [name.partition("/")[2] for name in listed if name.partition("/")[2].startswith(begun)]
    return (whole if whole and (not short or "/" in begun or not begun) else short)[:_MOST]


def _caller(ctx: click.Context, workspace: "Workspace", database: "FactDatabase") -> "Caller | None":
    """Return for whom the line asks so far; None: for the person at the keyboard. Raises UnknownSessionError."""
    from engram.services.visibility import identify  # noqa: PLC0415 - see the module's first line

    session, agent = ctx.params.get("session"), ctx.params.get("agent")
    return identify(database, workspace.settings.agent, session, agent) if session or agent else None


def _listed(ctx: click.Context, names: "Callable[[Workspace], Iterable[str]]") -> list[str]:
    try:
        return list(names(_invocation(ctx).workspace()))
    except EngramError:
        return []


def _invocation(ctx: click.Context) -> "Invocation":
    from engram.cli.invocation.asked import Invocation  # noqa: PLC0415 - for completion alone

    return ctx.ensure_object(Invocation)
