"""What the tab key offers for an entity or an id. Light until it is pressed: options name these functions.

The person at the keyboard is the owner, so what is offered is what the owner sees. A store that cannot be read offers
nothing: a shell has no place for an error.
"""

from collections.abc import Callable
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from engram.errors import EngramError

if TYPE_CHECKING:
    from engram.cli.options import Invocation
    from engram.ports.database import FactDatabase

_MOST = 100  # offers; nobody reads more


def complete_entity(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the paths of entities that begin so, or whose name does."""
    return _offer(ctx, incomplete, lambda database: (one.path for one in database.list_entities()))


def complete_fact(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the ids of active facts that begin so, or whose short form does."""

    def ids(database: "FactDatabase") -> Iterable[str]:
        from engram.ports.database import FactFilter  # noqa: PLC0415 - see the module's first line

        return (fact.id for fact in database.list_facts(FactFilter()))

    return _offer(ctx, incomplete, ids)


def _offer(ctx: click.Context, incomplete: str, names: "Callable[[FactDatabase], Iterable[str]]") -> list[str]:
    begun = incomplete.casefold()
    try:
        with _invocation(ctx).workspace().reading(applies=False) as database:
            listed = list(names(database))
    except EngramError:
        return []
    whole = [name for name in listed if name.startswith(begun)]
    short = [name.partition("/")[2] for name in listed if name.partition("/")[2].startswith(begun)]
    return (whole if whole and (not short or "/" in begun or not begun) else short)[:_MOST]


def _invocation(ctx: click.Context) -> "Invocation":
    from engram.cli.options import Invocation  # noqa: PLC0415 - it names this module's functions

    return ctx.ensure_object(Invocation)
