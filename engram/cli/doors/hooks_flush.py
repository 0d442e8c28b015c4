"""`engram hooks flush`, which hooks start: what they left is taken in."""

import click

from engram.base.counts import counted
from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import invocation
from engram.hooks.background.drain_requests import plan_taking_in
from engram.hooks.background.drain_requests import take_in


@click.command(cls=EngramCommand)
@click.option("--dry-run", is_flag=True, help="Say what waits and take nothing in.")
def flush(*, dry_run: bool) -> None:
    """Take in what hooks left: transcripts into turns, status lines into changelogs. Hooks start it by themselves.

    \b
    Example:
      engram hooks flush
    """
    if dry_run:
        waits = plan_taking_in(invocation().workspace())
        both = f"{counted(waits['transcripts'], 'transcript')} and {counted(waits['status_lines'], 'status line')}"
        bad = f"; {waits['unreadable']} cannot be read" if waits["unreadable"] else ""
        invocation().emit({**waits, "dry_run": True}, f"nothing is changed; it would take in {both}{bad}")
        return
    counts = take_in(invocation().workspace())
    invocation().emit(
        counts,
        f"{counted(counts['captured'], 'turn')}, {counted(counts['logged'], 'status line')}, {counts['failed']} failed",
    )
