"""Takes back what `engram setup` put onto this machine; the workspace stays unless its path is given."""

import os
import shutil
from pathlib import Path
from typing import Any
from typing import NamedTuple

from engram.base.disk.home import at_home
from engram.errors import BadValueError
from engram.heartbeat.schedule import installer as schedules
from engram.hooks.hosts import NAMES
from engram.hooks.hosts import load_host
from engram.hooks.installation.installer import Target
from engram.hooks.installation.installer import apply_edits
from engram.hooks.installation.installer import plan_uninstall
from engram.onboarding.environment import calls
from engram.onboarding.install_record import read_installed
from engram.warm import holder
from engram.workspace import Workspace


class UndoReport(NamedTuple):
    """What was taken back, or would be."""

    hosts: list[str]  # titles of the programs that no longer call Engram
    schedule: list[str]  # lines and files that called the heartbeat
    removed: list[str]  # of the workspace, paths; empty unless it was named
    kept: list[str]  # what else lies in that folder and is not Engram's
    dry_run: bool

    def as_json(self) -> dict[str, Any]:
        """Return the JSON shape of the command line."""
        return self._asdict()


def undo(workspace: Workspace, *, home: Path, remove: Path | None, dry_run: bool) -> UndoReport:
    """Take out the hooks and the schedule that setup installed, and with `remove` the workspace of that path, too.

    Then whatever calls it at the user's own level goes as well, by whomever that was installed.

    Of the folder only what a workspace consists of is removed, notes and memories included; the folder itself goes when
    nothing else is in it. Raises BadValueError, before anything is done, when the path is not that of the workspace;
    RefusedError for a configuration that cannot be read.
    """
    paths = workspace.paths
    if remove is not None and at_home(remove).resolve() != paths.root:
        raise BadValueError(f"{remove} is not the workspace", hint=f"its path is {paths.root}")
    installed = read_installed(paths)
    targets = [Target(load_host(name), "user", Path.cwd(), home, os.environ) for name in NAMES]
    goes = remove is not None  # then nothing may go on calling it, whoever installed that
    wanted = [one for one in targets if one.host.name in installed.hosts or (goes and calls(one, paths.root))]
    planned = [(target, plan_uninstall(paths, target)) for target in wanted]
    schedule = schedules.uninstall(workspace, dry_run=dry_run)["removed"] if installed.schedule or goes else []
    if not dry_run:
        for _, edits in planned:
            apply_edits(paths, edits, installs=False)
        paths.setup.unlink(missing_ok=True)
        if goes or planned:
            holder.stop(paths)
    removed, kept = _remove(workspace, dry_run=dry_run) if remove is not None else ([], [])
    titles = [target.host.title for target, edits in planned if any(edit.is_change for edit in edits)]
    return UndoReport(titles, schedule, removed, kept, dry_run)


def _remove(workspace: Workspace, *, dry_run: bool) -> tuple[list[str], list[str]]:
    """Remove what a workspace consists of; return that, and what else is in its folder."""
    paths = workspace.paths
    ours = [paths.life, paths.memory, paths.ops, paths.self_file, paths.state, paths.settings]
    present = [path for path in ours if path.exists()]
    others = sorted(str(path) for path in paths.root.iterdir() if path not in ours)
    if not dry_run:
        for path in present:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
        if not others:
            paths.root.rmdir()
    return [str(path) for path in present], others
