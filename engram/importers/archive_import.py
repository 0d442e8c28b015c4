"""An archive of Engram in and out: the journal's own records, and the files of memory/.

Out: everything that the store knows is in the journal, so an archive is the journal's records and the files beside it.
In: a store that knows nothing, or only the beginning of the archive, takes over the records byte for byte. Into another
store, and when the archive holds what would be quarantined today or a name that no door would take, everything goes the
way of any import: new ids, screened, and believed no more than an import is. Its MEMORY.md, which agents follow, then
becomes a note. An archive cannot prove whose words it holds, or who released them from quarantine, so who made it says
so (`as_own`): what a person said in it is then a person's here, too.
"""

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO
from typing import NamedTuple

from pydantic import ValidationError

from engram.base.disk.given_files import open_given
from engram.base.log import warn
from engram.base.text import sha256_hex
from engram.config.paths import SELF_FILE
from engram.config.paths import SELF_FILE_TEXT
from engram.errors import MalformedInputError
from engram.errors import RefusedError
from engram.errors import SettingsError
from engram.errors import StoreBusyError
from engram.importers.archive_lines import ArchiveFile
from engram.importers.archive_lines import ArchiveLine
from engram.importers.archive_lines import ArchiveRecord
from engram.importers.archive_lines import ArchiveWriter
from engram.importers.archive_lines import read_archive
from engram.importers.archive_screen import ArchivedState
from engram.importers.archive_screen import SelfFile
from engram.importers.archive_screen import orders_in
from engram.importers.archived_files import FileRestorer
from engram.importers.archived_files import list_files
from engram.importers.archived_store import merge_store
from engram.importers.import_report import ImportReport
from engram.model.changes.record import GENESIS
from engram.model.changes.record import RECORD_ADAPTER
from engram.model.changes.record import Record
from engram.operations.use_count import fold_accesses
from engram.ports.journal import Journal
from engram.services.imports.ledger import KeptFile
from engram.workspace import Workspace

ARCHIVE = "jsonl"  # name of the format on the command line
_FOREIGN_SELF_FILE = f"memory/{ARCHIVE}/{SELF_FILE}"  # where that of somebody else lies: what stands there is data
_LINES_AT_ONCE = 500  # records that are put into the journal together


class ExportCounts(NamedTuple):
    """What an archive holds."""

    records: int
    files: int


def export_archive(workspace: Workspace, out: BinaryIO, *, with_uses: bool = True) -> ExportCounts:
    """Write the whole store as an archive, as it stands now, with what waits in the spool applied first.

    What recall gave out since the last time is counted in the journal first, unless `with_uses` says no.
    """
    workspace.store.apply_waiting()
    if with_uses:
        _count_uses(workspace)
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


def _count_uses(workspace: Workspace) -> None:
    """Count in the journal what was given out since the last time; a store that is busy is exported as it stands."""
    try:
        fold_accesses(workspace)
    except (StoreBusyError, SettingsError) as problem:
        warn(f"{problem.message}: the latest uses of facts are not in the archive")


def import_archive(workspace: Workspace, path: Path, *, as_own: bool = False, dry_run: bool = False) -> ImportReport:
    """Import an archive; see the module. Everything is checked before anything is written.

    `as_own` takes over records that fit as they are, whatever they say. Raises MalformedInputError for what is no sound
    archive.
    """
    workspace.store.apply_waiting()
    with _opened(path) as handle:
        seen = _survey(workspace, read_archive(handle))
    is_taken_over = seen.fits and not seen.unfit and (as_own or not seen.screened)
    files = _restore_files(workspace, path, is_own=as_own or is_taken_over, dry_run=dry_run)
    if is_taken_over:
        report = _restore(workspace, path, seen, dry_run=dry_run)
    else:
        apart = "this store has a history of its own (--into DIR makes the same one)"
        why = seen.unfit or (f"{seen.screened} would be quarantined" if seen.fits else apart)
        why += "" if as_own or seen.unfit else "; --as-own if you made the archive"
        kept = [KeptFile(file.path, file.sha256, file.sha256) for file in files.written]
        with _opened(path) as handle:
            records = (_record(line.body) for line in read_archive(handle) if isinstance(line, ArchiveRecord))
            report = merge_store(workspace, path.name, records, files=kept, why=why, as_own=as_own, dry_run=dry_run)
    notes = {"written": len(files.written), "added": 0, "known": files.known}
    return report._replace(notes=notes, remarks=[*report.remarks, *files.remarks])


class _Survey(NamedTuple):
    """What is known of an archive after it was read once."""

    records: int
    head: str  # hash of its last record
    fits: bool  # the journal here is a beginning of it, or it is a beginning of the journal here
    missing: int  # records that are not here
    screened: str  # what is not here and would be quarantined today (an id, or MEMORY.md), or ""
    unfit: str  # what is not here and could not be kept as it is, whoever made it, or ""


def _survey(workspace: Workspace, lines: Iterator[ArchiveLine]) -> _Survey:
    head, head_hash = workspace.journal.head()
    position, previous = 0, GENESIS
    fits = head == 0
    screened = unfit = ""
    self_file, state = SelfFile(), ArchivedState()
    for line in lines:
        if not isinstance(line, ArchiveRecord):
            self_file.take(line)
            continue
        record = _record(line.body)
        position += 1
        if record.position != position or record.previous != previous:
            raise MalformedInputError(f"record {position} does not continue the one before it", hint="export it again")
        previous = sha256_hex(_journal_line(line.body))
        fits = fits or (position == head and previous == head_hash)
        state.take(record)
        if position > head:  # what is here already was decided on here
            screened = screened or orders_in(record, workspace.settings.screen.patterns)
            unfit = unfit or state.unfit(record)
    if position < head and position:
        fits = _hash_at(workspace.journal, position) == previous
    screened = screened or self_file.orders(workspace.settings.screen.patterns)
    return _Survey(position, previous, fits or not position, max(position - head, 0), screened, unfit)


def _hash_at(journal: Journal, position: int) -> str:
    found = next((line for record, line in journal.read(after=position - 1)), b"")
    return sha256_hex(found)


def _restore(workspace: Workspace, path: Path, seen: _Survey, *, dry_run: bool) -> ImportReport:
    """Put the records that are missing into the journal, byte for byte."""
    if seen.missing and not dry_run:
        with (
            workspace.locks.named("store", "import").hold(wait_s=workspace.settings.store.wait_s),
            _opened(path) as handle,
        ):
            begin = workspace.journal.head()[0]
            if seen.records - begin != seen.missing:
                raise RefusedError("the store was written to meanwhile", hint="import the archive again")
            _append(workspace, read_archive(handle), begin)
        with workspace.writing("mirror") as writer:
            workspace.life.refresh_quietly(writer)
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


def _restore_files(workspace: Workspace, path: Path, *, is_own: bool, dry_run: bool) -> FileRestorer:
    untouched = {SELF_FILE: SELF_FILE_TEXT.encode()}
    elsewhere = {} if is_own else {SELF_FILE: _FOREIGN_SELF_FILE}
    restorer = FileRestorer(workspace.paths, untouched=untouched, elsewhere=elsewhere, dry_run=dry_run)
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
        return open_given(path, takes_pipes=False)  # it is read more than once
    except OSError as problem:
        raise MalformedInputError(
            f"cannot read {path}: {problem.strerror}", hint="check the file name; nothing was imported"
        ) from problem
