"""How the commands of an import are recorded: in batches, each in one journal record with the import's watermark."""

import contextlib
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

from engram.base.clock import to_iso
from engram.base.text import sha256_hex
from engram.model.changes.record import Record
from engram.model.commands.command import CommandResult
from engram.model.commands.command import Envelope
from engram.model.conversation import Session
from engram.model.entity import Entity
from engram.ports.database import SliceKeys
from engram.ports.journal import Journal
from engram.ports.progress import Progress
from engram.ports.progress import tell_nobody
from engram.services.commands.recorder import Recorder
from engram.services.imports import ledger
from engram.services.imports.ledger import ImportEntry
from engram.services.imports.ledger import KeptFile
from engram.workspace import Workspace

_TOLD = "importing"  # to whoever looks on
BATCH = 500  # commands of one journal record; between two the store is free for others
Opened = Callable[[], contextlib.AbstractContextManager[Recorder]]


class ImportRecorder:
    """Records the commands of one import; what was recorded before is answered from memory."""

    def __init__(self, opened: Opened, entry: ImportEntry, progress: Progress = tell_nobody) -> None:
        """Take what opens the store for writing, the import, whose id comes with the first record, and who is told."""
        self._opened = opened
        self._progress = progress
        self.entry = entry
        self.fresh: set[str] = set()  # ids of commands that this import recorded

    def record(self, envelopes: Sequence[Envelope]) -> list[CommandResult]:
        """Record what is new, and return what became of each command, in order, now or when it was first recorded."""
        results: list[CommandResult] = []
        for begin in range(0, len(envelopes), BATCH):
            self._progress(_TOLD, begin, len(envelopes))
            results += self._record_batch(envelopes[begin : begin + BATCH])
        if envelopes:
            self._progress(_TOLD, len(envelopes), len(envelopes))
        return results

    def note_files(self, files: Sequence[KeptFile]) -> None:
        """Remember files that are about to be written."""
        if files:
            with self._opened() as recorder:
                self._mark(recorder, files=(*self.entry.files, *files))
                recorder.record_together([], [self.entry.as_mark()])

    def current_ids(self, ids: Sequence[str]) -> list[str]:
        """Return the command ids to use: an id whose effect was undone gets a number behind it."""
        current = list(ids)
        waiting = list(range(len(ids)))
        generation = 1
        with self._opened() as recorder:
            while waiting:
                undone = self._known(recorder, [ledger.UNDO + current[place] for place in waiting])
                waiting = [place for place in waiting if ledger.UNDO + current[place] in undone]
                generation += 1
                for place in waiting:
                    current[place] = f"{ids[place]}.{generation}"
        return current

    def entities(self) -> dict[str, Entity]:
        """Return all entities there are, by path."""
        with self._opened() as recorder:
            return {entity.path: entity for entity in recorder.database.list_entities()}

    def sessions(self) -> dict[str, Session]:
        """Return all sessions there are, by name."""
        with self._opened() as recorder:
            return {session.name: session for session in recorder.database.list_sessions()}

    def known_turns(self, ids: Sequence[str]) -> set[str]:
        """Return which of these turn ids are stored."""
        if not ids:
            return set()
        with self._opened() as recorder:
            return recorder.database.known_ids("turn", ids)

    def marks(self) -> dict[str, str]:
        """Return the watermarks of all imports."""
        with self._opened() as recorder:
            return recorder.database.watermarks(ledger.CONSUMER)

    def _record_batch(self, batch: Sequence[Envelope]) -> list[CommandResult]:
        with self._opened() as recorder:
            known = self._known(recorder, [envelope.id for envelope in batch])
            fresh = [envelope for envelope in batch if envelope.id not in known]
            if fresh:
                self._mark(recorder, commands=self.entry.commands + len(fresh))
                made = recorder.record_together(fresh, [self.entry.as_mark()])
                known = {**known, **{result.command_id: result for result in made}}
                self.fresh |= {envelope.id for envelope in fresh}
        return [known[envelope.id] for envelope in batch]

    def _mark(self, recorder: Recorder, **update: Any) -> None:
        if not self.entry.id:
            update["id"] = ledger.next_id(recorder.database.watermarks(ledger.CONSUMER))
        self.entry = self.entry._replace(**update)

    def _known(self, recorder: Recorder, ids: Sequence[str]) -> Mapping[str, CommandResult]:
        return recorder.database.load_slice(SliceKeys(command_ids=frozenset(ids))).commands


@contextlib.contextmanager
def open_recording(workspace: Workspace, form: str, source: str, *, dry_run: bool) -> Iterator[ImportRecorder]:
    """Give what records an import; with `dry_run` in a copy that is nowhere on disk, so that nothing changes."""
    entry = ImportEntry("", form, source, to_iso(workspace.now()))
    if not dry_run:
        yield ImportRecorder(lambda: workspace.writing("import"), entry, workspace.progress)
        return
    with workspace.store.projection.in_memory() as database:
        recorder = Recorder(
            _Unwritten(workspace.journal),
            database,
            settings=workspace.settings,
            now=workspace.now,
        )
        yield ImportRecorder(lambda: contextlib.nullcontext(recorder), entry, workspace.progress)


class _Unwritten:
    """`ports.journal.Journal` that goes on from the real one and writes nothing."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._head = journal.head()

    def head(self) -> tuple[int, str]:
        """See the port."""
        return self._head

    def encode(self, record: Record) -> bytes:
        """See the port."""
        return self._journal.encode(record)

    def append(self, records: Sequence[Record]) -> list[bytes]:
        """Only move on; see the port."""
        lines = [self.encode(record) for record in records]
        if lines:
            self._head = records[-1].position, sha256_hex(lines[-1])
        return lines

    def read(self, after: int = 0) -> Iterator[tuple[Record, bytes]]:
        """See the port."""
        return self._journal.read(after)
