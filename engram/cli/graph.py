"""`engram graph`: who and what is joined by facts."""

import click

from engram.base.counts import counted
from engram.cli.options import EngramCommand
from engram.cli.options import EngramSet
from engram.cli.options import check_words
from engram.cli.options import invocation
from engram.cli.options import table
from engram.cli.shell_words import complete_entity
from engram.cli.silo import asked_by
from engram.cli.silo import find_asker
from engram.services.facts.graph import Neighbour
from engram.services.facts.graph import neighbours
from engram.services.facts.graph import shortest_path

_MOST_HOPS = 6


@click.group(cls=EngramSet)
def graph() -> None:
    """The graph of entities: two are joined by each fact of the one that names the other.

    \b
    Example:
      engram graph neighbors people/anna
    """


@graph.command("neighbors", cls=EngramCommand)
@click.argument("entity", shell_complete=complete_entity)
@click.option("--hops", type=click.IntRange(1, _MOST_HOPS), default=1, show_default=True, help="How far to go.")
@asked_by
def list_neighbours(*, entity: str, hops: int, session: str | None, agent: str | None) -> None:
    """List the entities near one, with the facts that join them.

    \b
    Example:
      engram graph neighbors people/anna --hops 2
    """
    asked = invocation()
    check_words(entity=entity)
    caller = find_asker(asked, session, agent)
    workspace = asked.workspace()
    with workspace.reading() as database:
        path, found = neighbours(database, entity, hops, caller, workspace.now())
    rows = [
        (one.entity, "" if one.through == path else one.through, counted(one.hops, "hop"), ", ".join(one.facts))
        for one in found
    ]
    asked.emit_table(
        {"entity": path, "neighbors": [one._asdict() for one in found]},
        lambda: table(rows) or f"no fact joins {path} to another entity",
        [("entity", False), ("through", False), ("away", False), ("joined by", True)],
        rows,
    )


@graph.command("path", cls=EngramCommand)
@click.argument("first", metavar="A", shell_complete=complete_entity)
@click.argument("last", metavar="B", shell_complete=complete_entity)
@asked_by
def show_path(*, first: str, last: str, session: str | None, agent: str | None) -> None:
    """Show the shortest way from one entity to another, with the fact of each step.

    \b
    Example:
      engram graph path people/anna projects/billing
    """
    asked = invocation()
    check_words(a=first, b=last)
    caller = find_asker(asked, session, agent)
    workspace = asked.workspace()
    with workspace.reading() as database:
        start, end, steps = shortest_path(database, first, last, caller, workspace.now())
    words = _way(start, steps) if steps or start == end else f"no facts join {start} and {end}"
    asked.emit({"from": start, "to": end, "steps": [one._asdict() for one in steps]}, words)


def _way(start: str, steps: list[Neighbour]) -> str:
    return "\n".join([start, *(f"  - {one.facts[0]} ->  {one.entity}" for one in steps)])
