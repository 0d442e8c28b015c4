"""The command `hooks`: what agent hosts call. Light: it may import none of the engines."""

import sys

import click

from engram.cli.options import EngramCommand
from engram.cli.options import EngramSet
from engram.cli.options import invocation
from engram.hooks.run import MAX_INPUT_BYTES
from engram.hooks.run import run_hook


@click.group(cls=EngramSet)
def hooks() -> None:
    """What agent hosts call.

    \b
    Example:
      engram hooks run stop
    """


@hooks.command(cls=EngramCommand, context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
@click.argument("event", required=False, default="")
def run(event: str) -> None:
    """Act on one EVENT of an agent host, whose JSON is read from standard input. Always exits 0.

    EVENT is session-start, user-prompt, post-tool, pre-compact, stop, session-end, subagent-start or subagent-stop.
    user-prompt keeps a prompt that holds something worth remembering; the others are accepted. What goes wrong is
    written to .engram/hooks.log.

    \b
    Example:
      engram hooks run session-start
    """
    raw = b"" if sys.stdin.isatty() else sys.stdin.buffer.read(MAX_INPUT_BYTES + 1)
    command_id = run_hook(event, raw, invocation().workspace_dir)
    if invocation().as_json:
        invocation().emit({"command_id": command_id}, "")
