"""Doctor: what every part of a workspace must be like, as a list of checks.

A check changes nothing. Those that look at the store run while it is held for reading, so that no writer is caught
half-way; those that look beside it run without.
"""

import datetime as dt
import json
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import AbstractContextManager
from contextlib import ExitStack
from contextlib import contextmanager
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from typing import Protocol

from engram.base.processes import is_alive
from engram.config.paths import Paths
from engram.config.settings import Settings
from engram.config.settings import load_settings
from engram.errors import DamagedDatabaseError
from engram.errors import DamagedJournalError
from engram.errors import DamagedStateError
from engram.errors import DegradedIndexError
from engram.errors import SettingsError
from engram.errors import StoreBusyError
from engram.model.finding import Finding
from engram.model.finding import Level
from engram.ports.database import FactDatabase
from engram.ports.index import VectorIndex
from engram.ports.journal import Journal
from engram.ports.mirror import Mirror
from engram.services.mirroring import find_changed
from engram.services.mirroring import find_differences

FIX = "engram doctor --fix"
HEARTBEAT = "engram heartbeat run"
STALE_S = 60.0  # seconds after which a temporary file is left over, not in the making
_BATCH = 2000  # records folded at a time
_OPEN_TO_OTHERS = 0o077  # permissions that machine state must not have


class Torn(Protocol):
    """Bytes at the journal's end that are no whole record."""

    @property
    def path(self) -> Path:
        """The segment."""
        ...

    @property
    def data(self) -> bytes:
        """The bytes."""
        ...


class CheckedJournal(Journal, Protocol):
    """A journal that can tell whether its end is torn."""

    def torn_tail(self) -> Torn | None:
        """Return the torn bytes, or None."""
        ...


class CheckedMirror(Mirror, Protocol):
    """A mirror whose state can be set aside."""

    def set_state_aside(self) -> str:
        """Move the state file to where edits are kept, and return that place."""
        ...


@dataclass(frozen=True)
class Checkup:
    """What the checks look at."""

    paths: Paths  # of the workspace
    settings: Settings  # in force
    now: dt.datetime  # aware
    journal: CheckedJournal  # the truth
    mirror: CheckedMirror  # life/
    hold_store: Callable[[], AbstractContextManager[None]]  # shared, for as long as the store is looked at
    open_database: Callable[[], AbstractContextManager[FactDatabase]]  # read-only; the file must be there
    open_memory: Callable[[], AbstractContextManager[FactDatabase]]  # an empty database that is nowhere on disk
    open_index: Callable[[], AbstractContextManager[VectorIndex]]  # the folder must be there

    def finding(self, code: str, level: Level, path: Path, message: str, command: str = FIX) -> Finding:
        """Return a finding with its path as people read it."""
        return Finding(code=code, level=level, path=self.paths.relative(path), message=message, command=command)


Check = Callable[[Checkup], Iterator[Finding]]


def examine(checkup: Checkup) -> list[Finding]:
    """Run every check and return what was found, worst first. Raises StoreBusyError when a writer keeps the store."""
    found = [finding for check in LIGHT_CHECKS for finding in check(checkup)]
    if checkup.paths.locks.is_dir():  # without it nothing can be held; the finding says so
        with checkup.hold_store():
            found += [finding for check in STORE_CHECKS for finding in check(checkup)]
        found += [finding for check in INDEX_CHECKS for finding in check(checkup)]
    return sorted(found, key=lambda finding: list(Level).index(finding.level))


def check_settings(paths: Paths) -> list[Finding]:
    """The settings read; nothing else can be looked at before they do."""
    try:
        load_settings(paths.settings)
    except SettingsError as problem:
        name, message = paths.settings.name, problem.message
        return [Finding(code="settings-invalid", level=Level.ERROR, path=name, message=message, command=problem.hint)]
    return []


def check_folders(checkup: Checkup) -> Iterator[Finding]:
    """Every folder is there, and machine state is its owner's alone."""
    paths = checkup.paths
    for folder in paths.folders():  # below life/ the mirror makes them when it needs them; the index has its own check
        if not folder.is_dir() and folder != paths.index and folder.parent != paths.life:
            yield checkup.finding("folder-missing", Level.WARNING, folder, "the folder is not there")
    for folder in paths.private_folders():
        if folder.is_dir() and folder.stat().st_mode & _OPEN_TO_OTHERS:
            yield checkup.finding("mode-open", Level.WARNING, folder, "others than its owner can look into the folder")


def check_leftovers(checkup: Checkup) -> Iterator[Finding]:
    """No temporary file of an interrupted write lies about."""
    for root in (checkup.paths.state, checkup.paths.life):
        for path in sorted(root.rglob(".tmp-*")):
            if path.is_file() and checkup.now.timestamp() - path.stat().st_mtime > STALE_S:
                yield checkup.finding("leftover", Level.WARNING, path, "an interrupted write left its temporary file")


def check_spool(checkup: Checkup) -> Iterator[Finding]:
    """Nothing was set aside, and nothing waits."""
    spool = checkup.paths.spool
    for path in sorted((spool / "rejected").glob("*.json")):
        reason = path.with_suffix(".reason.txt")
        why = reason.read_text(encoding="utf-8", errors="replace").splitlines()[:1] if reason.is_file() else []
        message = f"a file in the spool was no command: {''.join(why) or 'its reason is lost'}"
        yield checkup.finding("spool-rejected", Level.WARNING, path, message, f"cat {checkup.paths.relative(path)}")
    if waiting := len(list(spool.glob("[0-9]*.json"))):
        yield checkup.finding("spool-waiting", Level.INFO, spool, f"{waiting} commands wait to be applied", HEARTBEAT)


def check_runs(checkup: Checkup) -> Iterator[Finding]:
    """A run that says it is running has a living process."""
    for path in sorted(checkup.paths.runs.glob("*.json")):
        record = read_object(path)
        if record is None:
            yield checkup.finding("run-damaged", Level.WARNING, path, "the record of a run does not read", HEARTBEAT)
        elif record.get("status") == "running" and not _has_live_process(record):
            message = f"the run says it is running, but its process {record.get('pid')} is gone"
            yield checkup.finding("run-dead", Level.WARNING, path, message)


def check_journal(checkup: Checkup) -> Iterator[Finding]:
    """The chain holds from the first record to the last, and the last is whole."""
    try:
        torn = checkup.journal.torn_tail()
        if torn is not None:
            message = f"the journal ends in {len(torn.data)} bytes that are no whole record"
            yield checkup.finding("journal-torn", Level.ERROR, torn.path, message)
        for _ in checkup.journal.read():
            pass
    except DamagedJournalError as damage:
        with standing(checkup) as database:
            way = _way(lost_positions(checkup.journal, database))
        yield checkup.finding("journal-damaged", Level.ERROR, checkup.paths.journal, damage.message, way)


def check_database(checkup: Checkup) -> Iterator[Finding]:
    """The database is there, opens, and is what folding the journal gives."""
    path, head = checkup.paths.database, _head(checkup)
    if head is None:
        return
    if not path.exists():
        if head[0]:
            yield checkup.finding("database-missing", Level.ERROR, path, "the database is not there")
        return
    try:
        with checkup.open_database() as database:
            yield from _compare(checkup, database, head)
    except DamagedDatabaseError as damage:
        yield checkup.finding("database-damaged", Level.ERROR, path, damage.message)


def check_mirror(checkup: Checkup) -> Iterator[Finding]:
    """The state of the mirror reads, and every file of life/ is as it was last written."""
    paths = checkup.paths
    try:
        checkup.mirror.load()
    except DamagedStateError as damage:
        yield checkup.finding("mirror-state-damaged", Level.ERROR, paths.mirror_state, damage.message)
        return
    try:
        with standing(checkup) as database:
            if database is not None:
                yield from _check_files(checkup, database)
    except DamagedJournalError:
        return  # the journal check's finding
    except DamagedStateError as damage:
        place = paths.root / str(damage.details.get("path", "life"))
        yield checkup.finding("mirror-blocked", Level.ERROR, place, damage.message, damage.hint)


def check_tensions(checkup: Checkup) -> Iterator[Finding]:
    """Nothing waits for a person to settle it."""
    with standing(checkup) as database:
        count = len(database.list_tensions()) if database is not None else 0
    if count:
        message = f"{count} pairs of facts exclude each other" if count > 1 else "two facts exclude each other"
        yield checkup.finding("tensions-open", Level.INFO, checkup.paths.database, message, "engram tension list")


def check_index(checkup: Checkup) -> Iterator[Finding]:
    """The index is there, opens, and stands at the journal's head."""
    folder, head = checkup.paths.index, _head(checkup)
    if head is None or not head[0]:
        return
    if not folder.is_dir():
        yield checkup.finding("index-missing", Level.ERROR, folder, "the index is not there")
    elif not any(folder.iterdir()):
        yield checkup.finding("index-empty", Level.WARNING, folder, "nothing is indexed yet", HEARTBEAT)
    else:
        yield from _check_index_position(checkup, head[0])


LIGHT_CHECKS: tuple[Check, ...] = (check_folders, check_leftovers, check_spool, check_runs)
STORE_CHECKS: tuple[Check, ...] = (check_journal, check_database, check_mirror, check_tensions)
INDEX_CHECKS: tuple[Check, ...] = (check_index,)  # never while the store is held: recall takes the two the other way


def _head(checkup: Checkup) -> tuple[int, str] | None:
    """Return the journal's head; None when its end is damaged, which is the journal check's finding."""
    try:
        return checkup.journal.head()
    except DamagedJournalError:
        return None


def _compare(checkup: Checkup, database: FactDatabase, head: tuple[int, str]) -> Iterator[Finding]:
    position, path = database.position(), checkup.paths.journal
    if position > head[0]:
        message = f"the journal ends at position {head[0]}, but the database knows position {position}"
        yield checkup.finding(
            "journal-short", Level.ERROR, path, message, _way(lost_positions(checkup.journal, database))
        )
    elif position < head[0]:
        message = f"the database stands at position {position}, the journal at {head[0]}"
        yield checkup.finding("database-behind", Level.WARNING, checkup.paths.database, message)
    elif position and database.head_hash() != head[1]:
        message = f"the record at position {position} is not the one that the database was made from"
        yield checkup.finding(
            "journal-differs", Level.ERROR, path, message, _way(lost_positions(checkup.journal, database))
        )
    elif differing := _differing_tables(checkup, database):
        message = f"{', '.join(differing)}: not what the journal says"
        yield checkup.finding("database-differs", Level.ERROR, checkup.paths.database, message)


def _differing_tables(checkup: Checkup, database: FactDatabase) -> list[str]:
    found = database.digests()
    with checkup.open_memory() as folded:
        try:
            _fold(checkup.journal, folded)
        except DamagedJournalError:
            return []  # the journal check's finding
        expected = folded.digests()
    return sorted(table for table in expected if expected[table] != found.get(table))


def _fold(journal: Journal, database: FactDatabase) -> None:
    batch = []
    for pair in journal.read():
        batch.append(pair)
        if len(batch) >= _BATCH:
            database.apply(batch)
            batch = []
    database.apply(batch)


def lost_positions(journal: Journal, database: FactDatabase | None) -> list[int]:
    """Return the positions that neither the readable journal nor the database's copy of its tail holds."""
    good = 0
    with suppress(DamagedJournalError):
        for record, _ in journal.read():
            good = record.position
    head = 0
    with suppress(DamagedJournalError):
        head, _ = journal.head()
    known = {position for position, _ in database.journal_tail()} if database is not None else set()
    last = max(head, database.position() if database is not None else 0)
    return [position for position in range(good + 1, last + 1) if position not in known]


def _way(lost: list[int]) -> str:
    """Return what mends a journal that has lost records: a backup when the database does not hold them either."""
    return "put .engram/journal back from a backup" if lost else FIX


@contextmanager
def standing(checkup: Checkup) -> Iterator[FactDatabase | None]:
    """Give the database when it can be asked, else None: that is the database check's finding."""
    with ExitStack() as stack:
        database = None
        if checkup.paths.database.exists():
            with suppress(DamagedDatabaseError):
                database = stack.enter_context(checkup.open_database())
        yield database


def _check_files(checkup: Checkup, database: FactDatabase) -> Iterator[Finding]:
    parts = (database, checkup.journal, checkup.mirror, checkup.settings)
    life = checkup.paths.life
    for name, kind, plan, _ in find_differences(*parts):
        if kind == "missing":
            yield checkup.finding("mirror-missing", Level.ERROR, life / name, "the file is not there")
        elif kind == "damaged":
            yield checkup.finding("mirror-damaged", Level.ERROR, life / name, plan.damage)
        elif kind == "edited":
            message = f"somebody edited the file: {len(plan.edits)} changes wait to be taken in"
            yield checkup.finding("mirror-edited", Level.INFO, life / name, message, HEARTBEAT)
    if changed := find_changed(*parts):
        message = f"{len(changed)} entities changed since the files were written"
        yield checkup.finding("mirror-behind", Level.INFO, life, message, HEARTBEAT)


def _check_index_position(checkup: Checkup, head: int) -> Iterator[Finding]:
    folder = checkup.paths.index
    try:
        with checkup.open_index() as index:
            position = index.position()
    except DegradedIndexError as damage:
        yield checkup.finding("index-damaged", Level.ERROR, folder, damage.message)
    except StoreBusyError as busy:
        yield checkup.finding("index-busy", Level.INFO, folder, f"not looked at: {busy.message}", "engram doctor")
    else:
        if position > head:
            message = f"the index stands at position {position}, the journal ends at {head}"
            yield checkup.finding("index-ahead", Level.ERROR, folder, message)
        elif position < head:
            message = f"{head - position} records are not indexed yet"
            yield checkup.finding("index-behind", Level.INFO, folder, message, HEARTBEAT)


def read_object(path: Path) -> dict[str, Any] | None:
    """Return the JSON object that a file holds, or None when it does not read as one."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _has_live_process(record: dict[str, Any]) -> bool:
    pid = record.get("pid")
    return isinstance(pid, int) and is_alive(pid)
