"""`engram observe`: something was noticed that a review should look at."""

from typing import Any

import click

from engram.cli.facts.change import run_change
from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import SeveralOption
from engram.cli.invocation.options import invocation
from engram.cli.invocation.options import table
from engram.cli.invocation.shell_words import complete_session
from engram.errors import UsageError
from engram.model.vocabulary import CAN_BE_UNDONE
from engram.services.review.queue import harmless_text
from engram.services.visibility import may_see

_CATEGORIES = ["friction", "surprise", "quality", "pattern"]
_STATUSES = ["open", "promoted", "dismissed", "merged", "all"]


@click.command(cls=EngramCommand)
@click.argument("text", required=False)
@click.option("--category", type=click.Choice(_CATEGORIES), help="What kind of thing (default friction).")
@click.option("--entity", metavar="E", help="Whom or what it is about.")
@click.option("--facts", cls=SeveralOption, metavar="ID,...", help="Facts that it stands on.")
@click.option(
    "--session",
    metavar="S",
    help="Session it was noticed in; with --list: answer as to it.",
    shell_complete=complete_session,
)
@click.option("--actor", type=click.Choice(["user", "agent", "tool"]), default="user", show_default=True)
@click.option("--list", "listed", is_flag=True, help="List what was noticed instead.")
@click.option("--status", type=click.Choice(_STATUSES), help="With --list: of which status (default open).")
@click.option("--dry-run", is_flag=True, help="Print the plan and change nothing.")
def observe(*, text: str | None, listed: bool, status: str | None, actor: str, dry_run: bool, **options: Any) -> int:
    """Note something that was noticed about the work or the memory, for a review to settle.

    What was noticed before, also in other words, is counted there and not noted twice.

    \b
    Example:
      engram observe "Deploys of Billing are slow on Mondays" --category friction --entity projects/billing
      engram observe --list
    """
    if listed or text is None:
        session = options.pop("session")
        _refuse_beside(text, listed=listed, options=options)
        return _list(status or "open", session)
    if status is not None:
        raise UsageError("--status goes with --list", hint="engram observe --list --status all")
    facts = [part.strip() for part in (options.pop("facts") or "").split(",") if part.strip()]
    said = {"text": text, "facts": facts, **options, CAN_BE_UNDONE: True}
    return run_change("observe", said, dry_run=dry_run, actor=actor)


def _refuse_beside(text: str | None, *, listed: bool, options: dict[str, Any]) -> None:
    if not listed:
        raise UsageError("say what was noticed", hint='engram observe "one sentence", or engram observe --list')
    beside = ["TEXT"] * (text is not None) + [f"--{name}" for name, value in options.items() if value]
    if beside:
        raise UsageError(f"{beside[0]} does not go with --list", hint="engram observe --list --status all")


def _list(status: str, session: str | None) -> int:
    from engram.cli.invocation.silo import find_asker  # noqa: PLC0415 - 30 ms, and only listing needs it

    asked = invocation()
    caller = find_asker(asked, session, None)
    with asked.workspace().reading() as database:
        found = [one for one in database.list_observations(status) if caller is None or may_see(caller, one.scope)]
    hidden = {"words", "fingerprint"}
    rows = [{**one.model_dump(mode="json", exclude=hidden), "text": harmless_text(one)} for one in found]
    shown = [(one.id, one.status.value, one.category.value, f"seen {one.seen}", harmless_text(one)) for one in found]
    columns = [("id", False), ("state", False), ("kind", False), ("", False), ("what was noticed", True)]
    asked.emit_table({"observations": rows}, lambda: table(shown) or f"no {status} observations", columns, shown)
    return 0
