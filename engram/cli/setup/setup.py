"""Set-up: init, status, config."""

from typing import Any

import click

from engram.base.disk.home import at_home
from engram.cli.invocation.local_time import workspace_zone
from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.cli.invocation.results import result_json
from engram.cli.invocation.results import result_text
from engram.cli.invocation.shell_words import complete_setting
from engram.cli.setup.embeddings import run_embeddings
from engram.cli.setup.status_text import status_text
from engram.config.settings_file import change_setting
from engram.config.settings_file import list_settings
from engram.config.settings_file import read_setting
from engram.config.settings_file import summarise_settings
from engram.errors import UnknownCommandError
from engram.heartbeat.child.presets import found_programs
from engram.heartbeat.child.presets import offer
from engram.operations.setup import Made
from engram.operations.setup import make_workspace
from engram.operations.upkeep import Upkeep
from engram.services.facts.status import overview
from engram.workspace.owner import CHANGE_IT
from engram.workspace.owner import settle_owner


@click.command(cls=EngramCommand)
@click.argument("folder", required=False, metavar="[DIR]")
@click.option("--agent", metavar="NAME", help="Name of the agent that owns the workspace (default main).")
@click.option(
    "--timezone",
    metavar="TZ",
    help="Zone of day boundaries, such as Europe/Berlin (default: ENGRAM_TZ, TZ, the machine's).",
)
@click.option(
    "--owner", metavar="NAME", help='Who "I" is: a name, people/anna, or nobody (default: git\'s name or the login).'
)
@click.option("--force", is_flag=True, help="Change settings that engram.toml has already.")
@click.option("--dry-run", is_flag=True, help="Print what would be made and change nothing.")
def init(*, folder: str | None, force: bool, dry_run: bool, **wanted: Any) -> None:
    """Make a workspace. Running it again adds what is missing and overwrites nothing.

    \b
    Example:
      engram init . --owner people/anna
    """
    asked = invocation()
    check_words(**wanted)
    root = at_home(folder or asked.workspace_dir or ".").resolve()
    given = {name: value for name, value in wanted.items() if value is not None}
    report = make_workspace(root, given, now=asked.now, force=force, dry_run=dry_run)
    heartbeat = report.settings.heartbeat
    offered = "" if heartbeat.agent or heartbeat.agent_command else offer(found_programs())
    value = {**report.as_json(), "offers": [offered] if offered else []}
    asked.emit(value, lambda: "\n".join(filter(None, [_made_text(report, dry_run=dry_run), offered])))


def _made_text(report: Made, *, dry_run: bool) -> str:
    """Return three lines for who begins here; of a workspace that was there already, what it gained besides."""
    verb = "would make" if dry_run else "made"
    gained = [] if report.is_new else [f"  {verb} {name}" for name in report.made] or ["  nothing was missing"]
    owner = report.owner
    called = f"{owner.path} ({owner.title})" if owner.title else owner.path
    whose = f"owner {called}, {owner.found}; another: {CHANGE_IT}" if owner.path else f"owner nobody; one: {CHANGE_IT}"
    return "\n".join([f"{'would make ' if dry_run else ''}workspace {report.root}", *gained, whose, report.next_step()])


@click.command(cls=EngramCommand)
@click.argument("command_id", required=False)
def status(command_id: str | None) -> int:
    """Show how things stand on one screen, or what became of a command.

    \b
    Example:
      engram status
    """
    asked = invocation()
    workspace = asked.workspace()
    if command_id is not None:
        result = workspace.commands.find_result(command_id)
        if result is None:
            raise UnknownCommandError(f"no command {command_id!r} was given here", id=command_id)
        plain = result.model_dump(mode="json")
        asked.emit(result_json(plain), result_text(plain))
        return 0
    view = overview(Upkeep(workspace).standing())
    asked.emit(view, lambda: status_text(view, workspace_zone()))
    return 0


@click.command(cls=EngramCommand)
@click.argument("key", required=False, shell_complete=complete_setting)
@click.argument("value", required=False)
@click.option("--dry-run", is_flag=True, help="Check the value and change nothing.")
def config(*, key: str | None, value: str | None, dry_run: bool) -> None:
    """Show every setting, show one, or set one.

    The list leaves out settings of a single phase (heartbeat.phases) that are as by default; --json has them all.

    In the place of a value `embeddings` has words of its own: `status` tells which model is used and why, `prepare`
    converts the model of an installed package, `download` fetches one.

    \b
    Example:
      engram config decay.hot_days 10
      engram config embeddings status
    """
    asked = invocation()
    check_words(key=key, value=value)
    workspace = asked.workspace()
    paths = workspace.paths
    if key == "embeddings":
        run_embeddings(asked, workspace, value or "status", dry_run=dry_run)
        return
    if key is None:
        shown = summarise_settings(paths)
        asked.emit_table(
            list_settings(paths),
            lambda: "\n".join(f"{name} = {_plain_text(value)}" for name, value in shown.items()),
            [("setting", False), ("value", True)],
            [(name, _setting_text(value)) for name, value in shown.items()],
        )
        return
    now = read_setting(paths, key) if value is None else change_setting(paths, key, value, dry_run=dry_run)
    if key == "owner" and now and value is not None and not dry_run:
        settle_owner(asked.workspace())
    would = "nothing is changed; it would set " if dry_run and value is not None else ""
    asked.emit({key: now}, f"{would}{key} = {_plain_text(now)}")


def _plain_text(value: Any) -> str:
    return ", ".join(f"{name} {one}" for name, one in value.items()) if isinstance(value, dict) else str(value)


def _setting_text(value: Any) -> str:
    if isinstance(value, dict):
        return _plain_text(value)
    return "not set" if value in (None, "", []) else str(value).lower() if isinstance(value, bool) else str(value)
