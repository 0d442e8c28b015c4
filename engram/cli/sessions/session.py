"""The commands `session add`, `session open`, `session list` and `session show`: silos of conversations."""

import click

from engram.base.counts import counted
from engram.cli.facts.change import run_change
from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import EngramSet
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.cli.invocation.options import table
from engram.cli.invocation.shell_words import complete_session
from engram.model.conversation import Session
from engram.services.facts.sources.sessions import get_session
from engram.services.facts.sources.sessions import list_sessions


@click.group(cls=EngramSet)
def session() -> None:
    """Silos of conversations.

    \b
    Example:
      engram session list
    """


@session.command(cls=EngramCommand)
@click.argument("name")
@click.option("--platform", metavar="P", help="Where the conversation is, such as telegram.")
@click.option("--id", "external_id", metavar="ID", help="The platform's own id of it.")
@click.option(
    "--kind",
    type=click.Choice(["open", "personal", "group"]),
    help="Not open: what is said in it stays in it. In a group, MEMORY.md is not shown either.",
)
@click.option("--dry-run", is_flag=True, help="Print the plan and change nothing.")
def add(name: str, platform: str | None, external_id: str | None, kind: str | None, *, dry_run: bool) -> int:
    """Make a session called NAME.

    \b
    Example:
      engram session add standup --platform telegram --id 4711
    """
    args = {"name": name, "platform": platform, "external_id": external_id, "kind": None if kind == "open" else kind}
    return run_change("session-add", args, dry_run=dry_run)


@session.command("open", cls=EngramCommand)
@click.argument("name", shell_complete=complete_session)
@click.option("--dry-run", is_flag=True, help="Print the plan and change nothing.")
def open_(name: str, *, dry_run: bool) -> int:
    """Let a session that is kept apart be open, with the facts stated in it.

    Only where nobody but you spoke in it: what others said there counts as said to you from then on. Its turns are
    still read with --session NAME. `engram undo` keeps it apart again.

    \b
    Example:
      engram session open demo
    """
    return run_change("session-open", {"name": name}, dry_run=dry_run)


@session.command("list", cls=EngramCommand)
def list_() -> None:
    """List sessions with their number of turns.

    \b
    Example:
      engram session list
    """
    with invocation().workspace().reading() as database:
        views = list_sessions(database)
    rows = [(view.session.name, counted(view.turns, "turn"), _where(view.session)) for view in views]
    invocation().emit_table(
        {"sessions": [view.as_json() for view in views]},
        lambda: table(rows) or "no sessions yet",
        [("session", False), ("said in it", False), ("where", False)],
        rows,
    )


def _where(one: Session) -> str:
    return ", ".join(filter(None, (one.platform, "kept apart" if one.kind is not None else None)))


@session.command(cls=EngramCommand)
@click.argument("name", shell_complete=complete_session)
def show(name: str) -> None:
    """Show one session.

    \b
    Example:
      engram session show demo
    """
    check_words(name=name)
    with invocation().workspace().reading() as database:
        view = get_session(database, name).as_json()
    invocation().emit(view, lambda: table([(key, str(value)) for key, value in view.items() if value is not None]))
