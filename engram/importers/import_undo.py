"""Taking an import back: every fact that it made and nobody changed since, and every file that is as it was written.

What was changed since is named and stays. So do captured turns, sessions and entities: nothing takes those back.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from typing import NamedTuple

from engram.base.clock import to_iso
from engram.base.counts import counted
from engram.base.disk.files import write_durably
from engram.base.disk.own_files import read_own
from engram.base.text import sha256_hex
from engram.config.paths import SELF_FILE_TEXT
from engram.config.paths import Paths
from engram.importers.imported_facts import ALONE
from engram.importers.recorder import BATCH
from engram.model.changes.change import Change
from engram.model.changes.change import EntityCreated
from engram.model.changes.change import FactConfirmed
from engram.model.changes.change import FactPinned
from engram.model.changes.change import FactRecorded
from engram.model.changes.change import FactRestored
from engram.model.changes.change import FactRetracted
from engram.model.changes.change import FactSuperseded
from engram.model.changes.change import TurnCaptured
from engram.model.changes.record import Record
from engram.model.changes.session_changes import SessionAdded
from engram.model.commands.command import Outcome
from engram.rules.writes.candidates import UNDONE
from engram.services.imports import ledger
from engram.services.imports.ledger import ImportEntry
from engram.services.imports.ledger import KeptFile
from engram.workspace import Workspace

_MAX_REASON_CHARS = 500  # of why a fact is taken back
_SHOWN = 8  # things that stay, in the text for people
_NAMED = 5  # of the entities in one sentence


class UndoReport(NamedTuple):
    """What became of taking an import back."""

    import_id: str
    retracted: list[str]  # ids of facts
    removed: list[str]  # files, relative to the workspace
    kept: list[str]  # sentences: what was changed since, and stays
    dry_run: bool

    def as_json(self) -> dict[str, Any]:
        """Return the JSON shape of the command line."""
        return self._asdict()

    def as_text(self) -> str:
        """Return the report for people."""
        would = "would take back" if self.dry_run else "took back"
        taken = f"{counted(len(self.retracted), 'fact')} and {counted(len(self.removed), 'file')}"
        lines = [f"{would} {taken} of {self.import_id}"]
        lines += [f"  stays: {sentence}" for sentence in self.kept[:_SHOWN]]
        if len(self.kept) > _SHOWN:
            lines.append(f"  and {len(self.kept) - _SHOWN} more; --json lists them all")
        return "\n".join(lines)


def list_imports(workspace: Workspace) -> list[ImportEntry]:
    """Return the imports that were made, oldest first."""
    with workspace.reading() as database:
        return ledger.read_entries(database.watermarks(ledger.CONSUMER))


def undo_import(workspace: Workspace, import_id: str, *, dry_run: bool) -> UndoReport:
    """Take an import back; one that was taken back before has nothing left to take. Raises NotFoundError."""
    with workspace.reading() as database:
        entry = ledger.get_entry(database.watermarks(ledger.CONSUMER), import_id)
    made = _Made(import_id)
    made.read_on(workspace)
    if entry.undone_at is not None:
        return UndoReport(import_id, [], [], made.kept(), dry_run)
    unchanged = [file for file in entry.files if _is_unchanged(workspace.paths.root, file)]
    changed = [
        f"{file.path}: it was changed since, or was there before"
        for file in entry.files
        if file not in unchanged and (workspace.paths.root / file.path).exists()
    ]
    removed, retracted = [file.path for file in unchanged], sorted(made.untouched())
    if not dry_run:  # files first: the import counts as undone with the last of the facts, and then nobody looks again
        _remove(workspace.paths, removed)
        retracted = _retract(workspace, entry, made)
        with workspace.writing("mirror") as writer:
            workspace.life.refresh_quietly(writer)
    return UndoReport(import_id, retracted, removed, [*made.kept(), *changed], dry_run)


class _Made:
    """What an import made, and what became of it later, read from the journal in order."""

    def __init__(self, import_id: str) -> None:
        self._import_id = import_id
        self.facts: dict[str, str] = {}  # id of a live fact that the import made -> id of the command
        self.touched: dict[str, str] = {}  # id of such a fact -> what was done to it since
        self.replaced: list[str] = []  # sentences: facts that were there before and gave way
        self._turns = 0
        self._sessions: list[str] = []
        self._entities: list[str] = []
        self._own: set[str] = set()
        self._position = 0  # up to which the journal is read

    def read_on(self, workspace: Workspace) -> None:
        """Take in what stands in the journal by now, and was not read yet."""
        for record, _ in workspace.journal.read(after=self._position):
            self._read(record)
            self._position = record.position

    def untouched(self) -> dict[str, str]:
        """Return the live facts that nobody changed: id -> id of the command that made it."""
        return {fact_id: by for fact_id, by in self.facts.items() if fact_id not in self.touched}

    def kept(self) -> list[str]:
        """Return sentences about what stays."""
        return [*(f"{fact_id}: {why}" for fact_id, why in self.touched.items()), *self.replaced, *self._staying()]

    def _read(self, record: Record) -> None:
        ours = any(mark.consumer == ledger.CONSUMER and mark.key == self._import_id for mark in record.watermarks)
        for decision in record.decisions:
            for change in decision.changes:
                if ours:
                    self._read_own(change, decision.result.command_id)
                else:
                    self._read_other(change)

    def _read_own(self, change: Change, command_id: str) -> None:
        if isinstance(change, FactRecorded):
            self._own.add(change.fact.id)
            if change.fact.superseded_by is None:
                self.facts[change.fact.id] = command_id
        elif isinstance(change, FactSuperseded | FactRetracted):
            if change.id in self._own:
                self.facts.pop(change.id, None)
            elif isinstance(change, FactSuperseded):
                self.replaced.append(f"{change.id}: it gave way to {change.by}; write it again if it holds")
        elif isinstance(change, TurnCaptured):
            self._turns += 1
        elif isinstance(change, SessionAdded):
            self._sessions.append(change.session.name)
        elif isinstance(change, EntityCreated):
            self._entities.append(change.entity.path)

    def _staying(self) -> list[str]:
        """Return sentences about what the import made and nothing takes back."""
        turns = [f"{self._turns} captured turns"] if self._turns else []
        return [*turns, *_counted("sessions", self._sessions), *_counted("entities", self._entities)]

    def _read_other(self, change: Change) -> None:
        match change:
            case FactSuperseded() if change.id in self.facts:
                del self.facts[change.id]
                self.touched[change.id] = f"{change.by} took its place since"
            case FactRetracted() if change.id in self.facts:
                del self.facts[change.id]
            case FactRestored() if change.fact.id in self.facts:
                self.touched[change.fact.id] = "a review changed it since"
            case FactConfirmed() if change.id in self.facts:
                self.touched[change.id] = f"it was confirmed since, by {change.source.actor}"
            case FactPinned() if change.id in self.facts:
                self.touched[change.id] = "it was pinned or unpinned since"
            case _:
                return


def _retract(workspace: Workspace, entry: ImportEntry, made: _Made) -> list[str]:
    """Take the facts back in batches and return their ids; the import counts as undone with the last of them.

    What others changed or took back meanwhile, such as another process that undoes the same, is left to them.
    """
    reason = f"{UNDONE}{entry.id}, {entry.format}: {entry.source}"
    retracted: list[str] = []
    tried: set[str] = set()
    undone = entry._replace(undone_at=to_iso(workspace.now()))
    is_last = False
    while not is_last:
        with workspace.writing("import") as recorder:
            made.read_on(workspace)
            left = sorted((fact_id, by) for fact_id, by in made.untouched().items() if fact_id not in tried)
            is_last = len(left) <= BATCH
            envelopes = [
                workspace.envelope(
                    "retract",
                    {"id": fact_id, "reason": reason[:_MAX_REASON_CHARS]},
                    command_id=ledger.UNDO + command_id.removesuffix(ALONE),
                )
                for fact_id, command_id in left[:BATCH]
            ]
            results = recorder.record_together(envelopes, [undone.as_mark()] if is_last else [])
        tried.update(fact_id for fact_id, _ in left[:BATCH])
        retracted += [
            fact_id for (fact_id, _), result in zip(left, results, strict=False) if result.status != Outcome.REFUSED
        ]
    return retracted


def _is_unchanged(root: Path, file: KeptFile) -> bool:
    path = root / file.path
    return not file.added and path.is_file() and not path.is_symlink() and sha256_hex(read_own(path)) == file.sha256


def _counted(what: str, names: Sequence[str]) -> list[str]:
    """Return one sentence on the things that an import made, such as `entities that it made: people/anna`."""
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return [f"{what} that it made: {', '.join(sorted(names)[:_NAMED])}{more}"] if names else []


def _remove(paths: Paths, names: Sequence[str]) -> None:
    """Remove files, and put MEMORY.md back to what it was before: an import never wrote over more than that."""
    for name in names:
        path = paths.root / name
        if path == paths.self_file:
            write_durably(path, SELF_FILE_TEXT.encode())
            continue
        path.unlink(missing_ok=True)
        if path.parent != paths.memory and not any(path.parent.iterdir()):
            path.parent.rmdir()
