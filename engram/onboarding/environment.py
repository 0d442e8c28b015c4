"""What is on a machine before anything is set up: hosts, conversations, a model, what could call the heartbeat.

A *host* is here when its folder is there or its program is on PATH. Looking changes nothing.
"""

import os
import shlex
import shutil
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from typing import NamedTuple

from engram.base.disk.given_files import read_given
from engram.base.json_values import load_json
from engram.config.paths import Paths
from engram.config.sections.recall import EmbeddingSettings
from engram.errors import RefusedError
from engram.hooks.hosts import NAMES
from engram.hooks.hosts import load_host
from engram.hooks.installation.installer import Edit
from engram.hooks.installation.installer import Target
from engram.hooks.installation.installer import plan_install
from engram.hooks.installation.status import installed_commands
from engram.store.embedding.choice import PROVIDER_VARIABLE
from engram.store.embedding.choice import choose_model
from engram.store.embedding.hub_models import download_megabytes

# What is to be done about a host.
INSTALL, UPDATE, MOVE, THERE, BY_PLUGIN, REFUSED = "install", "update", "move", "there", "by_plugin", "refused"


class HostPlan(NamedTuple):
    """A host on this machine, and what connecting it takes."""

    target: Target
    state: str  # install, update, move (it calls another workspace now), there, by_plugin or refused
    edits: Sequence[Edit] = ()
    why: str = ""  # it is refused

    @property
    def name(self) -> str:
        """Its name for commands."""
        return self.target.host.name

    def as_json(self) -> dict[str, Any]:
        """Return the JSON shape of the command line."""
        files = [str(edit.path) for edit in self.edits]
        why = {"why": self.why} if self.why else {}
        return {"host": self.name, "title": self.target.host.title, "state": self.state, "files": files, **why}


class ModelPlan(NamedTuple):
    """The model that turns text into vectors, or the one that could be fetched."""

    used: str | None  # name of the one that is here
    why: str  # in words
    offered: str | None = None  # name of the one that can be fetched
    megabytes: int | None = None  # of that, about
    fetch: bool = False  # it was agreed to

    def as_json(self) -> dict[str, Any]:
        """Return the JSON shape of the command line."""
        return self._asdict()


def find_hosts(
    paths: Paths, *, home: Path, environment: Mapping[str, str], folder: Path, instructions: bool
) -> list[HostPlan]:
    """Return the hosts on this machine with what connecting each to a workspace takes, at the user's own level."""
    targets = [Target(load_host(name), "user", folder, home, environment) for name in NAMES]
    search_path = environment.get("PATH")
    return [_planned(paths, one, instructions=instructions) for one in targets if is_here(one, search_path)]


def is_here(target: Target, search_path: str | None) -> bool:
    """Tell whether a host is on this machine: its folder is there, or its program is on the path."""
    config = target.places().config
    folder = config.parent.parent if target.host.files is not None else config.parent
    program = target.host.program or target.host.name
    return folder.is_dir() or shutil.which(program, path=search_path) is not None


def calls(target: Target, root: Path) -> bool:
    """Tell whether a host's hooks call the workspace of a folder. Raises RefusedError as `installed_commands` does."""
    return any(str(root) in shlex.split(command) for command in installed_commands(target).values())


def find_model(settings: EmbeddingSettings) -> ModelPlan:
    """Return the model that is used, else the one that could be fetched; loads none. Raises SettingsError."""
    model, why = choose_model(settings)
    if model is not None:
        return ModelPlan(model.name, why)
    instead = os.environ.get(PROVIDER_VARIABLE, "") if settings.provider == "auto" else ""
    if (instead or settings.provider) not in {"auto", "fastembed"}:
        return ModelPlan(None, why)
    megabytes = download_megabytes(settings.model)
    return ModelPlan(None, why, settings.model if megabytes else None, megabytes)


def _planned(paths: Paths, target: Target, *, instructions: bool) -> HostPlan:
    if _plugin_calls(target):
        return HostPlan(target, BY_PLUGIN)
    has_file = target.places().instructions is not None
    try:
        edits = plan_install(paths, target, instructions=instructions and has_file)
        commands = installed_commands(target)
    except RefusedError as problem:
        return HostPlan(target, REFUSED, why=problem.message)
    if not edits:
        return HostPlan(target, THERE)
    if not commands:
        return HostPlan(target, INSTALL, edits)
    return HostPlan(target, UPDATE if calls(target, paths.root) else MOVE, edits)


def _plugin_calls(target: Target) -> bool:
    """Tell whether our plugin is on in Claude Code: with hooks besides, each event would be told twice."""
    if target.host.name != "claude-code":
        return False
    try:
        found = load_json(read_given(target.places().config))
    except (OSError, ValueError):
        return False
    plugins = found.get("enabledPlugins") if isinstance(found, dict) else None
    return isinstance(plugins, dict) and any(on and name.startswith("engram@") for name, on in plugins.items())
