"""The commands `hooks ...` of people: what connects hosts to the memory, and says what came of it."""

import click

from engram.cli.doors import hooks_install
from engram.cli.doors import hooks_report
from engram.cli.invocation.options import EngramCommand
from engram.hooks.hosts import NAMES

host_argument = click.argument("host", type=click.Choice(NAMES))
level_option = click.option(
    "--level", type=click.Choice(["project", "user"]), default="user", show_default=True, help="Whose configuration."
)
yes_option = click.option("--yes", is_flag=True, help="Do not ask.")
dry_run_option = click.option("--dry-run", is_flag=True, help="Show the change and make none.")


@click.command(cls=EngramCommand)
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
    hooks_install.install(host, level, instructions=instructions, yes=yes, dry_run=dry_run)


@click.command(cls=EngramCommand)
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
    hooks_install.uninstall(host, level, yes=yes, dry_run=dry_run)


@click.command(cls=EngramCommand)
@click.argument("host", type=click.Choice(NAMES), required=False)
def status(host: str | None) -> None:
    """Show which hooks are installed, prove that they fire, and say when a host called each last.

    Each installed command is run on what its host would send, in a workspace that is thrown away. Shows the warm
    process, too, that answers what hooks ask for a prompt.

    \b
    Example:
      engram hooks status
    """
    hooks_install.show_status([host] if host else list(NAMES))


@click.command(cls=EngramCommand)
@click.option("--dry-run", is_flag=True, help="Say which process would end and end none.")
def stop(*, dry_run: bool) -> None:
    """End the warm process that hooks started; the next prompt or session starts another, unless hooks.recall is off.

    \b
    Example:
      engram hooks stop
    """
    hooks_report.stop(dry_run=dry_run)


@click.command(cls=EngramCommand)
@click.option("--since", metavar="WHEN", help="Only what was recalled since: a date, an instant, or 7d.")
def report(since: str | None) -> None:
    """Say what memories cost in prompts, in tokens, and how often replies used them.

    A reply counts as helped when it shares words with a memory that the prompt had not: an estimate. A memory that five
    replies were shown and none used is shown only when it is the best answer.

    \b
    Example:
      engram hooks report --since 7d
    """
    hooks_report.show(since)
