"""What `engram setup` would do, all of it known before anything is done."""

import datetime as dt
import os
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.base.disk.home import at_home
from engram.config.paths import HOME_WORKSPACE
from engram.config.paths import Paths
from engram.config.paths import find_workspace
from engram.errors import NoWorkspaceError
from engram.errors import RefusedError
from engram.heartbeat.schedule.cron_text import format_interval
from engram.heartbeat.schedule.installer import find_caller_here
from engram.heartbeat.schedule.installer import read_schedule
from engram.importers.transcripts.places import Found
from engram.importers.transcripts.places import find_openclaw_notes
from engram.importers.transcripts.places import find_transcripts
from engram.importers.transcripts.places import holdings
from engram.onboarding.environment import INSTALL
from engram.onboarding.environment import MOVE
from engram.onboarding.environment import UPDATE
from engram.onboarding.environment import HostPlan
from engram.onboarding.environment import ModelPlan
from engram.onboarding.environment import find_hosts
from engram.onboarding.environment import find_model
from engram.operations.setup import Made
from engram.operations.setup import make_workspace
from engram.workspace import Workspace

EVERY_S: Final = 1800  # between two heartbeats


class Wishes(NamedTuple):
    """What somebody who sets up may leave out or choose."""

    hooks: bool = True
    capture: bool = True
    schedule: bool = True
    instructions: bool = False  # also a marked block in CLAUDE.md, AGENTS.md and the like
    hosts: Sequence[str] = ()  # names; empty: all that are here
    settings: Mapping[str, str] = {}  # owner and timezone, where they are given


class SchedulePlan(NamedTuple):
    """What calls the heartbeat."""

    every_s: int
    by: str | None  # cron, systemd or launchd; None: this system has none
    is_there: bool  # installed before

    def as_json(self) -> dict[str, Any]:
        """Return the JSON shape of the command line."""
        return {"every": format_interval(self.every_s), "with": self.by, "there": self.is_there}


class SetupPlan(NamedTuple):
    """Everything that is going to be done."""

    root: Path
    made: Made
    hosts: Sequence[HostPlan]
    found: Sequence[Found]  # conversations, oldest first
    notes: Sequence[Path]  # folders of notes that other programs' agents keep, which an import would read
    model: ModelPlan
    schedule: SchedulePlan | None  # None: it was not wanted
    wishes: Wishes

    @property
    def to_connect(self) -> list[HostPlan]:
        """The hosts whose configuration changes."""
        return [one for one in self.hosts if one.state in {INSTALL, UPDATE, MOVE}]

    def as_json(self) -> dict[str, Any]:
        """Return the JSON shape of the command line."""
        return {
            "workspace": str(self.root),
            "new": self.made.is_new,
            "owner": self.made.owner._asdict(),
            "timezone": self.made.settings.timezone,
            "hosts": [one.as_json() for one in self.hosts],
            "conversations": [one.as_json() for one in holdings(self.found)],
            "notes": [str(path) for path in self.notes],
            "model": self.model.as_json(),
            "heartbeat": self.schedule.as_json() if self.schedule else None,
        }


def choose_root(folder: str | None, workspace_dir: str | None, home: Path) -> Path:
    """Return the folder to set up: the one that is named, else the workspace that stands here, else ~/engram.

    Raises RefusedError when there is something else in ~/engram.
    """
    named = folder or workspace_dir or os.environ.get("ENGRAM_WORKSPACE")
    if named:
        return at_home(named).resolve()
    try:
        return find_workspace(None).root
    except NoWorkspaceError:
        root = (home / HOME_WORKSPACE).resolve()
    if root.is_dir() and any(root.iterdir()):  # perhaps a checkout of this very program
        raise RefusedError(f"{root} holds something else already", hint="engram setup DIR sets up another folder")
    return root


def make_plan(root: Path, wishes: Wishes, *, now: Callable[[], dt.datetime], home: Path) -> SetupPlan:
    """Return what setting up a folder would do; changes nothing.

    Raises what `make_workspace` does for an owner or a zone that cannot be.
    """
    paths = Paths(root)
    made = make_workspace(root, wishes.settings, now=now, force=False, dry_run=True)
    workspace = Workspace(paths, made.settings, now)
    hosts = (
        find_hosts(paths, home=home, environment=os.environ, folder=Path.cwd(), instructions=wishes.instructions)
        if wishes.hooks
        else []
    )
    return SetupPlan(
        root,
        made,
        [one for one in hosts if not wishes.hosts or one.name in wishes.hosts],
        find_transcripts(os.environ, home) if wishes.capture else [],
        find_openclaw_notes(os.environ, home) if wishes.capture else [],
        find_model(made.settings.embeddings),
        _schedule(workspace) if wishes.schedule else None,
        wishes,
    )


def _schedule(workspace: Workspace) -> SchedulePlan:
    there = read_schedule(workspace)
    if there is not None:
        return SchedulePlan(there.every_s, there.by, is_there=True)
    return SchedulePlan(EVERY_S, find_caller_here(), is_there=False)
