"""The store of a workspace: commands, the journal, the database that is made of it, and the files in life/.

What only writing needs is imported when something is written: a process that asks one question must not wait for it.
"""

import contextlib
import datetime as dt
import errno
import time
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any

from engram.base.log import warn
from engram.base.log import warn_once_a_minute
from engram.config.paths import Paths
from engram.config.settings import Settings
from engram.errors import BadValueError
from engram.errors import DamagedDatabaseError
from engram.errors import EngramError
from engram.errors import JournalAwayError
from engram.errors import NewerFormatError
from engram.errors import SettingsError
from engram.errors import StoreBusyError
from engram.model.changes.change import Change
from engram.model.commands.command import CommandResult
from engram.model.commands.command import Envelope
from engram.model.commands.command import Outcome
from engram.model.commands.envelope import make_envelope
from engram.model.fact import Actor
from engram.ports.database import FactDatabase
from engram.store.spool import Spool
from engram.store.store_format import require_readable
from engram.workspace.answer_log import AnswerLog
from engram.workspace.journal_access import JournalAccess
from engram.workspace.late import write_path

if TYPE_CHECKING:
    from engram.services.commands.recorder import Recorder

_READ_ONLY = (errno.EROFS, errno.EACCES, errno.EPERM)
_POLL_S = 0.02  # between two looks for a result that another process may leave
_SERVE_S = 2.0  # for which a process that opened the store for itself goes on for others
_IDLE_S = 0.15  # without a command that somebody waits for, after which it does not


class StoreAccess(JournalAccess):
    """The store, opened for one process. Nothing is held open between calls."""

    def __init__(self, paths: Paths, settings: Settings, now: Callable[[], dt.datetime]) -> None:
        """Join the adapters."""
        super().__init__(paths, settings, now)
        self.spool = Spool(paths.spool)
        self.answers = AnswerLog(self)
        self.fence: Callable[[], None] | None = None  # asked under the store lock before anything is written

    # -- writing

    @contextlib.contextmanager
    def writing(self, owner: str, wait_s: float | None = None, turn_s: float | None = None) -> Iterator["Recorder"]:
        """Hold the store for writing: tail mended, database at the journal's head, spool drained.

        `turn_s` is how long to wait for other machines, `wait_s` for other processes of this one. Raises StoreBusyError
        when it is not free in time, JournalAwayError when the journal's server cannot be had, DamagedJournalError when
        the journal has lost what the database still knows, and whatever `fence` raises.
        """
        wait = self.settings.store.wait_s if wait_s is None else wait_s
        with contextlib.ExitStack() as stack:
            stack.enter_context(self.deciding(wait if turn_s is None else turn_s))
            stack.enter_context(self.lock("store", owner).hold(wait_s=wait))
            if self.fence is not None:
                self.fence()
            self.require_writable()
            self.pull()
            database = stack.enter_context(self.attached_to_write())
            self.catch_up(database)
            recorder: Recorder = write_path().open_recorder(
                self.spool,
                self.acknowledged,
                self.journal,
                database,
                settings=self.settings,
                now=self.now,
                recalled=self.answers.recalled(),
            )
            yield recorder

    def submit(
        self,
        kind: str,
        args: Mapping[str, Any],
        *,
        actor: Actor = Actor.USER,
        wait_s: float | None = None,
        command_id: str | None = None,
    ) -> CommandResult:
        """Spool one command, and return what became of it; `accepted` when it was not applied in time.

        Whoever gets the store lock applies everybody's commands, so this either applies its own or finds the result.
        `command_id` is one that whoever asks chose: the same command again has one effect, another one is refused.
        """
        wait = self.settings.store.wait_s if wait_s is None else wait_s
        envelope = self.envelope(kind, args, actor=actor, command_id=command_id, wants_result=wait > 0, own_id=True)
        kept = self.spool.put(envelope.model_dump(mode="json"))
        return self.settle(envelope, kept.name, time.monotonic() + wait)

    def settle(self, envelope: Envelope, name: str, deadline: float) -> CommandResult:
        """Apply a spooled command, or find the result that another process left; `accepted` after the deadline.

        `name` is that of its file in the spool.
        """
        while time.monotonic() < deadline:
            if (left := self.spool.take_result(name)) is not None:
                return CommandResult.model_validate_json(left)
            try:
                return self._apply_own(envelope, name, deadline - time.monotonic())
            except JournalAwayError as away:
                return self.kept_here(envelope.kind, envelope.id, away)
            except StoreBusyError:
                time.sleep(_POLL_S)
        return CommandResult(command_id=envelope.id, kind=envelope.kind, status=Outcome.ACCEPTED)

    def serve_others(self) -> None:
        """Take in what other processes wait for, as long as more of it comes, but not for long.

        For a process that has opened the store for one command: each of the others would load the engines as well.
        """
        last = time.monotonic() if self.spool.is_awaited() else -_IDLE_S
        until = time.monotonic() + _SERVE_S
        try:
            while time.monotonic() < min(until, last + _IDLE_S):
                if not self.spool.is_awaited():
                    time.sleep(_POLL_S)
                    continue
                self.spool.serve()
                with self.writing("serving", wait_s=max(0.0, until - time.monotonic())) as recorder:
                    self.life.refresh_quietly(recorder)
                last = time.monotonic()
        except (EngramError, OSError):
            return  # whoever waits finds it by himself, and says so
        finally:
            self.spool.end_serving()

    def plan(
        self, kind: str, args: Mapping[str, Any], *, actor: Actor = Actor.USER
    ) -> tuple[CommandResult, list[Change]]:
        """Return what a command would do now; changes nothing at all."""
        envelope = self.envelope(kind, args, actor=actor)
        with self.lock("store", "plan").hold(wait_s=self.settings.store.wait_s, shared=True):
            if not self.database.exists():
                with self.in_memory() as database:
                    return self._planned(database, envelope)
            with self.attached_to_read() as database:
                return self._planned(database, envelope)

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
        """Return a command as it is spooled; see `make_envelope`."""
        made = make_envelope(
            kind,
            dict(args),
            at=self.now(),
            actor=actor,
            command_id=command_id,
            wants_result=wants_result,
            own_id=own_id,
        )
        return Envelope(**made._asdict())

    # -- reading

    @contextlib.contextmanager
    def reading(self, *, applies: bool = True) -> Iterator[FactDatabase]:
        """Hold the database for reading, with all that was acknowledged applied first when that can be had in time.

        Without `applies` it is read as it stands: for what cannot wait, and comes again.
        """
        require_readable(self.paths.format)
        if applies:
            self.follow()
        with contextlib.ExitStack() as stack:
            database = self._attach_current(stack) if applies else None
            if database is None:
                stale = self._freshen() if applies or not self.database.exists() else None
                stack.enter_context(self._lock_to_read(stale))
                try:
                    there = self.database.exists()  # a forgetting takes the file away, until it has made another
                    database = stack.enter_context(self.attached_to_read() if there else self.in_memory())
                except DamagedDatabaseError as damage:
                    raise stale or damage from damage
            yield database
        self.put_damaged_away()

    @contextlib.contextmanager
    def held_to_read(self) -> Iterator[Path]:
        """Hold the database's file for reading without opening it, as fresh as can be had in time; give its path."""
        with self._lock_to_read(self.apply_waiting()):
            yield self.paths.database

    def apply_waiting(self) -> Exception | None:
        """Apply the commands that wait, when that can be had in time; costs nothing when none does.

        Returns why they could not be applied.
        """
        return self._freshen() if self.spool.waiting() or not self.database.exists() else None

    def command_result(self, command_id: str) -> CommandResult | None:
        """Return what became of a command: its result, `accepted` while it waits, None when unknown."""
        with self.reading() as database:
            found = database.command_result(command_id)
        if found is None and self.spool.find(command_id) is not None:
            return CommandResult(command_id=command_id, kind="", status=Outcome.ACCEPTED)
        return found

    # -- files in life/

    def refresh_mirror(
        self, *, thorough: bool = True, accept: bool = False, takes_edits: bool = True
    ) -> dict[str, Any]:
        """Take in what people edited in life/, then write what changed; see `services.mirror.refresh`."""
        with self.writing("mirror") as recorder:
            return self.life.refresh(recorder, thorough=thorough, accept=accept, takes_edits=takes_edits)

    # -- inside

    def _planned(self, database: FactDatabase, envelope: Envelope) -> tuple[CommandResult, list[Change]]:
        planned: tuple[CommandResult, list[Change]] = write_path().plan_command(database, envelope, self.settings)
        return planned

    def _attach_current(self, stack: contextlib.ExitStack) -> FactDatabase | None:
        """Hold the database for reading if nothing waits to be applied to it; else hold nothing and return None."""
        if self.spool.waiting() or not self.database.exists():
            return None
        with contextlib.ExitStack() as own:
            own.enter_context(self._lock_to_read())
            if not self.database.exists():  # it went while we waited
                return None
            try:
                database = own.enter_context(self.attached_to_read())
                if database.position() != self.journal.head()[0] or not database.is_derived():
                    return None
            except DamagedDatabaseError:
                return None
            stack.enter_context(own.pop_all())
            return database

    def _lock_to_read(self, stale: Exception | None = None) -> contextlib.AbstractContextManager[None]:
        """Hold the store with others who read; whoever waited for it in vain (`stale` says so) waits no second time."""
        wait = 0.0 if isinstance(stale, StoreBusyError) else self.settings.store.wait_s
        return self.lock("store", "reader").hold(wait_s=wait, shared=True)

    def _freshen(self) -> Exception | None:
        """Apply what waits; where that cannot be had, what was applied so far is read as it is, and why is returned."""
        try:
            with self.writing("reader"):
                return None
        except JournalAwayError as away:
            warn_once_a_minute(f"{away.message}; reading the copy on this machine")
            self.apply_local()
            return away
        except (StoreBusyError, SettingsError, NewerFormatError, OSError) as problem:
            if not self.database.exists() or not (why := _why_not_applied(problem)):
                raise
            warn(f"{why}: reading what was applied so far")
            return problem

    def _apply_own(self, envelope: Envelope, name: str, turn_s: float) -> CommandResult:
        with self.writing(envelope.kind, wait_s=0, turn_s=max(turn_s, 0)) as recorder:
            left = self.spool.take_result(name)
            self.life.refresh_quietly(recorder)
            if left is not None:
                return CommandResult.model_validate_json(left)
            known = recorder.database.command_result(envelope.id)
            if known is None:
                raise BadValueError(f"command {envelope.id} was set aside as unreadable", hint="engram doctor")
            return self.acknowledged(write_path().known_result(envelope, known))


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
