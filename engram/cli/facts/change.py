"""Changes by hand: correct, retract, confirm, pin, unpin, access."""

from typing import Any

import click

from engram.cli.invocation.one_id import check_one_id
from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.cli.invocation.plans import answer_plan
from engram.cli.invocation.results import answer_result
from engram.cli.invocation.shell_words import complete_fact
from engram.errors import UsageError
from engram.model.fact import Actor
from engram.model.fact import Category
from engram.model.vocabulary import CAN_BE_UNDONE


def run_change(kind: str, args: dict[str, Any], *, dry_run: bool, actor: str = "user") -> int:
    """Submit one command, or plan it, and print what became of it."""
    asked = invocation()
    check_words(**{name: value for name, value in args.items() if isinstance(value, str)})
    given = {name: value for name, value in args.items() if value is not None}
    workspace = asked.workspace()
    if dry_run:
        planned, changes = workspace.plan(kind, given, actor=Actor(actor))
        return answer_plan(asked, planned.model_dump(mode="json"), changes)
    result = workspace.submit(kind, given, actor=Actor(actor))
    return answer_result(asked, result.model_dump(mode="json"))


_DRY_RUN = click.option("--dry-run", is_flag=True, help="Print the plan and change nothing.")
_ID = click.argument("fact_id", metavar="ID", shell_complete=complete_fact)


@click.command(cls=EngramCommand)
@_ID
@click.argument("words", nargs=-1, metavar="[TEXT]")
@click.option("--fact", "text", metavar="T", help="What is right, if not TEXT.")
@click.option("--category", type=click.Choice([one.value for one in Category]), help="Default: as before.")
@click.option("--confidence", type=click.FloatRange(0, 1), help="Default: as before.")
@click.option("--value", metavar="V", help="What stands in the slot.")
@_DRY_RUN
def correct(*, fact_id: str, words: tuple[str, ...], text: str | None, dry_run: bool, **options: Any) -> int:
    """Replace a fact by what is right: writes the new and retires the old in one change.

    \b
    Example:
      engram correct people/anna-001 "Anna prefers white tea"
    """
    check_one_id("correct", fact_id, words or (text or "",))
    if bool(words) == bool(text):
        raise UsageError("what is right?", hint=f'engram correct {fact_id} "Anna prefers white tea"')
    said = {"id": fact_id, "text": text or " ".join(words), **options, CAN_BE_UNDONE: True}
    return run_change("correct", said, dry_run=dry_run)


@click.command(cls=EngramCommand)
@_ID
@click.argument("words", nargs=-1, metavar="[WHY]")
@click.option("--reason", metavar="R", help="Why it is taken back, if not WHY.")
@_DRY_RUN
def retract(*, fact_id: str, words: tuple[str, ...], reason: str | None, dry_run: bool) -> int:
    """Take a fact back. It stays in the history, with the reason; `engram undo` lets it hold again.

    \b
    Example:
      engram retract projects/billing-001 "it was about another service"
    """
    check_one_id("retract", fact_id, words or (reason or "",))
    if bool(words) == bool(reason):
        raise UsageError("why is it taken back?", hint=f'engram retract {fact_id} "it was about another service"')
    said = {"id": fact_id, "reason": reason or " ".join(words), CAN_BE_UNDONE: True}
    return run_change("retract", said, dry_run=dry_run)


@click.command(cls=EngramCommand)
@_ID
@_DRY_RUN
def confirm(*, fact_id: str, dry_run: bool) -> int:
    """Say that a fact still holds: counted, fresh again, and trusted from then on, wherever it was said.

    \b
    Example:
      engram confirm people/anna-002
    """
    return run_change("confirm", {"id": fact_id}, dry_run=dry_run)


@click.command(cls=EngramCommand)
@_ID
@_DRY_RUN
def pin(*, fact_id: str, dry_run: bool) -> int:
    """Keep a fact in the summary whatever its tier; it is trusted from then on.

    \b
    Example:
      engram pin people/anna-002
    """
    return run_change("pin", {"id": fact_id}, dry_run=dry_run)


@click.command(cls=EngramCommand)
@_ID
@_DRY_RUN
def unpin(*, fact_id: str, dry_run: bool) -> int:
    """Let a pinned fact decay again.

    \b
    Example:
      engram unpin people/anna-002
    """
    return run_change("unpin", {"id": fact_id}, dry_run=dry_run)


@click.command(cls=EngramCommand)
@_ID
@_DRY_RUN
def access(*, fact_id: str, dry_run: bool) -> int:
    """Count a use of a fact: it becomes hot again.

    \b
    Example:
      engram access people/anna-002
    """
    return run_change("access", {"id": fact_id}, dry_run=dry_run)
