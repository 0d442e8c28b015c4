"""A workspace that one process holds over many commands, as `serve_others` and a heartbeat hold it over some.

The store is attached once, commands wait in the spool until several are taken in together, and the files of life/ are
written now and then: a turn of its own for each command takes four times as long.
"""

import contextlib
import datetime as dt
import math
import random
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engram.config.paths import Paths
from engram.config.settings import load_settings
from engram.model.changes.change import Change
from engram.model.commands.command import CommandResult
from engram.model.commands.command import Outcome
from engram.model.fact import Actor
from engram.services.commands.recorder import Recorder
from engram.services.commands.recorder import plan_command
from engram.warm.warm_store import WarmIndexAccess
from engram.warm.warm_store import WarmWorkspace
from engram.workspace.answer_log import AnswerLog
from engram.workspace.command_access import CommandAccess
from engram.workspace.life_files import LifeFiles
from engram.workspace.spool_drain import drain
from engram.workspace.store_access import StoreAccess
from engram.workspace.surroundings import Surroundings

_WAITS = (0.6, 0.95, 1.0)  # of commands: they are applied with those behind them, or when somebody reads
_WRITTEN = (0.1, 0.5)  # of the times that something is applied: life/ is written
_LET_GO = (0.0, 0.2)  # of those times: the store is let go of


class _LifeNowAndThen(LifeFiles):
    """Files in life/ that are written now, or left to a later time."""

    is_written: Callable[[], bool]

    def refresh_quietly(self, recorder: Recorder) -> None:
        """Write them if it is time."""
        if self.is_written():
            super().refresh_quietly(recorder)


class _HeldStore(StoreAccess):
    """A store that stays held: what waits is applied when a writer or a reader comes."""

    def __init__(self, around: Surroundings, answers: AnswerLog, chance: random.Random) -> None:
        """Take the workspace; nothing is opened."""
        super().__init__(around, answers)
        self.is_apart = False
        self.applied: list[CommandResult] = []  # what became of commands that had to wait, for who takes it away
        self.waiting: list[str] = []  # their names in the spool
        self._held = contextlib.ExitStack()
        self._recorder: Recorder | None = None
        written = chance.choice(_WRITTEN)
        self.life = _LifeNowAndThen(around, self.journal)
        self.life.is_written = lambda: self.is_apart or chance.random() < written

    @contextlib.contextmanager
    def writing(self, owner: str, wait_s: float | None = None, turn_s: float | None = None) -> Iterator[Recorder]:
        """Give the recorder of the held store, after what waits was applied."""
        if self.is_apart:
            with super().writing(owner, wait_s, turn_s) as recorder:
                yield recorder
            return
        if self._recorder is None:
            self._recorder = self._held.enter_context(super().writing(owner, wait_s, turn_s))
        else:
            drain(self.spool, self._recorder, self.shared.acknowledged)
        for name in self.waiting:
            if (left := self.spool.take_result(name)) is not None:
                self.applied.append(CommandResult.model_validate_json(left))
        self.waiting.clear()
        yield self._recorder

    @contextlib.contextmanager
    def reading(self, *, applies: bool = True) -> Iterator[Any]:
        """Give the held database, after what waits was applied."""
        if self.is_apart:
            with super().reading(applies=applies) as database:
                yield database
            return
        if not applies and self._recorder is not None:
            yield self._recorder.database
            return
        with self.writing("reader") as recorder:
            yield recorder.database

    def let_go(self) -> None:
        """Let go of the store, after what waits was applied."""
        if self.waiting:
            with self.writing("letting go"):
                pass
        self.close()

    def close(self) -> None:
        """Let go of the store."""
        self._recorder = None
        self._held.close()


class _HeldCommands(CommandAccess):
    """The commands of a held store: what is given to it is applied when chance or a reader wants it."""

    def __init__(self, around: Surroundings, store: _HeldStore, chance: random.Random) -> None:
        """Take the workspace and its store."""
        super().__init__(around, store)
        self._held = store
        self._chance = chance
        self.waits, self._goes = chance.choice(_WAITS), chance.choice(_LET_GO)

    def submit(
        self,
        kind: str,
        args: Mapping[str, Any],
        *,
        actor: Actor = Actor.USER,
        wait_s: float | None = None,
        command_id: str | None = None,
    ) -> CommandResult:
        """Spool a command; apply it with those before it, or let it wait for those behind it."""
        if self._held.is_apart:
            return super().submit(kind, args, actor=actor, wait_s=wait_s, command_id=command_id)
        envelope = self.envelope(kind, args, actor=actor, command_id=command_id, wants_result=True)
        self._held.waiting.append(self._held.spool.put(envelope.model_dump(mode="json")).name)
        if self._chance.random() < self.waits:
            return CommandResult(command_id=envelope.id, kind=kind, status=Outcome.ACCEPTED)
        with self._held.writing(kind) as recorder:
            self._held.life.refresh_quietly(recorder)
        if self._chance.random() < self._goes:
            self._held.let_go()
        return self._held.applied.pop()

    def plan(
        self, kind: str, args: Mapping[str, Any], *, actor: Actor = Actor.USER
    ) -> tuple[CommandResult, list[Change]]:
        """Plan a command on the held database."""
        if self._held.is_apart:
            return super().plan(kind, args, actor=actor)
        with self._held.reading() as database:
            return plan_command(database, self.envelope(kind, args, actor=actor), self._around.settings)


class HeldWorkspace(WarmWorkspace):
    """A workspace whose store stays held."""

    store: _HeldStore
    commands: _HeldCommands

    def __init__(self, root: Path, now: Callable[[], dt.datetime], chance: random.Random) -> None:
        """Take the folder of a workspace; nothing is opened."""
        paths = Paths(root.resolve())
        super().__init__(paths, load_settings(paths.settings), now, index_idle_s=None)
        self.store = _HeldStore(self, self.answers, chance)
        self.commands = _HeldCommands(self, self.store, chance)
        self.index = WarmIndexAccess(self, self.store, math.inf)

    @contextlib.contextmanager
    def apart(self) -> Iterator[None]:
        """Hold nothing for the length of a block: whoever works in it takes and leaves the store by itself."""
        self.store.let_go()
        self.store.is_apart = True
        try:
            yield
        finally:
            self.store.is_apart = False

    def close(self) -> None:
        """Let go of the store and of the index."""
        self.store.close()
        super().close()
