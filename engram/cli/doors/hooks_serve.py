"""`engram hooks serve`, which hooks start: the warm process."""

import click

from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import invocation
from engram.config.paths import find_workspace
from engram.hooks.background import warm_run


@click.command(cls=EngramCommand)
@click.option("--idle", "idle_s", type=click.IntRange(1), metavar="S", help="Seconds instead of those of the settings.")
def serve(idle_s: int | None) -> None:
    """Run the warm process, which answers what hooks ask for a prompt. The first hook starts it by itself.

    It ends when nobody asked for fifteen minutes (hooks.idle_s), when another release is installed, when the workspace
    is gone, or by `hooks stop`. One runs for a workspace; another ends at once. Where the environment variable
    ENGRAM_NO_WARM_START is set, hooks start none.

    \b
    Example:
      engram hooks serve --idle 1
    """
    asked = invocation()
    reason = warm_run.serve(find_workspace(asked.workspace_dir), idle_s)
    asked.emit({"ended": reason}, f"ended: {reason}")
    asked.leave(0)  # all is closed; taking the engines apart would only take time
