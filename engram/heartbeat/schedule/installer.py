"""Installs what calls the heartbeat, through the programs of the system, and removes exactly what it installed.

What is installed is kept in `.engram/schedule.json`, so that `status` knows the interval.
"""

import datetime as dt
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any
from typing import NamedTuple

from engram.base.clock import from_iso
from engram.base.clock import to_iso
from engram.base.disk.files import write_atomically
from engram.base.disk.own_files import read_own_text
from engram.base.log import warn
from engram.base.machine.own_command import own_command
from engram.errors import EngramError
from engram.errors import RefusedError
from engram.heartbeat.schedule.cron import Cron
from engram.heartbeat.schedule.cron_text import CRON
from engram.heartbeat.schedule.cron_text import LAUNCHD
from engram.heartbeat.schedule.cron_text import SYSTEMD
from engram.heartbeat.schedule.cron_text import Call
from engram.heartbeat.schedule.cron_text import as_shell
from engram.heartbeat.schedule.launchd import Launchd
from engram.heartbeat.schedule.systemd import Systemd
from engram.workspace import Workspace

_PROGRAMS = {CRON: "crontab", SYSTEMD: "systemctl", LAUNCHD: "launchctl"}


class Schedule(NamedTuple):
    """What is installed."""

    every_s: int
    by: str  # cron, systemd or launchd
    installed_at: dt.datetime


def read_schedule(workspace: Workspace) -> Schedule | None:
    """Return what was installed for this workspace; None when nothing was, or its note does not read."""
    try:
        found = json.loads(read_own_text(workspace.paths.schedule))
        return Schedule(int(found["every_s"]), str(found["by"]), from_iso(found["installed_at"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def heartbeat_call(root: Path) -> Call:
    """Return the command by which the heartbeat of a workspace is called from anywhere, with the PATH of this shell."""
    return Call(own_command(root, "heartbeat", "run"), root, _search_path())


def _search_path() -> tuple[str, ...]:
    """Return the folders of our PATH that are there and that a line of a crontab can name."""
    folders = os.environ.get("PATH", "").split(os.pathsep)
    named = (one for one in folders if one.isprintable() and "\\" not in one)
    return tuple(one for one in named if Path(one).is_absolute() and Path(one).is_dir())


def find_caller_here() -> str | None:
    """Return which of cron, systemd and launchd would call the heartbeat on this system; None when it has none.

    On macOS that is launchd: cron is there as well, but may read nothing in a person's own folders without being asked.
    """
    names = (LAUNCHD, CRON) if sys.platform == "darwin" else (CRON, SYSTEMD)
    return next((name for name in names if shutil.which(_PROGRAMS[name])), None)


def install(workspace: Workspace, every_s: int, by: str | None, *, dry_run: bool) -> dict[str, Any]:
    """Install the schedule, in the place of an earlier one, and return what that is; with `dry_run` only return it.

    Raises RefusedError when the system has no such program, EngramError when the program fails.
    """
    chosen = by or find_caller_here() or CRON
    way = _way(chosen, workspace)
    report = way.plan(every_s)
    if dry_run:
        return {**report, "dry_run": True}
    _need(chosen, workspace)
    former = read_schedule(workspace)
    way.put(every_s)
    if former is not None and former.by != chosen:  # not before: else nothing calls the heartbeat when that fails
        _way(former.by, workspace).remove()
    kept = {"every_s": every_s, "by": chosen, "installed_at": to_iso(workspace.now())}
    write_atomically(workspace.paths.schedule, json.dumps(kept).encode(), mode=0o600)
    return report


def uninstall(workspace: Workspace, *, dry_run: bool) -> dict[str, Any]:
    """Remove what was installed, by every program that is there, and return what that was.

    A program that cannot be asked, such as a crontab that the user may not have, is a warning, unless by our note it
    is the one that calls the heartbeat.
    """
    former = read_schedule(workspace)
    found: list[tuple[Way, list[str]]] = []
    for by, program in _PROGRAMS.items():
        if shutil.which(program) is None:
            continue
        way = _way(by, workspace)
        try:
            found.append((way, way.installed()))
        except EngramError as problem:
            if former is None or former.by == by:
                raise
            warn(f"{by} was not asked what is installed: {problem.message}")
    if not dry_run:
        for way, entries in found:
            if entries:
                way.remove()
        workspace.paths.schedule.unlink(missing_ok=True)
    removed = [entry for _, entries in found for entry in entries]
    return {"removed": removed, **({"dry_run": True} if dry_run else {})}


Way = Cron | Systemd | Launchd


def _way(by: str, workspace: Workspace) -> Way:
    call = heartbeat_call(workspace.paths.root)
    if by == LAUNCHD:
        return Launchd(call)
    return Cron(call) if by == CRON else Systemd(call)


def _need(by: str, workspace: Workspace) -> None:
    """Raise RefusedError unless the program for it is there."""
    if shutil.which(_PROGRAMS[by]) is None:
        command = as_shell([heartbeat_call(workspace.paths.root).command])[0]
        raise RefusedError(
            f"this system has no program {_PROGRAMS[by]}",
            hint=f"let what there is call every half an hour: {command}",
        )
