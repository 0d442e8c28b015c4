"""`engram graph`: who and what is joined by facts."""

from collections.abc import Callable
from typing import Any
from typing import TypeVar

import click

from engram.base.clock import local_day
from engram.base.counts import counted
from engram.cli.invocation.asked import Invocation
from engram.cli.invocation.moments import read_time
from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import EngramSet
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.cli.invocation.options import table
from engram.cli.invocation.shell_words import complete_entity
from engram.cli.invocation.silo import asked_by
from engram.cli.invocation.silo import find_asker
from engram.cli.terminal.screen_lines import NOT_CONFIRMED
from engram.errors import UsageError
from engram.model.fact import Trust
from engram.operations.picture_file import STDOUT
from engram.operations.picture_file import suffix_of
from engram.services.facts.listing import Moment
from engram.services.graph.communities import Community
from engram.services.graph.communities import find_communities
from engram.services.graph.entity_graph import GraphQuery
from engram.services.graph.entity_graph import entity_graph
from engram.services.graph.neighbours import Neighbour
from engram.services.graph.neighbours import neighbours
from engram.services.graph.neighbours import shortest_path
from engram.services.graph.ontology_file import read_ontology
from engram.services.graph.typed_relations import StatedRelation
from engram.services.graph.typed_relations import list_relations

_MOST_HOPS = 6
_SHOWN = 8  # members of a community that are listed in words

Body = TypeVar("Body", bound=Callable[..., Any])


def at_a_moment(body: Body) -> Body:
    """Give a command the options by which it looks at the graph of a past."""
    body = click.option("--as-known", metavar="T", help="As it was believed then.")(body)
    return click.option("--as-of", metavar="T", help="As it was in the world then: 2026-02-24, monday, 7d.")(body)


def graph_query(
    asked: Invocation, as_of: str | None, as_known: str | None, session: str | None, agent: str | None
) -> GraphQuery:
    """Return which graph the options ask for; raises BadValueError, UnknownSessionError."""
    check_words(as_of=as_of, as_known=as_known)
    workspace = asked.workspace()
    caller = find_asker(asked, session, agent)
    moment = Moment(workspace.now(), workspace.settings.decay, workspace.settings.zone, caller)
    times = {"as_of": read_time(workspace, "--as-of", as_of), "as_known": read_time(workspace, "--as-known", as_known)}
    return GraphQuery(moment, **times, ontology=read_ontology(workspace.files))


_FORMATS = ("graphml", "json", "dot", "html", "svg", "png")


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
@at_a_moment
@asked_by
def list_neighbours(*, entity: str, hops: int, **options: str | None) -> None:
    """List the entities near one, with the facts that join them.

    \b
    Example:
      engram graph neighbors people/anna --hops 2
    """
    asked = invocation()
    check_words(entity=entity)
    query = graph_query(asked, **options)
    with asked.workspace().reading() as database:
        path, found = neighbours(database, entity, hops, query)
    rows = [
        (
            one.entity,
            "" if one.through == path else one.through,
            counted(one.hops, "hop"),
            ", ".join(one.relations),
            ", ".join(one.facts),
        )
        for one in found
    ]
    asked.emit_table(
        {"entity": path, "neighbors": [one._asdict() for one in found]},
        lambda: table(rows) or f"no fact joins {path} to another entity",
        [("entity", False), ("through", False), ("away", False), ("relations", False), ("joined by", True)],
        rows,
    )


@graph.command("relations", cls=EngramCommand)
@click.argument("entity", required=False, shell_complete=complete_entity)
@click.option("--type", "kind", metavar="TYPE", help="Only of this type, such as works_at.")
@at_a_moment
@asked_by
def show_relations(*, entity: str | None, kind: str | None, **options: str | None) -> None:
    """List who stands in which relation to whom: works_at, reports_to, owns, part_of, depends_on and others.

    Facts state them by their attributes: the employer of Anna is Acme. The other end may be known by its name alone.
    references/ontology.toml in the workspace adds types or leaves some out.

    \b
    Example:
      engram graph relations people/anna
    """
    asked = invocation()
    check_words(entity=entity, type=kind)
    query = graph_query(asked, **options)
    with asked.workspace().reading() as database:
        found = list_relations(database, query, name=entity or "", kind=kind or "")
    rows = [(one.source, one.type.shown, one.target, _since(one, query), _stated_by(one)) for one in found]
    about = f" of {entity}" if entity else ""
    asked.emit_table(
        {"relations": [one.as_json() for one in found]},
        lambda: table(rows) or f"no fact states a relation{about}",
        [("from", False), ("relation", False), ("to", False), ("since", False), ("stated by", True)],
        rows,
    )


@graph.command("path", cls=EngramCommand)
@click.argument("first", metavar="A", shell_complete=complete_entity)
@click.argument("last", metavar="B", shell_complete=complete_entity)
@at_a_moment
@asked_by
def show_path(*, first: str, last: str, **options: str | None) -> None:
    """Show the shortest way from one entity to another, with the fact of each step.

    \b
    Example:
      engram graph path people/anna projects/billing
    """
    asked = invocation()
    check_words(a=first, b=last)
    query = graph_query(asked, **options)
    with asked.workspace().reading() as database:
        start, end, steps = shortest_path(database, first, last, query)
    words = _way(start, steps) if steps or start == end else f"no facts join {start} and {end}"
    asked.emit({"from": start, "to": end, "steps": [one._asdict() for one in steps]}, words)


@graph.command("communities", cls=EngramCommand)
@at_a_moment
@asked_by
def list_communities(**options: str | None) -> None:
    """List the groups of entities that facts join more with each other than with the rest, the largest first.

    \b
    Example:
      engram graph communities
    """
    asked = invocation()
    query = graph_query(asked, **options)
    with asked.workspace().reading() as database:
        found = find_communities(entity_graph(database, query))
    rows = [
        (str(number), counted(len(one.entities), "entity", "entities"), _members(one))
        for number, one in enumerate(found, 1)
    ]
    asked.emit_table(
        {"communities": [one._asdict() for one in found]},
        lambda: table(rows) or "no facts join any two entities",
        [("", False), ("size", False), ("entities, the most joined first", True)],
        rows,
    )


@graph.command("export", cls=EngramCommand)
@click.argument("file", required=False)
@click.option("--format", "form", type=click.Choice(_FORMATS), help="Else what the name of FILE ends in.")
@at_a_moment
@asked_by
def export_graph(*, file: str | None, form: str | None, **options: str | None) -> None:
    """Write the graph to FILE, or to standard output for -: for other programs, or as a picture to show.

    With --format and without FILE it goes to standard output, too.

    GraphML, JSON and DOT hold every entity, and how one stands to another where facts state it. A picture shows those
    that the most facts join, and says how many it leaves out; html is one file with the picture, a search in it and a
    table. FILE may only be new, or an earlier export.

    \b
    Example:
      engram graph export memory.svg
    """
    from engram.cli.entities.graph_export import export  # noqa: PLC0415 - networkx: 90 ms, and only for who draws

    asked = invocation()
    if file is None and form is None:
        raise UsageError("where does the graph go?", hint="engram graph export memory.svg, or --format json")
    file = file or STDOUT
    check_words(file=file)
    report = export(asked.workspace(), graph_query(asked, **options), file, form or suffix_of(file, _FORMATS))
    if file != STDOUT:
        asked.emit(report, f"wrote {counted(report['entities'], 'entity', 'entities')} to {file}")


def _since(one: StatedRelation, query: GraphQuery) -> str:
    return local_day(one.facts[0].valid_from, query.moment.zone).isoformat()


def _stated_by(one: StatedRelation) -> str:
    doubt = () if one.trust == Trust.TRUSTED else (NOT_CONFIRMED,)
    return ", ".join([*(fact.id for fact in one.facts), *doubt])


def _members(one: Community) -> str:
    more = len(one.entities) - _SHOWN
    return ", ".join(one.entities[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _way(start: str, steps: list[Neighbour]) -> str:
    return "\n".join([start, *(f"  - {one.facts[0]} ->  {one.entity}" for one in steps)])
