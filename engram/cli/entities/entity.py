"""`engram entity`: people, projects and archives."""

from collections.abc import Callable
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from typing import TypeVar

import click

from engram.base.counts import counted
from engram.cli.entities.graph import at_a_moment
from engram.cli.entities.graph import graph_query
from engram.cli.facts.change import run_change
from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import EngramSet
from engram.cli.invocation.options import SeveralOption
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.cli.invocation.options import table
from engram.cli.invocation.shell_words import complete_entity
from engram.cli.invocation.silo import asked_by
from engram.cli.invocation.silo import find_asker
from engram.errors import BadValueError
from engram.operations.picture_file import STDOUT
from engram.operations.picture_file import save_picture
from engram.services.facts.listing import entity_view
from engram.services.facts.listing import list_entity_views
from engram.services.pictures.bitmap import png_of
from engram.services.pictures.entity_card import card_json
from engram.services.pictures.entity_card import draw_card
from engram.services.pictures.entity_card import read_card
from engram.services.visibility import require_own_view

Body = TypeVar("Body", bound=Callable[..., Any])

_DRY_RUN = click.option("--dry-run", is_flag=True, help="Print the plan and change nothing.")
_TITLE = click.option("--title", metavar="T", help="Name as people write it.")


def by_whom(body: Body) -> Body:
    """Give a command the options that say who asks."""
    body = click.option("--actor", type=click.Choice(["user", "agent"]), default="user", help="Who asks.")(body)
    return asked_by(body)


@click.group(cls=EngramSet)
def entity() -> None:
    """People, projects and archives: the nodes of the graph.

    \b
    Example:
      engram entity list
    """


@entity.command(cls=EngramCommand)
@click.argument("path")
@_TITLE
@click.option("--alias", "aliases", multiple=True, metavar="A", help="Another name; may be given more than once.")
@_DRY_RUN
def add(*, path: str, title: str | None, aliases: tuple[str, ...], dry_run: bool) -> int:
    """Make an entity.

    \b
    Example:
      engram entity add people/boris --title "Boris" --alias "Borya"
    """
    return run_change("entity-add", {"path": path, "title": title, "aliases": list(aliases)}, dry_run=dry_run)


@entity.command("alias", cls=EngramCommand)
@click.argument("path", shell_complete=complete_entity)
@click.argument("name")
@_DRY_RUN
def add_alias(*, path: str, name: str, dry_run: bool) -> int:
    """Give an entity another name.

    \b
    Example:
      engram entity alias people/anna "Аня"
    """
    return run_change("entity-alias", {"path": path, "alias": name}, dry_run=dry_run)


@entity.command("list", cls=EngramCommand)
@click.option("-n", "limit", type=click.IntRange(min=1), metavar="N", help="Only the N with the most facts.")
@asked_by
def list_all(limit: int | None, session: str | None, agent: str | None) -> None:
    """List every entity with its facts counted.

    \b
    Example:
      engram entity list
    """
    asked = invocation()
    caller = find_asker(asked, session, agent)
    workspace = asked.workspace()
    with workspace.reading() as database:
        views = list_entity_views(database, workspace.now(), caller)
    if limit:
        views = sorted(views, key=lambda view: (-view["facts"], view["path"]))[:limit]
    rows = [(view["path"], view["title"], counted(view["facts"], "fact"), ", ".join(view["aliases"])) for view in views]
    asked.emit_table(
        {"entities": views},
        lambda: table(rows) or "no entities yet",
        [("entity", False), ("title", True), ("facts", False), ("also called", True)],
        [(view["path"], view["title"], str(view["facts"]), ", ".join(view["aliases"])) for view in views],
    )


@entity.command(cls=EngramCommand)
@click.argument("path", shell_complete=complete_entity)
@asked_by
def show(path: str, session: str | None, agent: str | None) -> None:
    """Show one entity: names, facts, and what it is related to.

    \b
    Example:
      engram entity show people/anna
    """
    asked = invocation()
    caller = find_asker(asked, session, agent)
    workspace = asked.workspace()
    with workspace.reading() as database:
        view = entity_view(database, path, workspace.now(), caller)
    lines = [f"{view['path']}  {view['title']}", *(f"  also: {alias}" for alias in view["aliases"])]
    lines += [f"  {fact['id']}  {fact['text']}" for fact in view["active_facts"]]
    lines += [f"  related: {other}" for other in view["related"]]
    asked.emit(view, "\n".join(lines))


@entity.command("card", cls=EngramCommand)
@click.argument("path", shell_complete=complete_entity)
@click.option("--svg", metavar="FILE", help="Where to draw it; - for standard output.")
@click.option("--png", metavar="FILE", help="The same as a PNG; needs the extra `pictures`.")
@at_a_moment
@asked_by
def draw_one(path: str, *, svg: str | None, png: str | None, **options: str | None) -> None:
    """Draw an entity on a card: its facts by tier, whom it is joined to, and when something changed last.

    \b
    Example:
      engram entity card people/anna --svg anna.svg
    """
    asked = invocation()
    check_words(svg=svg, png=png)
    file = svg or png
    if file is None or (svg and png):
        raise BadValueError("a card is drawn into one file", hint="--svg anna.svg, or --png anna.png")
    form, other = ("png", "svg") if png else ("svg", "png")
    if Path(file).suffix.casefold() == f".{other}":
        raise BadValueError(f"--{form} {file!r} would be a {form.upper()}", hint=f"--{other} {file}")
    query = graph_query(asked, **options)
    with asked.workspace().reading() as database:
        card = read_card(database, path, query.moment, as_of=query.as_of, as_known=query.as_known)
    drawn = draw_card(card)
    save_picture(file, png_of(drawn) if png else drawn)
    if file != STDOUT:
        asked.emit({**card_json(card), "path": file}, f"drew {card.entity.path} in {file}")


@entity.command(cls=EngramCommand)
@click.argument("path", shell_complete=complete_entity)
@click.argument("new")
@_TITLE
@_DRY_RUN
@by_whom
def rename(*, path: str, new: str, title: str | None, dry_run: bool, **asker: str | None) -> int:
    """Give an entity another path or another name; the old ones go on finding it.

    \b
    Example:
      engram entity rename people/anna "Anna Petrova"
    """
    args = {"path": path, "new": new, "title": title}
    return _rearrange("entity-rename", args, (path,), asker, dry_run=dry_run)


@entity.command(cls=EngramCommand)
@click.argument("source", metavar="FROM", shell_complete=complete_entity)
@click.argument("into", shell_complete=complete_entity)
@_DRY_RUN
@by_whom
def merge(*, source: str, into: str, dry_run: bool, **asker: str | None) -> int:
    """Make two entities one: INTO stays, and has the names and facts of both.

    \b
    Example:
      engram entity merge people/boris people/anna --dry-run
    """
    args = {"source": source, "into": into}
    return _rearrange("entity-merge", args, (source, into), asker, dry_run=dry_run)


@entity.command(cls=EngramCommand)
@click.argument("path", shell_complete=complete_entity)
@click.argument("to", required=False)
@click.option(
    "--facts", cls=SeveralOption, metavar="ID,...", help="Facts that go to the new entity TO, with all their versions."
)
@_TITLE
@_DRY_RUN
@by_whom
def split(*, path: str, to: str | None, facts: str | None, dry_run: bool, **options: str | None) -> int:
    """Undo the latest merge into an entity; with --facts and TO: these facts become an entity of their own.

    \b
    Example:
      engram entity split people/anna people/anna-schmidt --facts anna-001
    """
    ids = [one.strip() for one in facts.split(",") if one.strip()] if facts is not None else []
    if facts is not None and not ids:
        raise BadValueError("--facts names no fact", hint="such as --facts anna-001,anna-004")
    args = {"path": path, "to": to, "facts": ids or None, "title": options.pop("title")}
    return _rearrange("entity-split", args, (path,), options, dry_run=dry_run)


@entity.command(cls=EngramCommand)
@click.argument("path", shell_complete=complete_entity)
@_DRY_RUN
@by_whom
def archive(*, path: str, dry_run: bool, **asker: str | None) -> int:
    """Put an entity away in archives/: recall still finds it, marked; the start block leaves it out.

    \b
    Example:
      engram entity archive projects/billing
    """
    return _rearrange("entity-archive", {"path": path}, (path,), asker, dry_run=dry_run)


@entity.command(cls=EngramCommand)
@click.argument("path", shell_complete=complete_entity)
@_DRY_RUN
@by_whom
def restore(*, path: str, dry_run: bool, **asker: str | None) -> int:
    """Bring an archived entity back to where it stood.

    \b
    Example:
      engram entity restore projects/billing
    """
    return _rearrange("entity-restore", {"path": path}, (path,), asker, dry_run=dry_run)


@click.command(cls=EngramCommand)
@click.argument("command_id", required=False)
@_DRY_RUN
@by_whom
def undo(*, command_id: str | None, dry_run: bool, **asker: str | None) -> int:
    """Take back what you wrote, corrected, retracted or did with `entity` last, or what the command of this id did.

    What was written is retracted and stays in the history; what it replaced, and what was retracted, holds again. What
    was observed is dismissed, and a tension that was added is closed.

    \b
    Example:
      engram undo
    """
    return _rearrange("undo", {"id": command_id}, (), asker, dry_run=dry_run)


def _rearrange(
    kind: str, args: dict[str, Any], names: tuple[str, ...], asker: Mapping[str, str | None], *, dry_run: bool
) -> int:
    """Submit a command about who is who, if whoever asks may; `names` are those of the entities that it is about."""
    asked = invocation()
    check_words(**{name: value for name, value in args.items() if isinstance(value, str)})
    caller = find_asker(asked, asker["session"], asker["agent"])
    if caller is not None:
        with asked.workspace().reading() as database:
            require_own_view(database, caller, names)
    return run_change(kind, args, dry_run=dry_run, actor=asker["actor"] or "user")
