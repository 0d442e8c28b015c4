"""`engram tension`: facts that exclude each other and wait for somebody to settle them."""

import click

from engram.cli.change import run_change
from engram.cli.options import EngramCommand
from engram.cli.options import EngramSet
from engram.cli.options import invocation


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
    """List tensions, both sides quoted.

    \b
    Example:
      engram tension list
    """
    asked = invocation()
    with asked.workspace().reading() as database:
        found = database.list_tensions(status)
    lines = [f"{one.id}  {one.status}  {one.text}" for one in found]
    asked.emit(
        {"tensions": [one.model_dump(mode="json") for one in found]}, "\n".join(lines) or f"no {status} tensions"
    )


@tension.command(cls=EngramCommand)
@click.argument("text")
@click.option("--fact1", required=True, metavar="ID", help="One side.")
@click.option("--fact2", required=True, metavar="ID", help="The other side.")
@click.option("--dry-run", is_flag=True, help="Print the plan and change nothing.")
def add(*, text: str, fact1: str, fact2: str, dry_run: bool) -> int:
    """Say that two facts exclude each other.

    \b
    Example:
      engram tension add "tea or not" --fact1 people/anna-001 --fact2 people/anna-002
    """
    return run_change("tension-add", {"text": text, "fact1": fact1, "fact2": fact2}, dry_run=dry_run)
