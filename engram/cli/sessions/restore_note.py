"""The command `note restore`: daily notes that the heartbeat moved to archives, back where they were."""

import click

from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.errors import UsageError
from engram.heartbeat.synthesis.note_archive import find_archived
from engram.heartbeat.synthesis.note_archive import restore_notes


@click.command(cls=EngramCommand)
@click.argument("file", required=False)
@click.option("--all", "every", is_flag=True, help="All of them.")
@click.option("--dry-run", is_flag=True, help="Print what would be moved and move nothing.")
def restore(file: str | None, *, every: bool, dry_run: bool) -> None:
    """Move a daily note back from archives/, byte for byte; the heartbeat leaves it there from then on.

    FILE is its path in the workspace, where it was or where it is.

    \b
    Example:
      engram note restore --all --dry-run
    """
    if (file is None) != every:
        raise UsageError("name one note or say --all", hint="engram note restore --all --dry-run lists them")
    check_words(file=file)
    workspace = invocation().workspace()
    moves = find_archived(workspace.paths, file or "")
    if not dry_run:
        restore_notes(workspace, moves)
    shown = [{"from": workspace.paths.relative(old), "to": workspace.paths.relative(new)} for old, new in moves]
    lines = [f"{'would move' if dry_run else 'moved'} {one['from']} to {one['to']}" for one in shown]
    head = {"status": "done"} if not dry_run else {"dry_run": True}
    invocation().emit({**head, "moved": shown}, "\n".join(lines) or "no daily note is in the archives")
