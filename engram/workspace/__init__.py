"""The one place where ports meet adapters: what a workspace runs on."""

import datetime as dt
from collections.abc import Callable

from engram.base.clock import utc_now
from engram.config.paths import find_workspace
from engram.config.settings import load_settings
from engram.workspace.index_access import Indexing


class Workspace(Indexing):
    """One workspace, opened for one process. Nothing is held open between calls."""


def open_workspace(folder: str | None, *, now: Callable[[], dt.datetime] = utc_now) -> Workspace:
    """Open the workspace that the user means; see `find_workspace` and `load_settings` for what is raised."""
    paths = find_workspace(folder)
    return Workspace(paths, load_settings(paths.settings), now)
