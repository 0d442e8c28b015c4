"""A whole workspace for tests: real journal, database and files, with a clock that the test turns."""

import contextlib
import datetime as dt
from collections.abc import Iterable
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engram.config.paths import Paths
from engram.config.settings import Settings
from engram.model.commands.command import CommandResult
from engram.model.fact import Fact
from engram.ports.database import FactFilter
from engram.services.commands.recorder import Recorder
from engram.services.mirror.refresh import find_differences
from engram.services.mirror.refresh import refresh
from engram.store.life_mirror import LifeMirror
from engram.workspace import Workspace

MONDAY = dt.datetime(2026, 3, 2, 10, tzinfo=dt.UTC)


class House:
    """A workspace with its mirror and a clock that the test turns."""

    def __init__(self, root: Path, settings: Settings) -> None:
        self.now = MONDAY
        self.workspace = Workspace(Paths(root), settings, lambda: self.now)
        for folder in self.workspace.paths.folders():
            folder.mkdir(parents=True, exist_ok=True)
        self.mirror = LifeMirror(self.workspace.paths)
        self.life = self.workspace.paths.life
        self.edits = self.workspace.paths.edits
        self.state = self.workspace.paths.mirror_state
        self._recorder: Recorder | None = None  # while the store is kept open

    @contextlib.contextmanager
    def kept_open(self) -> Iterator[None]:
        """Open the store once for all that is written in the block, which takes half the time; nothing reads there."""
        with self.workspace.writing("test") as self._recorder:
            yield
        self._recorder = None

    def write(self, text: str, entity: str = "people/anna", **fields: Any) -> str:
        """Record a fact, life/ untouched, and return its id."""
        return str(self.submit("write", entity=entity, text=text, create=True, **fields).id)

    def write_all(self, texts: Iterable[str], entity: str = "people/anna") -> None:
        """Record a fact for each text, as `write` does, but open the store once."""
        given = [{"entity": entity, "text": text, "create": True} for text in texts]
        with self.workspace.writing("test") as recorder:
            results = recorder.record([self.workspace.envelope("write", args) for args in given])
        assert all(result.id for result in results), results

    def submit(self, kind: str, **args: Any) -> CommandResult:
        """Record any command, life/ untouched."""
        with contextlib.nullcontext(self._recorder) if self._recorder else self.workspace.writing("test") as recorder:
            result = recorder.record([self.workspace.envelope(kind, args)])[0]
        assert result.exit_code in {0, 4}, result
        return result

    def refresh(self, *, thorough: bool = True) -> dict[str, Any]:
        with self.workspace.writing("test") as recorder:
            return refresh(
                recorder,
                self.workspace.journal,
                self.mirror,
                settings=self.workspace.settings,
                now=self.now,
                thorough=thorough,
            )

    def facts(self, entity: str = "people/anna", status: str = "active") -> list[Fact]:
        with self.workspace.reading() as database:
            return database.list_facts(FactFilter(entity=entity, status=status))

    def texts(self, entity: str = "people/anna") -> set[str]:
        return {fact.text for fact in self.facts(entity)}

    def read(self, name: str) -> str:
        return (self.life / name).read_text(encoding="utf-8")

    def change(self, name: str, old: str, new: str) -> None:
        text = self.read(name)
        assert old in text
        (self.life / name).write_text(text.replace(old, new), encoding="utf-8")

    def files(self) -> dict[str, bytes]:
        found = (path for path in self.life.rglob("*") if path.is_file())
        return {path.relative_to(self.life).as_posix(): path.read_bytes() for path in found}

    def differences(self) -> list[tuple[str, str]]:
        with self.workspace.reading() as database:
            found = find_differences(database, self.workspace.journal, self.mirror, self.workspace.settings)
        return [(one.name, one.kind) for one in found]
