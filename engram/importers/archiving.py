"""An archive of Engram in and out: the journal's own records, and the files of memory/.

Out: everything that the store knows is in the journal, so an archive is the journal's records and the files beside it.
In: a store that knows nothing, or only the beginning of the archive, takes over the records byte for byte. Into another
store, and when the archive holds what would be quarantined today, everything goes the way of any import: new ids,
screened, and believed no more than an import is.
"""

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO
from typing import NamedTuple

from pydantic import ValidationError

from engram.base.text import sha256_hex
from engram.config.paths import SELF_FILE_TEXT
from engram.errors import MalformedInputError
from engram.errors import RefusedError
from engram.importers.archive_lines import ArchiveFile
from engram.importers.archive_lines import ArchiveLine
from engram.importers.archive_lines import ArchiveRecord
from engram.importers.archive_lines import ArchiveWriter
from engram.importers.archive_lines import read_archive
from engram.importers.archived_files import FileRestorer
from engram.importers.archived_files import list_files
from engram.importers.archived_store import merge_store
from engram.importers.import_report import ImportReport
from engram.importers.ledger import KeptFile
from engram.language.injection import find_injection
from engram.model.change import GENESIS
from engram.model.change import RECORD_ADAPTER
from engram.model.change import FactRecorded
from engram.model.change import Record
from engram.model.change import TurnCaptured
from engram.model.fact import Trust
from engram.workspace import Workspace

ARCHIVE = "jsonl"  # name of the format on the command line
_LINES_AT_ONCE = 500  # records that are put into the journal together


class ExportCounts(NamedTuple):
    """What an archive holds."""

    records: int
    files: int


def export_archive(workspace: Workspace, out: BinaryIO) -> ExportCounts:
    """Write the whole store as an archive, as it stands now, with what waits in the spool applied first."""
    workspace.apply_waiting()
    head = workspace.journal.head()[0]
    writer = ArchiveWriter(out)
    for record, line in workspace.journal.read():
        if record.position > head:
            break
        writer.add_record(line[9:])
    for path, file in list_files(workspace.paths):
        writer.add_file(path, file)
    writer.close()
    return ExportCounts(writer.records, writer.files)


def import_archive(workspace: Workspace, path: Path, *, dry_run: bool = False) -> ImportReport:
    """Import an archive; see the module. Everything is checked before anything is written.

    Raises MalformedInputError for what is no sound archive.
    """
    workspace.apply_waiting()
    with _opened(path) as handle:
        seen = _survey(workspace, read_archive(handle))
    files = _restore_files(workspace, path, dry_run=dry_run)
    if seen.fits and not seen.screened:
        report = _restore(workspace, path, seen, dry_run=dry_run)
    else:
        why = "this store has a history of its own" if not seen.fits else f"it would be quarantined: {seen.screened}"
        kept = [KeptFile(file.path, file.sha256, file.sha256) for file in files.written]
        with _opened(path) as handle:
            records = (_record(line.body) for line in read_archive(handle) if isinstance(line, ArchiveRecord))
            report = merge_store(workspace, path.name, records, files=kept, why=why, dry_run=dry_run)
    notes = {"written": len(files.written), "added": 0, "known": files.known}
    return report._replace(notes=notes, remarks=[*report.remarks, *files.remarks])


class _Survey(NamedTuple):
    """What is known of an archive after it was read once."""

    records: int
    head: str  # hash of its last record
    fits: bool  # the journal here is a beginning of it, or it is a beginning of the journal here
    missing: int  # records that are not here
    screened: str  # a statement that would be quarantined today, or ""


def _survey(workspace: Workspace, lines: Iterator[ArchiveLine]) -> _Survey:
    head, head_hash = workspace.journal.head()
    position, previous = 0, GENESIS
    fits = head == 0
    screened = ""
    for line in lines:
        if not isinstance(line, ArchiveRecord):
            continue
        record = _record(line.body)
        position += 1
        if record.position != position or record.previous != previous:
            raise MalformedInputError(f"record {position} does not continue the one before it", hint="export it again")
        previous = sha256_hex(_journal_line(line.body))
        fits = fits or (position == head and previous == head_hash)
        screened = screened or _orders(record, workspace.settings.screen.patterns)
    if position < head and position:
        fits = _hash_at(workspace, position) == previous
    return _Survey(position, previous, fits or not position, max(position - head, 0), screened)


def _orders(record: Record, patterns: tuple[str, ...]) -> str:
    """Return a text of the record that is trusted and tries to give orders, or ""."""
    for decision in record.decisions:
        for change in decision.changes:
            told = change.fact if isinstance(change, FactRecorded) else getattr(change, "turn", None)
            if told is None or told.trust == Trust.QUARANTINED:
                continue
            if find_injection(told.text, patterns) is not None:
                return told.id if isinstance(change, FactRecorded | TurnCaptured) else ""
    return ""


def _hash_at(workspace: Workspace, position: int) -> str:
    found = next((line for record, line in workspace.journal.read(after=position - 1)), b"")
    return sha256_hex(found)


def _restore(workspace: Workspace, path: Path, seen: _Survey, *, dry_run: bool) -> ImportReport:
    """Put the records that are missing into the journal, byte for byte."""
    if seen.missing and not dry_run:
        with workspace.lock("store", "import").hold(wait_s=workspace.settings.store.wait_s), _opened(path) as handle:
            begin = workspace.journal.head()[0]
            if seen.records - begin != seen.missing:
                raise RefusedError("the store was written to meanwhile", hint="import the archive again")
            _append(workspace, read_archive(handle), begin)
        with workspace.writing("mirror") as writer:
            workspace.refresh_quietly(writer)
    return ImportReport(
        import_id=None,
        format=ARCHIVE,
        source=path.name,
        items=seen.records,
        facts={},
        entities=0,
        notes={},
        turns={},
        remarks=[],
        dry_run=dry_run,
        records={"restored": seen.missing, "known": seen.records - seen.missing},
    )


def _append(workspace: Workspace, lines: Iterator[ArchiveLine], begin: int) -> None:
    waiting: list[tuple[int, bytes]] = []
    for position, line in enumerate(lines, 1):  # records stand first
        if not isinstance(line, ArchiveRecord):
            break
        if position > begin:
            waiting.append((position, _journal_line(line.body)))
        if len(waiting) >= _LINES_AT_ONCE:
            workspace.journal.restore_lines(waiting)
            waiting = []
    workspace.journal.restore_lines(waiting)


def _restore_files(workspace: Workspace, path: Path, *, dry_run: bool) -> FileRestorer:
    untouched = {workspace.paths.relative(workspace.paths.self_file): SELF_FILE_TEXT.encode()}
    restorer = FileRestorer(workspace.paths, untouched=untouched, dry_run=dry_run)
    with _opened(path) as handle:
        for line in read_archive(handle):
            if isinstance(line, ArchiveFile):
                restorer.begin(line)
            elif not isinstance(line, ArchiveRecord):
                restorer.add(line.data)
        restorer.finish()
    return restorer


def _record(body: bytes) -> Record:
    try:
        return RECORD_ADAPTER.validate_json(body)
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "record"
        message = f"a record is none that this version reads: {where[:80]}: {first['msg']}"
        raise MalformedInputError(message, hint="import it with the version of Engram that made it") from problem


def _journal_line(body: bytes) -> bytes:
    return f"{zlib.crc32(body):08x} ".encode() + body


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as problem:
        raise MalformedInputError(
            f"cannot read {path}: {problem.strerror}", hint="check the file name; nothing was imported"
        ) from problem
