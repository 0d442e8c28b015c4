"""What the tab key offers for a name or an id. Light until it is pressed: options and arguments name these functions.

The person at the keyboard is the owner, so what is offered is what the owner sees; behind --session or --agent, what
that caller sees. A store that cannot be read offers nothing: a shell has no place for an error.
"""

from collections.abc import Callable
from typing import Any

import click

from engram.cli.invocation.asked import Invocation
from engram.errors import EngramError

Completer = Callable[[click.Context, click.Parameter, str], list[str]]

_MOST = 100  # offers; nobody reads more


def complete_entity(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the paths of entities that begin so, or whose name does."""
    return _offer_short(ctx, incomplete, "entities")


def complete_fact(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the ids of active facts that begin so, or whose short form does."""
    return _offer_short(ctx, incomplete, "facts")


def complete_session(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of sessions that begin so."""
    return _offer(ctx, incomplete, "sessions")


def complete_tension(status: str) -> Completer:
    """Return what offers the ids of tensions of that status: open, resolved or all."""
    return lambda ctx, _param, incomplete: _offer(ctx, incomplete, f"{status} tensions")


def complete_waiting(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the ids of what waits for a review."""
    return _offer(ctx, incomplete, "waiting")


def complete_settled(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the ids of what a review settled and nobody took back."""
    return _offer(ctx, incomplete, "settled")


def complete_domain(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of domains that begin so."""
    return _offer(ctx, incomplete, "domains")


def complete_run(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the ids of the heartbeat's runs, the newest first."""
    return _offer(ctx, incomplete, "runs")


def complete_setting(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of settings that begin so."""
    return _offer(ctx, incomplete, "settings")


def _offer(ctx: click.Context, incomplete: str, kind: str) -> list[str]:
    begun = incomplete.casefold()
    return [name for name in dict.fromkeys(_listed(ctx, kind, {})) if name.startswith(begun)][:_MOST]


def _offer_short(ctx: click.Context, incomplete: str, kind: str) -> list[str]:
    """Offer names such as people/anna, of which the part behind the slash is enough."""
    begun, listed = incomplete.casefold(), _listed(ctx, kind, ctx.params)
    whole = [name for name in listed if name.startswith(begun)]
    short = [name.partition("/")[2] for name in listed if name.partition("/")[2].startswith(begun)]
    return (whole if whole and (not short or "/" in begun or not begun) else short)[:_MOST]


def _listed(ctx: click.Context, kind: str, said: dict[str, Any]) -> list[str]:
    from engram.cli.invocation.shell_names import list_names  # noqa: PLC0415 - heavy, and only the tab key needs it

    try:
        return list_names(ctx.ensure_object(Invocation).workspace(), kind, said)
    except EngramError:
        return []
