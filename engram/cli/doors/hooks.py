"""The commands `hooks ...`: what agent hosts call, and how they come to. Light: `run` imports none of the engines."""

import click

from engram.base.clock import StoppedClock
from engram.base.counts import counted
from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import EngramSet
from engram.cli.invocation.options import invocation
from engram.config.paths import find_workspace
from engram.hooks.hosts import NAMES
from engram.hooks.run import read_event
from engram.hooks.run import run_hook

host_argument = click.argument("host", type=click.Choice(NAMES))
level_option = click.option(
    "--level", type=click.Choice(["project", "user"]), default="user", show_default=True, help="Whose configuration."
)
yes_option = click.option("--yes", is_flag=True, help="Do not ask.")
dry_run_option = click.option("--dry-run", is_flag=True, help="Show the change and make none.")


@click.group(cls=EngramSet)
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


@hooks.command(cls=EngramCommand)
@host_argument
@level_option
@click.option("--instructions", is_flag=True, help="Also put a marked block into CLAUDE.md, AGENTS.md or GEMINI.md.")
@yes_option
@dry_run_option
def install(host: str, *, level: str, instructions: bool, yes: bool, dry_run: bool) -> None:
    """Add our hooks and skill to the configuration of HOST; shows the change, and asks.

    With --level project, that of the current folder. The old text of each file is kept beside it; nothing else in it
    changes. Installing again brings the entries up to date.

    \b
    Example:
      engram hooks install claude-code --level project --dry-run
    """
    from engram.cli.doors import hooks_install  # noqa: PLC0415 - heavy

    hooks_install.install(host, level, instructions=instructions, yes=yes, dry_run=dry_run)


@hooks.command(cls=EngramCommand)
@host_argument
@level_option
@yes_option
@dry_run_option
def uninstall(host: str, *, level: str, yes: bool, dry_run: bool) -> None:
    """Remove exactly what `hooks install` added to the configuration of HOST.

    The warm process ends with the last of them. The memory stays as it is.

    \b
    Example:
      engram hooks uninstall claude-code --level project --dry-run
    """
    from engram.cli.doors import hooks_install  # noqa: PLC0415 - heavy

    hooks_install.uninstall(host, level, yes=yes, dry_run=dry_run)


@hooks.command(cls=EngramCommand)
@click.argument("host", type=click.Choice(NAMES), required=False)
def status(host: str | None) -> None:
    """Show which hooks are installed, prove that they fire, and say when a host called each last.

    Each installed command is run on what its host would send, in a workspace that is thrown away. Shows the warm
    process, too, that answers what hooks ask for a prompt.

    \b
    Example:
      engram hooks status
    """
    from engram.cli.doors import hooks_install  # noqa: PLC0415 - heavy

    hooks_install.show_status([host] if host else list(NAMES))


@hooks.command(cls=EngramCommand)
def flush() -> None:
    """Take in what hooks left: transcripts into turns, status lines into changelogs. Hooks start it by themselves.

    \b
    Example:
      engram hooks flush
    """
    from engram.hooks.background.drain_requests import take_in  # noqa: PLC0415 - heavy

    counts = take_in(invocation().workspace())
    invocation().emit(
        counts,
        f"{counted(counts['captured'], 'turn')}, {counted(counts['logged'], 'status line')}, {counts['failed']} failed",
    )


@hooks.command(cls=EngramCommand)
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
    from engram.hooks.background import warm_service  # noqa: PLC0415 - heavy

    asked = invocation()
    reason = warm_service.serve(find_workspace(asked.workspace_dir), idle_s)
    asked.emit({"ended": reason}, f"ended: {reason}")
    asked.leave(0)  # all is closed; taking the engines apart would only take time


@hooks.command(cls=EngramCommand)
def stop() -> None:
    """End the warm process that hooks started; the next prompt or session starts another, unless hooks.recall is off.

    \b
    Example:
      engram hooks stop
    """
    from engram.cli.doors import hooks_report  # noqa: PLC0415 - heavy

    hooks_report.stop()


@hooks.command(cls=EngramCommand)
@click.option("--since", metavar="WHEN", help="Only what was recalled since: a date, an instant, or 7d.")
def report(since: str | None) -> None:
    """Say what memories cost in prompts, in tokens, and how often replies used them.

    A reply counts as helped when it shares words with a memory that the prompt had not: an estimate. A memory that five
    replies were shown and none used is shown only when it is the best answer.

    \b
    Example:
      engram hooks report --since 7d
    """
    from engram.cli.doors import hooks_report  # noqa: PLC0415 - heavy

    hooks_report.show(since)
