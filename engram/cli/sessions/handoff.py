"""The commands `handoff ...`: what one session leaves for the next, and `send`, which has an addressee."""

import datetime as dt

import click

from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import EngramSet
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.cli.invocation.options import read_text
from engram.cli.invocation.options import table
from engram.cli.invocation.shell_words import complete_session
from engram.cli.invocation.silo import find_silo
from engram.cli.sessions.inbox import send
from engram.errors import NotFoundError
from engram.services.silo.handoff import HANDOFF
from engram.services.silo.handoff import Handoff
from engram.services.silo.handoff import list_handoffs
from engram.services.silo.handoff import read_handoff
from engram.services.silo.handoff import write_handoff

_SESSION = click.option(
    "--session",
    metavar="S",
    help="Session whose handoff it is; else the agent's main one.",
    shell_complete=complete_session,
)


@click.group(cls=EngramSet)
def handoff() -> None:
    """What one session leaves for the next; with `send`, what one agent leaves for another one.

    \b
    Example:
      engram handoff write "Billing is migrated; next: switch the reports over"
    """


handoff.add_command(send)


@handoff.command(cls=EngramCommand)
@click.argument("text")
@_SESSION
@click.option("--dry-run", is_flag=True, help="Print where it would go and write nothing.")
def write(text: str, session: str | None, *, dry_run: bool) -> None:
    """Write a new version; the ones before are kept. TEXT is - for standard input.

    \b
    Example:
      engram handoff write "Billing is migrated; next: switch the reports over"
    """
    said = read_text(text) if text == "-" else text
    check_words(text=said)
    workspace, folder = find_silo(invocation(), session)
    if dry_run:
        path = f"{folder}/{HANDOFF}"
        invocation().emit({"path": path, "dry_run": True}, f"would write {path}")
        return
    now = workspace.now()
    written = write_handoff(workspace.files, folder, said, now=now)
    invocation().emit({"status": "done", **written.shown(now)}, f"{written.path}  version {written.version}")


@handoff.command(cls=EngramCommand)
@_SESSION
def read(session: str | None) -> None:
    """Show the current version and its age.

    \b
    Example:
      engram handoff read
    """
    workspace, folder = find_silo(invocation(), session)
    found = read_handoff(workspace.files, folder)
    if found is None:
        raise NotFoundError("nothing was handed over yet", hint="engram handoff write TEXT")
    now = workspace.now()
    invocation().emit(found.shown(now), lambda: f"version {found.version}, {_age(found, now)}\n\n{found.text}")


@handoff.command(cls=EngramCommand)
@_SESSION
def history(session: str | None) -> None:
    """List every version, the current one first.

    \b
    Example:
      engram handoff history
    """
    workspace, folder = find_silo(invocation(), session)
    now = workspace.now()
    versions = list_handoffs(workspace.files, folder)
    rows = [(str(one.version), _age(one, now), one.path, one.text.splitlines()[0]) for one in versions]
    shown = {"versions": [one.shown(now) for one in versions]}
    invocation().emit(shown, lambda: table(rows) or "nothing was handed over yet")


def _age(found: Handoff, now: dt.datetime) -> str:
    days = found.age_days(now)
    if days is None:
        return "of unknown age"
    return f"{days} days old" if days > 1 else "a day old" if days else "less than a day old"
