"""`engram entity`: people, projects and archives."""

import click

from engram.cli.change import run_change
from engram.cli.options import EngramCommand
from engram.cli.options import EngramSet
from engram.cli.options import invocation
from engram.cli.options import table
from engram.cli.silo import asked_by
from engram.cli.silo import find_asker
from engram.services.listing import entity_view
from engram.services.listing import list_entity_views


@click.group(cls=EngramSet)
def entity() -> None:
    """People, projects and archives: the nodes of the graph.

    \b
    Example:
      engram entity list
    """


@entity.command(cls=EngramCommand)
@click.argument("path")
@click.option("--title", metavar="T", help="Name as people write it.")
@click.option("--alias", "aliases", multiple=True, metavar="A", help="Another name; may be given more than once.")
@click.option("--dry-run", is_flag=True, help="Print the plan and change nothing.")
def add(*, path: str, title: str | None, aliases: tuple[str, ...], dry_run: bool) -> int:
    """Make an entity.

    \b
    Example:
      engram entity add people/boris --title "Boris" --alias "Borya"
    """
    return run_change("entity-add", {"path": path, "title": title, "aliases": list(aliases)}, dry_run=dry_run)


@entity.command("alias", cls=EngramCommand)
@click.argument("path")
@click.argument("name")
@click.option("--dry-run", is_flag=True, help="Print the plan and change nothing.")
def add_alias(*, path: str, name: str, dry_run: bool) -> int:
    """Give an entity another name.

    \b
    Example:
      engram entity alias people/anna "Аня"
    """
    return run_change("entity-alias", {"path": path, "alias": name}, dry_run=dry_run)


@entity.command("list", cls=EngramCommand)
@asked_by
def list_all(session: str | None, agent: str | None) -> None:
    """List every entity with its facts counted.

    \b
    Example:
      engram entity list
    """
    asked = invocation()
    caller = find_asker(asked, session, agent)
    with asked.workspace().reading() as database:
        views = list_entity_views(database, caller)
    rows = [(view["path"], view["title"], f"{view['facts']} facts", ", ".join(view["aliases"])) for view in views]
    asked.emit({"entities": views}, lambda: table(rows) or "no entities yet")


@entity.command(cls=EngramCommand)
@click.argument("path")
@asked_by
def show(path: str, session: str | None, agent: str | None) -> None:
    """Show one entity: names, facts, and what it is related to.

    \b
    Example:
      engram entity show people/anna
    """
    asked = invocation()
    caller = find_asker(asked, session, agent)
    with asked.workspace().reading() as database:
        view = entity_view(database, path, caller)
    lines = [f"{view['path']}  {view['title']}", *(f"  also: {alias}" for alias in view["aliases"])]
    lines += [f"  {fact['id']}  {fact['text']}" for fact in view["active_facts"]]
    lines += [f"  related: {other}" for other in view["related"]]
    asked.emit(view, "\n".join(lines))
