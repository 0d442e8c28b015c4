"""The one place where ports meet adapters: what a workspace runs on."""

import datetime as dt
from collections.abc import Callable
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING
from typing import Any

from engram.base.clock import utc_now
from engram.config.paths import Paths
from engram.config.paths import find_workspace
from engram.config.settings import Settings
from engram.config.settings import load_settings
from engram.model.changes.change import Change
from engram.model.commands.command import CommandResult
from engram.model.commands.command import Envelope
from engram.model.fact import Actor
from engram.ports.database import FactDatabase
from engram.ports.progress import Progress
from engram.ports.progress import tell_nobody
from engram.store.database.duck_database import DuckFactDatabase
from engram.store.journal.file_journal import FileJournal
from engram.store.spool import Spool
from engram.store.text_files import WorkspaceFiles
from engram.workspace.answer_log import AnswerLog
from engram.workspace.command_access import CommandAccess
from engram.workspace.index_access import IndexAccess
from engram.workspace.life_files import LifeFiles
from engram.workspace.locks import Locks
from engram.workspace.store_access import StoreAccess

if TYPE_CHECKING:
    from engram.services.commands.recorder import Recorder


class Workspace:
    """One workspace, opened for one process: a store, its commands, the index made of it, and the files beside.

    It joins these parts and does nothing itself: a part's own verbs are called on the part, and what every door needs
    can be had here. Nothing is held open between calls.
    """

    def __init__(self, paths: Paths, settings: Settings, now: Callable[[], dt.datetime]) -> None:
        """Join the adapters."""
        self.paths = paths
        self.settings = settings
        self.now = now
        self.progress: Progress = tell_nobody
        self.fence: Callable[[], None] | None = None
        self.locks = Locks(paths.locks)
        self.answers = AnswerLog(self)
        self.store = StoreAccess(self, self.answers)
        self.commands = CommandAccess(self, self.store)
        self.index = IndexAccess(self, self.store)
        self.files = WorkspaceFiles(paths)

    # -- parts of the store

    @property
    def journal(self) -> FileJournal:
        """The journal."""
        return self.store.journal

    @property
    def database(self) -> DuckFactDatabase:
        """The database, where it lies now."""
        return self.store.projection.database

    @property
    def spool(self) -> Spool:
        """The commands that wait."""
        return self.store.spool

    @property
    def life(self) -> LifeFiles:
        """The files in life/."""
        return self.store.life

    # -- what every door needs

    def reading(self, *, applies: bool = True) -> AbstractContextManager[FactDatabase]:
        """See `StoreAccess.reading`."""
        return self.store.reading(applies=applies)

    def writing(
        self, owner: str, wait_s: float | None = None, turn_s: float | None = None
    ) -> AbstractContextManager["Recorder"]:
        """See `StoreAccess.writing`."""
        return self.store.writing(owner, wait_s, turn_s)

    def submit(
        self,
        kind: str,
        args: Mapping[str, Any],
        *,
        actor: Actor = Actor.USER,
        wait_s: float | None = None,
        command_id: str | None = None,
    ) -> CommandResult:
        """See `CommandAccess.submit`."""
        return self.commands.submit(kind, args, actor=actor, wait_s=wait_s, command_id=command_id)

    def plan(
        self, kind: str, args: Mapping[str, Any], *, actor: Actor = Actor.USER
    ) -> tuple[CommandResult, list[Change]]:
        """See `CommandAccess.plan`."""
        return self.commands.plan(kind, args, actor=actor)

    def envelope(
        self,
        kind: str,
        args: Mapping[str, Any],
        *,
        actor: Actor = Actor.USER,
        command_id: str | None = None,
        wants_result: bool = False,
        own_id: bool = False,
    ) -> Envelope:
        """See `CommandAccess.envelope`."""
        asked = {"wants_result": wants_result, "own_id": own_id}
        return self.commands.envelope(kind, args, actor=actor, command_id=command_id, **asked)


def open_workspace(folder: str | None, *, now: Callable[[], dt.datetime] = utc_now) -> Workspace:
    """Open the workspace that the user means; see `find_workspace` and `load_settings` for what is raised."""
    paths = find_workspace(folder)
    return Workspace(paths, load_settings(paths.settings), now)
