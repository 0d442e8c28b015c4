"""The commands of a workspace: spooled, applied or waited for, planned, and what became of them.

What only writing needs is imported when something is written, as in `store_access`.
"""

import time
from collections.abc import Mapping
from typing import Any

from engram.errors import BadValueError
from engram.errors import EngramError
from engram.errors import JournalAwayError
from engram.errors import StoreBusyError
from engram.model.changes.change import Change
from engram.model.commands.command import CommandResult
from engram.model.commands.command import Envelope
from engram.model.commands.command import Outcome
from engram.model.commands.envelope import make_envelope
from engram.model.fact import Actor
from engram.ports.database import FactDatabase
from engram.workspace.late import write_path
from engram.workspace.store_access import StoreAccess
from engram.workspace.surroundings import Surroundings

_POLL_S = 0.02  # between two looks for a result that another process may leave
_SERVE_S = 2.0  # for which a process that opened the store for itself goes on for others
_IDLE_S = 0.15  # without a command that somebody waits for, after which it does not


class CommandAccess:
    """What somebody wants of a store: whoever holds it decides the commands of everybody."""

    def __init__(self, around: Surroundings, store: StoreAccess) -> None:
        """Take the workspace, and the store that decides."""
        self._around = around
        self._store = store

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
        wait = self._around.settings.store.wait_s if wait_s is None else wait_s
        envelope = self.envelope(kind, args, actor=actor, command_id=command_id, wants_result=wait > 0, own_id=True)
        kept = self._store.spool.put(envelope.model_dump(mode="json"))
        return self.await_result(envelope, kept.name, time.monotonic() + wait)

    def await_result(self, envelope: Envelope, name: str, deadline: float) -> CommandResult:
        """Apply a spooled command, or find the result that another process left; `accepted` after the deadline.

        `name` is that of its file in the spool.
        """
        while time.monotonic() < deadline:
            if (left := self._store.spool.take_result(name)) is not None:
                return CommandResult.model_validate_json(left)
            try:
                return self._apply_own(envelope, name, deadline - time.monotonic())
            except JournalAwayError as away:
                return self._store.shared.kept_here(envelope.kind, envelope.id, away)
            except StoreBusyError:
                time.sleep(_POLL_S)
        return CommandResult(command_id=envelope.id, kind=envelope.kind, status=Outcome.ACCEPTED)

    def serve_others(self) -> None:
        """Take in what other processes wait for, as long as more of it comes, but not for long.

        For a process that has opened the store for one command: each of the others would load the engines as well.
        """
        last = time.monotonic() if self._store.spool.is_awaited() else -_IDLE_S
        until = time.monotonic() + _SERVE_S
        try:
            while time.monotonic() < min(until, last + _IDLE_S):
                if not self._store.spool.is_awaited():
                    time.sleep(_POLL_S)
                    continue
                self._store.spool.serve()
                with self._store.writing("serving", wait_s=max(0.0, until - time.monotonic())) as recorder:
                    self._store.life.refresh_quietly(recorder)
                last = time.monotonic()
        except (EngramError, OSError):
            return  # whoever waits finds it by himself, and says so
        finally:
            self._store.spool.end_serving()

    def plan(
        self, kind: str, args: Mapping[str, Any], *, actor: Actor = Actor.USER
    ) -> tuple[CommandResult, list[Change]]:
        """Return what a command would do now; changes nothing at all."""
        envelope = self.envelope(kind, args, actor=actor)
        with self._around.locks.named("store", "plan").hold(wait_s=self._around.settings.store.wait_s, shared=True):
            if not self._store.projection.database.exists():
                with self._store.projection.in_memory() as database:
                    return self._planned(database, envelope)
            with self._store.projection.attached_to_read() as database:
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
            at=self._around.now(),
            actor=actor,
            command_id=command_id,
            wants_result=wants_result,
            own_id=own_id,
        )
        return Envelope(**made._asdict())

    def find_result(self, command_id: str) -> CommandResult | None:
        """Return what became of a command: its result, `accepted` while it waits, None when unknown."""
        with self._store.reading() as database:
            found = database.command_result(command_id)
        if found is None and self._store.spool.find(command_id) is not None:
            return CommandResult(command_id=command_id, kind="", status=Outcome.ACCEPTED)
        return found

    # -- inside

    def _planned(self, database: FactDatabase, envelope: Envelope) -> tuple[CommandResult, list[Change]]:
        planned: tuple[CommandResult, list[Change]] = write_path().plan_command(
            database, envelope, self._around.settings
        )
        return planned

    def _apply_own(self, envelope: Envelope, name: str, turn_s: float) -> CommandResult:
        with self._store.writing(envelope.kind, wait_s=0, turn_s=max(turn_s, 0)) as recorder:
            left = self._store.spool.take_result(name)
            self._store.life.refresh_quietly(recorder)
            if left is not None:
                return CommandResult.model_validate_json(left)
            known = recorder.database.command_result(envelope.id)
            if known is None:
                raise BadValueError(f"command {envelope.id} was set aside as unreadable", hint="engram doctor")
            return self._store.shared.acknowledged(write_path().known_result(envelope, known))
