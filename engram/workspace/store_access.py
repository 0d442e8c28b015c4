"""The store of a workspace: the journal, the database that is made of it, the spool, and the files in life/.

What only writing needs is imported when something is written: a process that asks one question must not wait for it.
"""

import contextlib
import errno
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any

from engram.base.log import warn
from engram.base.log import warn_once_a_minute
from engram.errors import DamagedDatabaseError
from engram.errors import EngramError
from engram.errors import JournalAwayError
from engram.errors import NewerFormatError
from engram.errors import SettingsError
from engram.errors import StoreBusyError
from engram.ports.database import FactDatabase
from engram.store.journal_place import open_journal
from engram.store.spool import Spool
from engram.store.store_format import require_readable
from engram.store.store_format import require_writable
from engram.workspace.answer_log import AnswerLog
from engram.workspace.database_access import DatabaseAccess
from engram.workspace.journal_access import JournalAccess
from engram.workspace.late import write_path
from engram.workspace.life_files import LifeFiles
from engram.workspace.surroundings import Surroundings

if TYPE_CHECKING:
    from engram.services.commands.recorder import Recorder

_READ_ONLY = (errno.EROFS, errno.EACCES, errno.EPERM)


class StoreAccess:
    """The store, held for reading or for writing; nothing is held open between calls."""

    def __init__(self, around: Surroundings, answers: AnswerLog) -> None:
        """Join the adapters; `answers` knows what was given out lately."""
        paths, settings = around.paths, around.settings
        self._around = around
        self._paths = paths
        self._locks = around.locks
        self._answers = answers
        self.journal = open_journal(paths, settings.journal, settings.store.segment_bytes)
        self.spool = Spool(paths.spool)
        self.life = LifeFiles(around, self.journal)
        self.projection = DatabaseAccess(around, self.journal)
        self.shared = JournalAccess(around, self.journal, self.projection, self.life)

    # -- writing

    @contextlib.contextmanager
    def writing(self, owner: str, wait_s: float | None = None, turn_s: float | None = None) -> Iterator["Recorder"]:
        """Hold the store for writing: tail mended, database at the journal's head, spool drained.

        `turn_s` is how long to wait for other machines, `wait_s` for other processes of this one. Raises StoreBusyError
        when it is not free in time, JournalAwayError when the journal's server cannot be had, DamagedJournalError when
        the journal has lost what the database still knows, and whatever `fence` raises.
        """
        wait = self._around.settings.store.wait_s if wait_s is None else wait_s
        with contextlib.ExitStack() as stack:
            stack.enter_context(self.shared.deciding(wait if turn_s is None else turn_s))
            stack.enter_context(self._locks.named("store", owner).hold(wait_s=wait))
            if self._around.fence is not None:
                self._around.fence()
            self.require_writable()
            self.shared.pull()
            database = stack.enter_context(self.projection.attached_to_write())
            self.projection.catch_up(database)
            recorder: Recorder = write_path().open_recorder(
                self.spool,
                self.shared.acknowledged,
                self.journal,
                database,
                settings=self._around.settings,
                now=self._around.now,
                recalled=self._answers.recalled(),
            )
            yield recorder

    def require_writable(self) -> None:
        """Raise NewerFormatError when this version may not write here, DamagedStateError when that cannot be told."""
        require_writable(self._paths.format)

    def refresh_mirror(
        self, *, thorough: bool = True, accept: bool = False, takes_edits: bool = True
    ) -> dict[str, Any]:
        """Take in what people edited in life/, then write what changed; see `services.mirror.refresh`."""
        with self.writing("mirror") as recorder:
            return self.life.refresh(recorder, thorough=thorough, accept=accept, takes_edits=takes_edits)

    # -- reading

    @contextlib.contextmanager
    def reading(self, *, applies: bool = True) -> Iterator[FactDatabase]:
        """Hold the database for reading, with all that was acknowledged applied first when that can be had in time.

        Without `applies` it is read as it stands: for what cannot wait, and comes again.
        """
        require_readable(self._paths.format)
        if applies:
            self.shared.follow()
        with contextlib.ExitStack() as stack:
            database = self._attach_current(stack) if applies else None
            if database is None:
                stale = self._freshen() if applies or not self.projection.database.exists() else None
                stack.enter_context(self._lock_to_read(stale))
                try:
                    there = (
                        self.projection.database.exists()
                    )  # a forgetting takes the file away, until it has made another
                    database = stack.enter_context(
                        self.projection.attached_to_read() if there else self.projection.in_memory()
                    )
                except DamagedDatabaseError as damage:
                    raise stale or damage from damage
            yield database
        self.projection.put_damaged_away()

    @contextlib.contextmanager
    def held_to_read(self) -> Iterator[Path]:
        """Hold the database's file for reading without opening it, as fresh as can be had in time; give its path."""
        with self._lock_to_read(self.apply_waiting()):
            yield self._paths.database

    def apply_waiting(self) -> Exception | None:
        """Apply the commands that wait, when that can be had in time; costs nothing when none does.

        Returns why they could not be applied.
        """
        return self._freshen() if self.spool.waiting() or not self.projection.database.exists() else None

    # -- inside

    def _attach_current(self, stack: contextlib.ExitStack) -> FactDatabase | None:
        """Hold the database for reading if nothing waits to be applied to it; else hold nothing and return None."""
        if self.spool.waiting() or not self.projection.database.exists():
            return None
        with contextlib.ExitStack() as own:
            own.enter_context(self._lock_to_read())
            if not self.projection.database.exists():  # it went while we waited
                return None
            try:
                database = own.enter_context(self.projection.attached_to_read())
                if database.position() != self.journal.head()[0] or not database.is_derived():
                    return None
            except DamagedDatabaseError:
                return None
            stack.enter_context(own.pop_all())
            return database

    def _lock_to_read(self, stale: Exception | None = None) -> contextlib.AbstractContextManager[None]:
        """Hold the store with others who read; whoever waited for it in vain (`stale` says so) waits no second time."""
        wait = 0.0 if isinstance(stale, StoreBusyError) else self._around.settings.store.wait_s
        return self._locks.named("store", "reader").hold(wait_s=wait, shared=True)

    def _freshen(self) -> Exception | None:
        """Apply what waits; where that cannot be had, what was applied so far is read as it is, and why is returned."""
        try:
            with self.writing("reader"):
                return None
        except JournalAwayError as away:
            warn_once_a_minute(f"{away.message}; reading the copy on this machine")
            self.shared.apply_local()
            return away
        except (StoreBusyError, SettingsError, NewerFormatError, OSError) as problem:
            if not self.projection.database.exists() or not (why := _why_not_applied(problem)):
                raise
            warn(f"{why}: reading what was applied so far")
            return problem


def _why_not_applied(problem: Exception) -> str:
    """Return in words why what waits cannot be applied; "" when that is no reason to go on without it."""
    match problem:
        case StoreBusyError():
            return "the store is busy"
        case EngramError(message=message):
            return message
        case OSError(errno=number) if number in _READ_ONLY:
            return "nothing can be written here"
    return ""
