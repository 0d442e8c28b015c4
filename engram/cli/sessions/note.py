"""The commands `note ...`: today's daily note, notes moved and brought back, and the note that all agents share."""

import click

from engram.cli.invocation.moments import read_time
from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import EngramSet
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.cli.invocation.shell_words import complete_session
from engram.cli.sessions.restore_note import restore
from engram.cli.sessions.rotate import rotate
from engram.cli.sessions.team_note import team
from engram.services.facts.sources.sessions import get_session
from engram.services.silo.daily_note import SECTIONS
from engram.services.silo.daily_note import NotePlace
from engram.services.silo.daily_note import add_note
from engram.services.silo.daily_note import note_place
from engram.services.silo.daily_note import read_note
from engram.workspace import Workspace


@click.group(cls=EngramSet)
def note() -> None:
    """Today's daily note.

    \b
    Example:
      engram note add "Anna was on call"
    """


note.add_command(rotate)
note.add_command(restore)
note.add_command(team)


@note.command(cls=EngramCommand)
@click.argument("text")
@click.option(
    "--session",
    metavar="S",
    help="Session whose note it is; else the agent's main one.",
    shell_complete=complete_session,
)
@click.option(
    "--section",
    type=click.Choice(list(SECTIONS)),
    default="events",
    help="Heading under which the line goes.",
)
@click.option("--dry-run", is_flag=True, help="Print where the line would go and write nothing.")
def add(text: str, session: str | None, section: str, *, dry_run: bool) -> None:
    """Append one line to today's note; the day is the workspace's time zone's.

    \b
    Example:
      engram note add "We decided to use DuckDB" --section decisions
    """
    check_words(text=text, session=session)
    workspace, place = _place(session, None)
    path = workspace.paths.relative(place.file)
    if dry_run:
        invocation().emit(
            {"path": path, "section": section, "dry_run": True},
            f"nothing is changed; it would add a line to {path}, under {SECTIONS[section]}: {text}",
        )
        return
    report = add_note(workspace.files, place, text, now=workspace.now(), zone=workspace.settings.zone, section=section)
    shown = {"status": "done", "path": path, "section": section, "line": report.line, "redactions": report.redactions}
    invocation().emit(shown, f"{path}\n{report.line}")


@note.command(cls=EngramCommand)
@click.option("--date", "day", metavar="D", help="Day: 2026-02-24, yesterday, monday; else today.")
@click.option(
    "--session",
    metavar="S",
    help="Session whose note it is; else the agent's main one.",
    shell_complete=complete_session,
)
def show(day: str | None, session: str | None) -> None:
    """Show the note of a day.

    \b
    Example:
      engram note show --date 2026-02-24
    """
    check_words(date=day, session=session)
    workspace, place = _place(session, day)
    text = read_note(workspace.files, place)
    shown = {
        "date": place.day.isoformat(),
        "session": place.session,
        "path": workspace.paths.relative(place.file),
        "text": text,
    }
    invocation().emit(shown, text.rstrip("\n"))


def _place(session: str | None, day: str | None) -> tuple[Workspace, NotePlace]:
    workspace = invocation().workspace()
    if session is not None and session != "main":
        with workspace.reading() as database:
            session = get_session(database, session).session.name
    settings = workspace.settings
    place = note_place(workspace.paths.memory, settings.agent, session, now=workspace.now(), zone=settings.zone)
    moment = read_time(workspace, "--date", day)
    return workspace, place if moment is None else place._replace(day=moment.astimezone(settings.zone).date())
