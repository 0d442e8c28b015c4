"""The journal of a workspace where several machines share one: catching up with it, and deciding in turn.

Invariant: while a process decides, it holds the shared journal's lock and then the store lock, always in this order,
and its files stand where the shared journal stands.
"""

import contextlib
import os
import shutil
import time
from collections.abc import Iterator
from typing import Final

from engram.base.clock import to_iso
from engram.base.log import warn
from engram.base.log import warn_once_a_minute
from engram.config.shared_journal import last_contact
from engram.errors import DegradedIndexError
from engram.errors import EngramError
from engram.errors import JournalAwayError
from engram.errors import SettingsError
from engram.errors import StoreBusyError
from engram.model.commands.command import CommandResult
from engram.model.commands.command import Outcome
from engram.store.journal.file_journal import FileJournal
from engram.store.journal.replica_journal import ReplicaJournal
from engram.store.journal.replica_journal import load_replica
from engram.store.store_format import require_writable
from engram.workspace.database_access import DatabaseAccess
from engram.workspace.late import signed_history
from engram.workspace.life_files import LifeFiles
from engram.workspace.surroundings import Surroundings

_FOLLOW_S: Final = 5.0  # after which a question looks again what other machines have written
_SLOW_S: Final = 1.0  # an attempt that fails after that long is not made again at once
_RESPITE_S: Final = 10.0  # for which it is not made again


class JournalAccess:
    """The journal as machines share it; that of a workspace which shares none stands where its files stand."""

    def __init__(self, around: Surroundings, journal: FileJournal, database: DatabaseAccess, life: LifeFiles) -> None:
        """Take the workspace, its journal, and what is made of it."""
        self._around = around
        self._paths = around.paths
        self._locks = around.locks
        self._journal = journal
        self._database = database
        self._life = life

    @property
    def replica(self) -> ReplicaJournal | None:
        """The journal as a copy of the shared one; None for a workspace of files alone."""
        if not self._around.settings.journal.url:
            return None
        return self._journal if isinstance(self._journal, ReplicaJournal) else None

    @contextlib.contextmanager
    def deciding(self, wait_s: float) -> Iterator[None]:
        """Keep other machines from deciding, where there are some.

        Raises StoreBusyError when they do not make room in time, JournalAwayError when the server cannot be had.
        """
        with contextlib.ExitStack() as stack:
            if self.replica is not None:
                with self._away_is_noted():
                    stack.enter_context(self.replica.shared.hold(wait_s))
            yield

    def pull(self) -> None:
        """Bring the files of the journal to where the shared one stands, under the store lock.

        Raises SettingsError where the journal has moved since the settings were read.
        """
        if self.replica is None:
            self._require_files()
            return
        with self._away_is_noted():
            if self.replica.is_rewritten():
                self._renew()
            self.replica.pull()
        self._note_look()

    def follow(self) -> None:
        """Take in what other machines have written, if it is time to look again; without the server, nothing."""
        if self.replica is None or self._looked_lately():
            return
        try:
            with self._away_is_noted():
                standing = self.replica.shared.standing()
            if (standing.position, standing.head) != self._journal.head() or not self._paths.replica.exists():
                with self._locks.named("store", "follower").hold(wait_s=self._around.settings.store.wait_s):
                    self.pull()
                    with self._database.attached_to_write() as database:
                        self._database.catch_up(database)
            self._note_look()
        except (StoreBusyError, SettingsError, OSError) as problem:
            said = problem.message if isinstance(problem, EngramError) else problem.strerror
            warn_once_a_minute(f"{said}; reading the copy on this machine")

    def apply_local(self) -> None:
        """Bring the database to what is on this machine, without the server."""
        with self._locks.named("store", "reader").hold(wait_s=self._around.settings.store.wait_s):
            require_writable(self._paths.format)
            with self._database.attached_to_write() as database:
                self._database.catch_up(database)

    def acknowledged(self, result: CommandResult) -> CommandResult:
        """Return a result that also says that it is shared, where the workspace shares its journal."""
        if self.replica is None:
            return result
        return result.model_copy(update={"details": {**result.details, "shared": True}})

    def describe(self) -> dict[str, str | None] | None:
        """Return where the shared journal lies, its name there, and when the server was last heard; None without one.

        No server is asked.
        """
        journal = self._around.settings.journal
        if not journal.url:
            return None
        heard = last_contact(self._paths)
        return {"url": journal.url, "name": journal.workspace, "last_contact": to_iso(heard) if heard else None}

    def kept_here(self, kind: str, command_id: str, away: JournalAwayError) -> CommandResult:
        """Return what is said of a command that waits in the spool until the server is back."""
        return CommandResult(
            command_id=command_id,
            kind=kind,
            status=Outcome.ACCEPTED,
            reason=f"kept on this machine, not yet shared: {away.message}",
            hint=away.hint,
            details={"shared": False},
        )

    # -- inside

    def _renew(self) -> None:
        """Follow a shared journal that was written anew: what was forgotten elsewhere goes from here, too."""
        assert self.replica is not None  # noqa: S101 - for the type
        warn("something was forgotten on another machine: the journal of this one is written anew")
        signed_history().begin_rewriting(self._paths, self._journal, self._around.now())
        self._database.database.destroy()  # made anew from the journal as it is then
        self.replica.renew()
        signed_history().end_rewriting(self._paths, self._journal, self._around.now())
        self._drop_projections()

    def _drop_projections(self) -> None:
        with contextlib.suppress(DegradedIndexError):
            self._around.index.remove_soon("forget")
        shutil.rmtree(self._paths.embedding_cache, ignore_errors=True)  # nothing tells which vector is of which text
        for path in [*self._paths.projections.glob("engram.duckdb.*"), *self._paths.journal.glob("damaged-*")]:
            path.unlink()
        self._life.renew_pages()

    def _require_files(self) -> None:
        if not self._paths.replica.exists():
            return
        state = load_replica(self._paths.replica)
        if state is not None and state.is_attached:
            raise SettingsError(
                f"the journal of this folder is a copy of {state.workspace!r} on a server, and journal.url is empty",
                hint="start this process again if it ran before that; else set journal.url, or engram migrate-store",
            )

    @contextlib.contextmanager
    def _away_is_noted(self) -> Iterator[None]:
        """Let an attempt that fails slowly stand for the next few seconds: nobody waits twice for the same silence."""
        note = self._paths.locks / "journal.away"
        if 0 <= time.time() - _changed_at(note) < _RESPITE_S:
            raise JournalAwayError("the server of the shared journal did not answer a moment ago")
        begun = time.monotonic()
        try:
            yield
        except JournalAwayError:
            if time.monotonic() - begun > _SLOW_S:
                with contextlib.suppress(OSError):
                    note.touch(0o600)
            raise

    def _looked_lately(self) -> bool:
        return 0 <= time.time() - _changed_at(self._paths.replica) < _FOLLOW_S

    def _note_look(self) -> None:
        with contextlib.suppress(OSError):
            os.utime(self._paths.replica)


def _changed_at(path: "os.PathLike[str]") -> float:
    try:
        return os.stat(path).st_mtime  # noqa: PTH116 - any path
    except OSError:
        return 0.0
