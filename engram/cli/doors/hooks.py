"""The commands `hooks ...`: what agent hosts call, and how they come to. Light: `run` imports none of the engines."""

import importlib

import click

from engram.base.clock import StoppedClock
from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import EngramSet
from engram.cli.invocation.options import invocation
from engram.hooks.hosts import NAMES
from engram.hooks.run import read_event
from engram.hooks.run import run_hook

_OTHERS = {  # command -> its module beside this one, which is heavy: `run` is called at every prompt
    "flush": "hooks_flush",
    "serve": "hooks_serve",
    **dict.fromkeys(("install", "uninstall", "status", "stop", "report"), "hooks_commands"),
}


class _Hooks(EngramSet):
    """`run`, and what else there is to do with hooks."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names."""
        return sorted([*super().list_commands(ctx), *_OTHERS])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of that name."""
        if cmd_name not in _OTHERS:
            return super().get_command(ctx, cmd_name)
        module = importlib.import_module(f"engram.cli.doors.{_OTHERS[cmd_name]}")
        found: click.Command = getattr(module, cmd_name)
        return found


@click.group(cls=_Hooks)
def hooks() -> None:
    """Connect Claude Code, Codex, Gemini CLI, Cursor or OpenClaw to the memory.

    `install` shows what it would change, and asks; `status` proves that it works; `uninstall` takes it out again. The
    programs themselves call `run`.

    \b
    Example:
      engram hooks install claude-code --level project --dry-run
    """


@hooks.command(cls=EngramCommand, context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
@click.argument("event", required=False, default="")
@click.option("--host", metavar="H", help=f"Who calls ({', '.join(NAMES)}); else recognised by what it sends.")
def run(event: str, host: str | None) -> None:
    """Act on one EVENT of an agent host, whose JSON is read from standard input. Always exits 0.

    EVENT is session-start (prints the context), user-prompt (keeps what is worth remembering, prints what is known
    about it), pre-compact, stop and session-end (capture the transcript), subagent-start (prints its domain's context),
    subagent-stop (its last words go into the domain's changelog) or post-tool (nothing). What goes wrong is written to
    .engram/hooks.log.

    \b
    Example:
      engram hooks run session-start
    """
    with StoppedClock(invocation().now_at):
        done = run_hook(event, read_event(), invocation().workspace_dir, host)
    if invocation().as_json:
        ids = list(done.command_ids) if done else []
        shown = {"outcome": done.outcome if done else None, "command_id": ids[-1] if ids else None, "command_ids": ids}
        invocation().emit(shown, "")
    elif done is not None and done.stdout:
        click.echo(done.stdout)
