"""How `hooks install`, `uninstall` and `status` talk to people. The work is done in `engram.hooks`."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from engram import __version__
from engram.cli.invocation.local_time import shown_minute
from engram.cli.invocation.options import invocation
from engram.cli.invocation.options import table
from engram.config.hook_settings import HookChoices
from engram.config.hook_settings import read_hook_choices
from engram.config.paths import Paths
from engram.config.paths import find_workspace
from engram.errors import RefusedError
from engram.errors import UsageError
from engram.hooks.background.warm_service import warm_state
from engram.hooks.host import USER_PROMPT
from engram.hooks.hosts import NAMES
from engram.hooks.hosts import load_host
from engram.hooks.installation import installer
from engram.hooks.installation.installer import Edit
from engram.hooks.installation.installer import Target
from engram.hooks.installation.status import status_of
from engram.onboarding.environment import calls
from engram.warm.holder import KILLED
from engram.warm.holder import STOPPED
from engram.warm.holder import stop
from engram.warm.likeness import is_newer
from engram.warm.protocol import ANSWERED_BY
from engram.warm.protocol import PROMPT

_UNLIKE = {  # in what it differs -> what that means
    "environment": f"it answers no prompts from here: one of {', '.join(ANSWERED_BY)} is another here; start all hosts "
    "with the same, then engram hooks stop",
    "settings": "it has not read the settings yet that were changed just now",
}


def install(host: str, level: str, *, instructions: bool, yes: bool, dry_run: bool) -> None:
    """Plan, show, ask, write."""
    target = _target(host, level)
    paths = find_workspace(invocation().workspace_dir)
    edits = installer.plan_install(paths, target, instructions=instructions)
    if not edits:
        invocation().emit(_report(target, edits), f"the hooks of {target.host.title} are installed already")
        return
    if not _agreed(edits, yes=yes, dry_run=dry_run):
        return
    backups = [] if dry_run else installer.apply_edits(paths, edits, installs=True)
    invocation().emit(
        _report(target, edits, dry_run=dry_run, backups=[str(one) for one in backups]),
        _installed_text(target, dry_run=dry_run),
    )


def uninstall(host: str, level: str, *, yes: bool, dry_run: bool) -> None:
    """Plan, show, ask, write."""
    target = _target(host, level)
    paths = find_workspace(invocation().workspace_dir)
    planned = installer.plan_uninstall(paths, target)
    edits = [edit for edit in planned if edit.is_change]
    if not edits:
        if not dry_run:
            installer.apply_edits(paths, planned, installs=False)
        invocation().emit(_report(target, edits), f"there are no hooks of {target.host.title} at the level {level}")
        return
    if not _agreed(edits, yes=yes, dry_run=dry_run):
        return
    if not dry_run:
        installer.apply_edits(paths, planned, installs=False)
    said = f"would remove the hooks of {target.host.title}; nothing was changed"
    done = [f"removed the hooks of {target.host.title}; the memory stays as it is"]
    ended = None if dry_run else _end_warm_process(paths)
    done += [f"no other agent calls it: the warm process {ended} ended"] if ended else []
    report = _report(target, edits, dry_run=dry_run, ended=ended)
    invocation().emit(report, said if dry_run else "\n".join(done))


def show_status(names: Sequence[str]) -> None:
    """Show what is installed at either level of these hosts."""
    paths = find_workspace(invocation().workspace_dir)
    found = [status_of(paths, _target(name, level)) for name in names for level in ("project", "user")]
    installed = [one for one in found if one["installed"]]
    warm = warm_state(paths)

    def words() -> str:
        hooks = "\n".join(map(_status_text, installed)) or _nothing_text(names)
        return f"{hooks}\n{warm_text(warm, read_hook_choices(paths))}"

    invocation().emit({"hooks": found, "warm": warm}, words)


def _end_warm_process(paths: Paths) -> int | None:
    """End the process that hooks started, once none of them calls the workspace; return its id if one ran."""
    others = [_target(name, level) for name in NAMES for level in ("project", "user")]
    try:
        if any(calls(other, paths.root) for other in others):
            return None
    except RefusedError:  # nobody can tell what a damaged configuration calls
        return None
    outcome, pid = stop(paths)
    return pid if outcome in {STOPPED, KILLED} else None


def _installed_text(target: Target, *, dry_run: bool) -> str:
    hooks = f"{len(target.host.events)} hooks for {target.host.title}"
    if dry_run:
        return f"would install {hooks}; nothing was changed"
    lines = [f"installed {hooks}", *([target.host.note] if target.host.note else []), *_recall_lines(target)]
    return "\n".join([*lines, "a session that begins now has them; engram hooks status shows whether they fire"])


def _recall_lines(target: Target) -> list[str]:
    """Return what is said of recall for prompts, to people whose host shows it to its agent."""
    if USER_PROMPT not in target.host.listens:
        return []
    if read_hook_choices(find_workspace(invocation().workspace_dir)).recall == "off":
        return ["recall for prompts stays off: engram config hooks.recall warm switches it on"]
    return ["each prompt gets what is known about it; engram config hooks.recall off switches that off"]


def _nothing_text(names: Sequence[str]) -> str:
    first, *others = names
    more = f" (or {', '.join(others)})" if others else ""
    return f"no hooks are installed: engram hooks install {first}{more}"


def warm_text(warm: dict[str, Any] | None, choices: HookChoices) -> str:
    """Return what people read of the warm process."""
    if warm is None and choices.recall == "off":
        return "recall for prompts is off: engram config hooks.recall warm"
    if warm is None:
        return "warm process: does not run; the next prompt starts it"
    words = [f"warm process: runs (pid {warm['pid']}, {warm['owner']}) since {shown_minute(warm['since'])}"]
    if "answered" not in warm:
        return f"{words[0]}, but does not answer this release"
    words += [f"{warm['answered']} questions answered", f"{warm['memory_bytes'] >> 20} MiB of memory"]
    return "\n".join([", ".join(words), *_other_install(warm)])


def _other_install(warm: dict[str, Any]) -> list[str]:
    """Return what people read of a process that another install started, or that was started with other settings."""
    if not warm["differs"]:
        return []
    if PROMPT not in warm["answers"]:
        return [f"  {_UNLIKE[word]}" for word in warm["differs"] if word in _UNLIKE]
    whose = f"  another install of Engram started it: {warm['version']}, {warm['program']}"
    if is_newer({"version": __version__}, warm["version"]):
        return [whose, f"  the next prompt that calls this install ({__version__}) replaces it"]
    return [whose, "  it answers the prompts of both"]


def _target(host: str, level: str) -> Target:
    return Target(load_host(host), level, Path.cwd(), Path.home(), os.environ)


def _report(target: Target, edits: Sequence[Edit], *, dry_run: bool = False, **more: Any) -> dict[str, Any]:
    files = [str(edit.path) for edit in edits]
    planned = {"dry_run": True, "diff": installer.describe(edits)} if dry_run else {}
    return {"host": target.host.name, "level": target.level, "changed": files, **more, **planned}


def _agreed(edits: Sequence[Edit], *, yes: bool, dry_run: bool) -> bool:
    """Show the change on stderr and ask on a terminal; elsewhere --yes has to be said."""
    if not (invocation().as_json and (yes or dry_run)):
        click.echo(installer.describe(edits), err=True)
    if yes or dry_run:
        return True
    if sys.stdin.isatty() and sys.stderr.isatty():
        if click.confirm("make this change?", err=True):
            return True
        invocation().emit({"changed": []}, "nothing was changed")
        return False
    raise UsageError("nothing was changed: there is nobody to ask", hint="say --yes, or look first with --dry-run")


def _status_text(one: dict[str, Any]) -> str:
    rows = [
        (
            f"  {event['event']}",
            "fires" if event["fires"] else "DOES NOT FIRE" if event["tried"] else "not tried",
            f"{event['ms']} ms" if event["tried"] else "",
            f"last called {shown_minute(event['last'])}" if event["last"] else "never called yet",
            (event["tried"] and event["why"]) or "",
        )
        for event in one["events"]
    ]
    untried = "".join(f"\n  {why}" for why in dict.fromkeys(e["why"] for e in one["events"] if not e["tried"]))
    missing = f"\n  missing: {', '.join(one['missing'])}; install again" if one["missing"] else ""
    return f"{one['host']} ({one['level']}: {one['config']})\n{table(rows)}{untried}{missing}"
