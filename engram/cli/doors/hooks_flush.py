"""`engram hooks flush`, which hooks start: what they left is taken in."""

import click

from engram.base.counts import counted
from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import invocation
from engram.hooks.background.drain_requests import take_in


@click.command(cls=EngramCommand)
def flush() -> None:
    """Take in what hooks left: transcripts into turns, status lines into changelogs. Hooks start it by themselves.

    \b
    Example:
      engram hooks flush
    """
    counts = take_in(invocation().workspace())
    invocation().emit(
        counts,
        f"{counted(counts['captured'], 'turn')}, {counted(counts['logged'], 'status line')}, {counts['failed']} failed",
    )
