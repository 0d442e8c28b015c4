"""The command `capture`: transcripts and notes into turns, exactly once."""

import click

from engram.cli.options import EngramCommand
from engram.cli.options import check_words
from engram.cli.options import invocation
from engram.errors import MalformedInputError
from engram.importers.capture import FORMATS
from engram.importers.capture import capture_files
from engram.services.capturing import parse_since
from engram.services.entity_commands import check_session_name

_SHOWN = 3  # bad lines named in the error


@click.command(cls=EngramCommand)
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option(
    "--format",
    "file_format",
    type=click.Choice(FORMATS),
    default="auto",
    help="Format of the files; auto looks at their names, then at their first character.",
)
@click.option("--session", metavar="S", help="Session of lines that name none.")
@click.option("--since", metavar="24h", help="Leave out turns said longer ago than this, or before this date.")
@click.option("--dry-run", is_flag=True, help="Print what would be captured and change nothing.")
def capture(files: tuple[str, ...], file_format: str, session: str | None, since: str | None, *, dry_run: bool) -> None:
    """Capture transcripts and notes, exactly once by content.

    Lines of jsonl are {"id"?, "session", "speaker"?, "at"?, "text"}. A bad line is reported and the others are captured
    (exit 2). A last line that is still being written waits for the next capture.

    \b
    Example:
      engram capture chat.jsonl --session demo
    """
    check_words(session=session, since=since)
    if session is not None:
        check_session_name(session)
    workspace = invocation().workspace()
    report = capture_files(
        workspace,
        files,
        file_format=file_format,
        session=session,
        since=parse_since(since, now=workspace.now(), zone=workspace.settings.zone),
        dry_run=dry_run,
    )
    invocation().emit(report.as_json(), report.as_text)
    if report.has_bad_input:
        raise MalformedInputError(
            f"not everything could be captured: {'; '.join(report.complaints()[:_SHOWN])}",
            hint="the rest is captured; --json lists every bad line",
        )
