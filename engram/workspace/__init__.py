"""The one place where ports meet adapters: what a workspace runs on."""

import datetime as dt
from collections.abc import Callable

from engram.base.clock import utc_now
from engram.config.paths import Paths
from engram.config.paths import find_workspace
from engram.config.settings import Settings
from engram.config.settings import load_settings
from engram.store.text_files import WorkspaceFiles
from engram.workspace.index_access import IndexAccess
from engram.workspace.store_access import StoreAccess


class Workspace(StoreAccess):
    """One workspace, opened for one process: a store, the index that is made of it, and the files beside.

    Nothing is held open between calls.
    """

    def __init__(self, paths: Paths, settings: Settings, now: Callable[[], dt.datetime]) -> None:
        """Join the adapters."""
        super().__init__(paths, settings, now)
        self.index = IndexAccess(self)
        self.files = WorkspaceFiles(paths)

    def _projections_moved(self) -> None:
        self.index.let_go()


def open_workspace(folder: str | None, *, now: Callable[[], dt.datetime] = utc_now) -> Workspace:
    """Open the workspace that the user means; see `find_workspace` and `load_settings` for what is raised."""
    paths = find_workspace(folder)
    return Workspace(paths, load_settings(paths.settings), now)
