"""`engram tension`: facts that exclude each other and wait for somebody to settle them."""

from typing import Any

import click

from engram.cli.facts.change import run_change
from engram.cli.invocation.local_time import workspace_zone
from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import EngramSet
from engram.cli.invocation.options import invocation
from engram.cli.invocation.shell_words import complete_fact
from engram.cli.invocation.shell_words import complete_tension
from engram.cli.review.review_text import shown
from engram.cli.review.review_text import tension_text
from engram.errors import UnknownTensionError
from engram.model.vocabulary import CAN_BE_UNDONE
from engram.services.facts.listing import get_entity_path
from engram.services.review.queue import describe_tension

_OUTCOMES = ["supersede", "both-true", "merge", "wrong-source", "dissolve"]
_DRY_RUN = click.option("--dry-run", is_flag=True, help="Print the plan and change nothing.")


@click.group(cls=EngramSet)
def tension() -> None:
    """Facts that exclude each other and wait for somebody to settle them.

    \b
    Example:
      engram tension list
    """


@tension.command("list", cls=EngramCommand)
@click.option("--status", type=click.Choice(["open", "resolved", "all"]), default="open", show_default=True)
def list_tensions(status: str) -> None:
    """List tensions with both sentences, their dates and sources.

    \b
    Example:
      engram tension list
    """
    show_tensions(_described(status), f"no {status} tensions")


@tension.command(cls=EngramCommand)
@click.argument("tension_id", metavar="ID", shell_complete=complete_tension("all"))
def show(tension_id: str) -> None:
    """Show one tension with both sentences, their dates and sources, and what became of it.

    \b
    Example:
      engram tension show tension-0001
    """
    found = [row for row in _described("all") if row["id"] == tension_id.casefold()]
    if not found:
        raise UnknownTensionError(f"no tension has the id {tension_id!r}", id=tension_id)
    invocation().emit(found[0], lambda: shown(tension_text(found[0], workspace_zone())))


@tension.command(cls=EngramCommand)
@click.argument("text")
@click.option("--fact1", required=True, metavar="ID", help="One side.", shell_complete=complete_fact)
@click.option("--fact2", required=True, metavar="ID", help="The other side.", shell_complete=complete_fact)
@_DRY_RUN
def add(*, text: str, fact1: str, fact2: str, dry_run: bool) -> int:
    """Say that two facts exclude each other.

    \b
    Example:
      engram write --entity projects/garden --create --fact "Garden is watered by Anna"
      engram write --entity projects/garden --fact "Garden needs nobody"
      engram tension add "who waters it?" --fact1 projects/garden-001 --fact2 projects/garden-002
    """
    said = {"text": text, "fact1": fact1, "fact2": fact2, CAN_BE_UNDONE: True}
    return run_change("tension-add", said, dry_run=dry_run)


@tension.command(cls=EngramCommand)
@click.argument("tension_id", metavar="ID", shell_complete=complete_tension("open"))
@click.option("--outcome", required=True, type=click.Choice(_OUTCOMES), help="What is so.")
@click.option(
    "--keep",
    metavar="ID",
    help="The fact that stays (default the newer; wrong-source needs it).",
    shell_complete=complete_fact,
)
@click.option("--text", metavar="T", help="With merge: the sentence that says both.")
@click.option("--note", metavar="T", help="Why; with merge, in the place of --text.")
@_DRY_RUN
def resolve(*, tension_id: str, dry_run: bool, **options: Any) -> int:
    """Settle a tension, in one change that `engram tension reopen` takes back.

    supersede: the kept fact takes the place of the other. both-true: both hold, and the two are never held against
    each other again. merge: one new sentence takes the place of both. wrong-source: the other never held. dissolve:
    there was no conflict.

    \b
    Example:
      engram tension resolve tension-0001 --outcome both-true --note "she drinks both"
    """
    return run_change("review-answer", {"id": tension_id, **options}, dry_run=dry_run)


@tension.command(cls=EngramCommand)
@click.argument("tension_id", metavar="ID", shell_complete=complete_tension("resolved"))
@_DRY_RUN
def reopen(*, tension_id: str, dry_run: bool) -> int:
    """Take back how a tension was settled: its facts are again what they were, and it waits.

    \b
    Example:
      engram tension resolve tension-0001 --outcome dissolve
      engram tension reopen tension-0001
    """
    return run_change("review-undo", {"id": tension_id}, dry_run=dry_run)


def show_tensions(rows: list[dict[str, Any]], nothing: str) -> None:
    """Print tensions with both sentences; `nothing` is what is said when there are none."""
    zone = workspace_zone()
    invocation().emit(
        {"tensions": rows}, lambda: shown("\n\n".join(tension_text(row, zone) for row in rows)) or nothing
    )


def open_tensions(entity: str | None = None) -> list[dict[str, Any]]:
    """Return what is not settled, of one entity or of all; raise UnknownEntityError, AmbiguousNameError."""
    rows = _described("open")
    if entity is None:
        return rows
    with invocation().workspace().reading() as database:
        path = get_entity_path(database, entity)
    return [row for row in rows if any(side["entity"] == path for side in row["sides"])]


def _described(status: str) -> list[dict[str, Any]]:
    workspace = invocation().workspace()
    with workspace.reading() as database:
        found = database.list_tensions(status)
        return [describe_tension(database, one, workspace.settings, workspace.files) for one in found]
