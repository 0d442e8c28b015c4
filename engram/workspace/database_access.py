"""The database of a workspace: a projection of the journal, which never stops anybody when it is damaged.

Invariant: a database goes only when the one that takes its place holds the whole journal, and it is kept even then.
"""

import contextlib
import os
from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path

from engram.base.log import warn
from engram.errors import DamagedDatabaseError
from engram.errors import DamagedJournalError
from engram.errors import StoreBusyError
from engram.model.changes.record import Record
from engram.services.backup.history import find_hash
from engram.store.database.duck_database import DuckFactDatabase
from engram.store.journal.file_journal import FileJournal
from engram.workspace.late import signed_history
from engram.workspace.surroundings import Surroundings

_REPLAYED = "replaying the journal"  # told to whoever looks on
_BATCH = 2000  # records taken in at a time
_BATCH_BYTES = 1 << 20  # of the records' lines: what is folded and written at once takes a hundred times that in memory
_MEMORY = Path(":memory:")
_FOLDED_IN_MEMORY = 16_000_000  # bytes of records, about 16,000 facts, from which a check folds them in a file
_PACKED = 8  # times that a sealed segment is smaller than what it holds, about


class DatabaseAccess:
    """The database that is made of a journal: attached, brought to its head, and made anew when it is damaged."""

    def __init__(self, around: Surroundings, journal: FileJournal) -> None:
        """Take the workspace, and the journal that the database is made of; nothing is opened."""
        self._around = around
        self._paths = around.paths
        self._locks = around.locks
        self._journal = journal
        self._projections = around.paths.projections
        self._database = DuckFactDatabase(around.paths.database)
        self._damaged: tuple[int, int] | None = None  # mark of the file that was found damaged while it was read

    @property
    def database(self) -> DuckFactDatabase:
        """The database, where it lies now."""
        self.follow_projections()
        return self._database

    def follow_projections(self) -> None:
        """Look for the database and the index where they lie now: encryption moves them, also under a long process."""
        if self._projections != (now := self._paths.projections):
            self._projections, self._database = now, DuckFactDatabase(now / self._paths.database.name)
            self._around.index.let_go()

    @contextlib.contextmanager
    def in_memory(self) -> Iterator[DuckFactDatabase]:
        """An empty database that is nowhere on disk, brought to the journal's head."""
        with DuckFactDatabase.in_memory(like=self.database) as database:
            self.apply_journal(database)
            yield database

    @contextlib.contextmanager
    def folded(self) -> Iterator[DuckFactDatabase]:
        """A database brought to the journal's head for a check, and gone after it.

        That of a long journal lies in a file beside the workspace's own: in memory it would take all that there is.
        """
        with contextlib.ExitStack() as stack:
            database = None
            if _text_bytes(self._paths.journal) > _FOLDED_IN_MEMORY:
                beside = DuckFactDatabase(self._paths.database.with_name(f".tmp-folded-{os.getpid()}.duckdb"))
                with contextlib.suppress(DamagedDatabaseError, OSError):  # nobody may write there
                    beside.destroy()
                    stack.callback(beside.destroy)
                    database = stack.enter_context(beside.attach(write=True, is_sparing=True))
            if database is None:
                database = stack.enter_context(DuckFactDatabase.in_memory(like=self.database))
            self.apply_journal(database)
            yield database

    def apply_journal(self, database: DuckFactDatabase) -> None:
        """Bring a database that is attached for writing to the journal's head."""
        batch: list[tuple[Record, bytes]] = []
        size, begun, head = 0, database.position(), self._journal.head()[0]
        for record, line in self._journal.read(after=begun):
            batch.append((record, line))
            size += len(line)
            if len(batch) >= _BATCH or size >= _BATCH_BYTES:
                database.apply(batch, head)
                batch, size = [], 0
                self._around.progress(_REPLAYED, record.position - begun, head - begun)
        database.apply(batch)

    @contextlib.contextmanager
    def attached_to_write(self) -> Iterator[DuckFactDatabase]:
        """Attach the database under the store lock; a file that is damaged, or becomes so, is made anew, once.

        Raises what reading the journal raises; then the file stays as it is.
        """
        database = self.database
        if not database.exists() and self._journal.head()[0]:
            self._put_fresh_in_place(lambda: None)  # whole or not at all: half of it would be taken for what is known
        with contextlib.ExitStack() as stack:
            try:
                stack.enter_context(database.attach(write=True, heal=self._make_anew))
            except DamagedDatabaseError as damage:
                self._replace_file(damage)
                stack.enter_context(database.attach(write=True))
            yield database
        if database.is_spoilt:
            self._set_aside("it could not be closed")

    @contextlib.contextmanager
    def attached_to_read(self) -> Iterator[DuckFactDatabase]:
        """Attach the database for reading; where it proves damaged, the journal answers in its place.

        Raises DamagedDatabaseError when it cannot be attached at all.
        """
        mark = self._file_mark()

        def read_journal(damage: DamagedDatabaseError) -> None:
            self._damaged = mark
            warn(f"{damage.message}; reading the journal in its place")
            self.database.put_in_place(_MEMORY)
            self.apply_journal(self.database)

        with self.database.attach(write=False, heal=read_journal):
            yield self.database

    def put_damaged_away(self) -> None:
        """Set the file aside that was found damaged, if nobody holds it; the next command makes another."""
        mark, self._damaged = self._damaged, None
        if mark is None:
            return
        with contextlib.suppress(StoreBusyError, OSError), self._locks.named("store", "reader").hold(wait_s=0):
            if mark == self._file_mark():
                self._set_aside("it was found damaged")

    def catch_up(self, database: DuckFactDatabase) -> None:
        """Mend the journal's tail and bring a database that is attached for writing to its head.

        Raises DamagedJournalError when the journal has lost what the database still knows.
        """
        head, head_hash = self._journal.head()
        position = database.position()
        if position > head or (position == head and database.head_hash() != head_hash):
            raise DamagedJournalError(
                f"the journal ends at position {head}, but the database knows position {position}",
                hint="engram doctor --fix puts back the lines that the database keeps",
                journal=head,
                database=position,
            )
        if position < head:
            self._require_known_past(database)
        torn = self._journal.cut_torn_tail()
        if torn is not None:
            warn(f"the journal ended in {len(torn.data)} torn bytes, kept as torn-{torn.path.name}-{torn.offset}")
        database.derive(self._around.progress)
        if position < head:
            self.apply_journal(database)

    # -- inside

    def _require_known_past(self, database: DuckFactDatabase) -> None:
        """Raise DamagedJournalError when the journal before the database's position is not the one that it was made of.

        A database that is made anew knows none: what was signed of the journal must still hold.
        """
        position = database.position()
        if not position:
            signed_history().require_history(self._paths, self._journal)
        elif find_hash(self._journal, position) != database.head_hash():
            raise DamagedJournalError(
                f"the record at position {position} is not the one that the database was made from",
                hint="engram doctor --fix puts back the lines that the database keeps",
                position=position,
            )

    def _make_anew(self, damage: DamagedDatabaseError) -> None:
        self.database.let_go()
        self._replace_file(damage)
        self.database.put_in_place(self._paths.database)

    def _replace_file(self, damage: DamagedDatabaseError) -> None:
        """Make the database beside the damaged one, which is set aside only when the new one is whole."""
        self._put_fresh_in_place(lambda: self._set_aside(damage.message))

    def _put_fresh_in_place(self, make_room: Callable[[], None]) -> None:
        fresh = DuckFactDatabase(self._paths.database.with_name("engram.duckdb.new"))
        fresh.destroy()
        with fresh.attach(write=True, is_sparing=True):
            self._require_known_past(fresh)
            self.apply_journal(fresh)
        make_room()
        fresh.replace(self.database)

    def _set_aside(self, why: str) -> None:
        kept = self.database.set_aside(f"{self._around.now():%Y%m%dT%H%M%S%fZ}")
        warn(f"{why}; {self._paths.database.name} is kept as {kept.name} and made anew from the journal")

    def _file_mark(self) -> tuple[int, int]:
        """Return what tells the database's file from one that took its place."""
        found = self._paths.database.stat()
        return found.st_ino, found.st_mtime_ns


def _text_bytes(journal: Path) -> int:
    """Return about how many bytes of records lie in the folder of a journal."""
    files = [path for path in journal.iterdir() if path.is_file()] if journal.is_dir() else []
    return sum(path.stat().st_size * (_PACKED if path.suffix == ".gz" else 1) for path in files)
