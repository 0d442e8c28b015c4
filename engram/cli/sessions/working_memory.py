"""The commands `working-memory show`, `set`, `update` and `clear`: what a session has in hand right now."""

import click

from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import EngramSet
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.cli.invocation.options import read_text
from engram.cli.invocation.shell_words import complete_session
from engram.cli.invocation.silo import find_silo
from engram.services.silo.working_memory import WORKING_MEMORY
from engram.services.silo.working_memory import clear_working_memory
from engram.services.silo.working_memory import read_working_memory
from engram.services.silo.working_memory import set_working_memory
from engram.services.silo.working_memory import update_working_memory

_SESSION = click.option(
    "--session", metavar="S", help="Session whose it is; else the agent's main one.", shell_complete=complete_session
)
_DRY_RUN = click.option("--dry-run", is_flag=True, help="Print where it would go and write nothing.")


@click.group("working-memory", cls=EngramSet)
def working_memory() -> None:
    """What a session has in hand right now.

    \b
    Example:
      engram working-memory update "branch: reports"
    """


@working_memory.command(cls=EngramCommand)
@_SESSION
def show(session: str | None) -> None:
    """Show it.

    \b
    Example:
      engram working-memory show
    """
    workspace, folder = find_silo(invocation(), session)
    text = read_working_memory(workspace.files, folder)
    shown = {"path": f"{folder}/{WORKING_MEMORY}", "text": text}
    invocation().emit(shown, text or "nothing is in hand")


@working_memory.command("set", cls=EngramCommand)
@click.argument("text")
@_SESSION
@_DRY_RUN
def set_(text: str, session: str | None, *, dry_run: bool) -> None:
    """Put TEXT (- for standard input) in its place; what was there is kept in archives.

    \b
    Example:
      engram working-memory set "branch: reports"
    """
    _change(text, session, dry_run=dry_run, whole=True)


@working_memory.command(cls=EngramCommand)
@click.argument("text")
@_SESSION
@_DRY_RUN
def update(text: str, session: str | None, *, dry_run: bool) -> None:
    """Add lines; one that is "KEY: VALUE" takes the place of the line with that key.

    \b
    Example:
      engram working-memory update "branch: main"
    """
    _change(text, session, dry_run=dry_run, whole=False)


@working_memory.command(cls=EngramCommand)
@_SESSION
@_DRY_RUN
def clear(session: str | None, *, dry_run: bool) -> None:
    """Empty it; what was in it is kept in archives.

    \b
    Example:
      engram working-memory clear
    """
    workspace, folder = find_silo(invocation(), session)
    path = f"{folder}/{WORKING_MEMORY}"
    if not dry_run:
        clear_working_memory(workspace.files, folder)
    _tell(path, "", dry_run=dry_run)


def _change(text: str, session: str | None, *, dry_run: bool, whole: bool) -> None:
    said = read_text(text) if text == "-" else text
    check_words(text=said)
    workspace, folder = find_silo(invocation(), session)
    if not dry_run:
        change = set_working_memory if whole else update_working_memory
        said = change(workspace.files, folder, said)
    _tell(f"{folder}/{WORKING_MEMORY}", said, dry_run=dry_run)


def _tell(path: str, text: str, *, dry_run: bool) -> None:
    if dry_run:
        invocation().emit({"path": path, "dry_run": True}, f"would write {path}")
    else:
        invocation().emit({"status": "done", "path": path, "text": text}, f"{path}\n{text}".rstrip())
