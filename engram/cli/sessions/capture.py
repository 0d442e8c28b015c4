"""The command `capture`: transcripts and notes into turns, exactly once."""

import click

from engram.cli.invocation.moments import read_time
from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.cli.invocation.shell_words import complete_session
from engram.cli.sessions.capture_run import capture_found
from engram.cli.sessions.capture_run import capture_named
from engram.errors import UsageError
from engram.importers.transcripts.files import Choices
from engram.importers.transcripts.formats import FORMATS
from engram.services.commands.entities.entity import check_session_name


@click.command(cls=EngramCommand)
@click.argument("files", metavar="[FILE]...", nargs=-1)
@click.option(
    "--format",
    "file_format",
    type=click.Choice(FORMATS),
    default="auto",
    help="Format of the files; auto looks at what they hold.",
)
@click.option(
    "--session",
    metavar="S",
    help="Session of what names none; for transcripts, of all that they hold.",
    shell_complete=complete_session,
)
@click.option("--since", metavar="24h", help="Leave out what was said before: 2026-02-24, yesterday, 24h.")
@click.option("--discover", is_flag=True, help="Find the transcripts of agents on this machine, and capture them.")
@click.option("--yes", is_flag=True, help="Capture what --discover finds without asking.")
@click.option("--watch", is_flag=True, help="Go on capturing what is added, until Ctrl-C.")
@click.option("--dry-run", is_flag=True, help="Print what would be captured and change nothing.")
def capture(files: tuple[str, ...], file_format: str, session: str | None, since: str | None, **flags: bool) -> None:
    """Capture transcripts and notes, exactly once by content.

    Reads what Claude Code, Codex, OpenClaw and Gemini CLI write, the exports of ChatGPT and Claude (also zipped), lines
    of {"id"?, "session", "speaker"?, "at"?, "text"}, and markdown. Kept is what user and assistant said; the report
    counts what was left out. A file that grew is read from where the last capture ended. A bad line is reported and the
    others are captured (exit 2); a last line that is still being written waits.

    \b
    Example:
      engram capture chat.jsonl --session demo
    """
    check_words(session=session, since=since)
    if session is not None:
        check_session_name(session)
    if bool(files) == flags["discover"]:
        raise UsageError("give files, or --discover, not both or neither", hint="engram capture --help")
    workspace = invocation().workspace()
    zone = workspace.settings.zone
    since_at = read_time(workspace, "--since", since)
    choices = Choices(file_format, session, since_at, zone, workspace.settings.agent)
    if flags["discover"]:
        capture_found(workspace, choices, **{name: flags[name] for name in ("dry_run", "yes", "watch")})
    else:
        capture_named(workspace, files, choices, dry_run=flags["dry_run"], watch=flags["watch"])
