"""The journal as rows in PostgreSQL: the very bytes of each line, with its place, its hash and a signature.

Invariant: a record is appended in one transaction that holds the workspace's advisory lock and has found the record
before it at the end. So there is no fork, even when the lock of a longer decision went with its connection.
"""

import contextlib
import time
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from typing import TYPE_CHECKING
from typing import Any
from typing import Final

import psycopg
from psycopg import sql

from engram.base.disk.faults import fault_point
from engram.base.text import sha256_hex
from engram.errors import DamagedJournalError
from engram.errors import JournalAwayError
from engram.errors import JournalClosedError
from engram.errors import LeaseLostError
from engram.model.changes.record import GENESIS
from engram.model.changes.record import Record
from engram.ports.journal import SharedHead
from engram.store.journal.continuation import rechained_lines
from engram.store.journal.continuation import require_continuation
from engram.store.journal.line import decode_line
from engram.store.journal.line import encode_line
from engram.store.postgres.connections import LOCK_WAIT_S
from engram.store.postgres.connections import Connections
from engram.store.postgres.journal_server import Server
from engram.store.postgres.replacement import rewriting
from engram.store.postgres.server import is_lost
from engram.store.postgres.server import translated
from engram.store.postgres.tables import CHANNEL
from engram.store.postgres.tables import has_tables
from engram.store.postgres.tables import make_partition
from engram.store.postgres.tables import make_tables
from engram.store.signature.line_signature import LineSignature
from engram.store.signature.line_signature import LineSigner

if TYPE_CHECKING:
    from psycopg import Connection

_NAME: Final = "the shared journal"
_ROWS: Final = 2000  # read or written at a time
_BYTES: Final = 8 << 20  # of lines that are read at a time, one record at least
_PAUSE_S: Final = 0.05  # before the first attempt to reconnect; the next ones wait longer

_READ: Final = """
  SELECT position, hash, line, key, signature FROM (
    SELECT *, sum(length(line)) OVER (ORDER BY position) - length(line) AS before FROM (
      SELECT position, hash, line, key, signature FROM engram.record
      WHERE workspace = %s AND position > %s ORDER BY position LIMIT %s
    ) AS next
  ) AS counted WHERE before < %s ORDER BY position"""
_HEAD: Final = """
  SELECT known.generation, known.is_open, last.position, last.hash FROM engram.workspace AS known LEFT JOIN LATERAL (
    SELECT position, hash FROM engram.record WHERE workspace = %s ORDER BY position DESC LIMIT 1
  ) AS last ON true WHERE known.name = %s"""


class PostgresJournal:
    """`ports.journal.SharedJournal` on a server. Each thread that uses it has connections of its own."""

    def __init__(self, server: Server, signer: LineSigner, *, requires_signature: bool = False) -> None:
        """Take the place, who signs, and whether a line that this person's key did not sign is damage."""
        self._server = server
        self._signer = signer
        self._requires_signature = requires_signature
        self._connections = Connections(server)
        self.fence: int | None = None

    # -- the journal

    def head(self) -> tuple[int, str]:
        """See the port."""
        standing = self.standing()
        return standing.position, standing.head

    def standing(self) -> SharedHead:
        """See the port."""
        with translated(), self._connections.one() as connection:
            return self._standing(connection) if has_tables(connection) else SharedHead()

    def encode(self, record: Record) -> bytes:
        """See the port."""
        return encode_line(record)

    def append(self, records: Sequence[Record]) -> list[bytes]:
        """See the port. A connection that breaks is made anew, and looked whether the records got there.

        Raises JournalAwayError when the server does not come back in time: nobody knows then whether they did.
        """
        pairs = [(record, encode_line(record)) for record in records]
        self.append_lines(pairs)
        return [line for _, line in pairs]

    def append_lines(self, pairs: Sequence[tuple[Record, bytes]]) -> None:
        """See the port, and `append`."""
        if not pairs:
            return None
        deadline, pause, broke = time.monotonic() + self._server.wait_s, _PAUSE_S, False
        while True:
            try:
                return self._append(pairs, broke=broke)
            except (psycopg.Error, JournalAwayError) as problem:
                if not is_lost(problem) or time.monotonic() >= deadline:
                    with translated():
                        raise
            broke = True
            time.sleep(pause)
            pause *= 2

    def read(self, after: int = 0) -> Iterator[tuple[Record, bytes]]:
        """See the port."""
        with translated(), self._connections.still() as connection:
            if has_tables(connection):
                yield from self._read(connection, after)

    def hash_at(self, position: int) -> str | None:
        """See the port."""
        with translated(), self._connections.one() as connection:
            return self._hash_at(connection, position) if has_tables(connection) else None

    # -- several machines

    @contextlib.contextmanager
    def hold(self, wait_s: float) -> Iterator[None]:
        """See the port."""
        with self._connections.hold(wait_s):
            yield

    def rewrite(self, change: Callable[[Record], Record]) -> int:
        """See the port. The former table goes from the server's disk, not from its backups and archived logs."""
        with translated(), self.hold(LOCK_WAIT_S), self._connections.one() as connection:
            if not has_tables(connection):
                return 0
            with connection.transaction(), rewriting(connection, self._server.workspace) as (fresh, put_in_place):
                changed = self._copy_changed(connection, fresh, change)
                self._require_fence(connection)
                put_in_place(changed > 0)
                if changed:
                    self._notify(connection, 0)
            return changed

    def set_open(self, *, is_open: bool) -> None:
        """See the port."""
        with translated(), self._connections.one() as connection:
            name = self._server.workspace
            connection.execute("UPDATE engram.workspace SET is_open = %s WHERE name = %s", (is_open, name))

    # -- inside

    def _append(self, pairs: Sequence[tuple[Record, bytes]], *, broke: bool) -> None:
        with self._connections.one(again=broke) as connection:
            make_tables(connection)
            with connection.transaction():
                self._connections.lock(connection, LOCK_WAIT_S, "pg_advisory_xact_lock")
                make_partition(connection, self._server.workspace)
                if broke and self._is_there(connection, pairs):
                    return
                standing = self._standing(connection)
                if not standing.is_open:
                    raise JournalClosedError
                self._require_fence(connection)
                require_continuation(pairs, (standing.position, standing.head))
                lines = [line for _, line in pairs]
                self._insert(connection, sql.Identifier("engram", "record"), standing.position + 1, lines)
                self._notify(connection, pairs[-1][0].position)
                fault_point("before-shared-journal")
            fault_point("after-shared-journal")

    def _is_there(self, connection: "Connection[tuple[Any, ...]]", pairs: Sequence[tuple[Record, bytes]]) -> bool:
        """Tell whether the records, and nothing else, stand at their places: the answer was lost, not the write."""
        first, last = pairs[0][0].position, pairs[-1][0].position
        rows = connection.execute(
            "SELECT hash FROM engram.record WHERE workspace = %s AND position BETWEEN %s AND %s ORDER BY position",
            (self._server.workspace, first, last),
        ).fetchall()
        return [row[0] for row in rows] == [sha256_hex(line) for _, line in pairs]

    def _insert(
        self, connection: "Connection[tuple[Any, ...]]", table: sql.Identifier, first: int, lines: Sequence[bytes]
    ) -> None:
        rows = []
        for position, line in enumerate(lines, first):
            decode_line(line, _NAME)  # never write what cannot be read back
            line_hash = sha256_hex(line)
            signed = self._signer.sign(self._server.workspace, position, line_hash)
            rows.append((self._server.workspace, position, line_hash, line, signed.key, signed.signature))
        statement = sql.SQL(
            "INSERT INTO {} (workspace, position, hash, line, key, signature) VALUES (%s, %s, %s, %s, %s, %s)"
        )
        with connection.cursor() as cursor:
            cursor.executemany(statement.format(table), rows)

    def _copy_changed(
        self, connection: "Connection[tuple[Any, ...]]", fresh: sql.Identifier, change: Callable[[Record], Record]
    ) -> int:
        changed, batch, first = 0, list[bytes](), 1
        for line, is_changed in rechained_lines(self._read(connection, 0), change):
            changed += is_changed
            batch.append(line)
            if len(batch) == _ROWS:
                self._insert(connection, fresh, first, batch)
                first, batch = first + len(batch), []
        self._insert(connection, fresh, first, batch)
        return changed

    def _read(self, connection: "Connection[tuple[Any, ...]]", after: int) -> Iterator[tuple[Record, bytes]]:
        previous = self._hash_at(connection, after)
        while rows := connection.execute(_READ, (self._server.workspace, after, _ROWS, _BYTES)).fetchall():
            for position, line_hash, line, key, signature in rows:
                record = self._checked(int(position), str(line_hash), bytes(line), LineSignature(key, signature))
                if position != after + 1 or record.previous != previous:
                    raise _damaged(f"its chain breaks at position {after + 1}", after + 1)
                yield record, bytes(line)
                after, previous = position, line_hash

    def _checked(self, position: int, line_hash: str, line: bytes, signed: LineSignature) -> Record:
        record = decode_line(line, _NAME)
        if sha256_hex(line) != line_hash or record.position != position:
            raise _damaged(f"the line at position {position} is not the one that was written", position)
        holds = self._signer.check(signed, self._server.workspace, position, line_hash)
        if holds is False:
            raise _damaged(f"the line at position {position} does not bear the signature of its key", position)
        if holds is None and self._requires_signature:
            raise _damaged(f"the line at position {position} was not signed with the key of this machine", position)
        return record

    def _hash_at(self, connection: "Connection[tuple[Any, ...]]", position: int) -> str | None:
        if position == 0:
            return GENESIS
        row = connection.execute(
            "SELECT hash FROM engram.record WHERE workspace = %s AND position = %s",
            (self._server.workspace, position),
        ).fetchone()
        return None if row is None else str(row[0])

    def _standing(self, connection: "Connection[tuple[Any, ...]]") -> SharedHead:
        name = self._server.workspace
        row = connection.execute(_HEAD, (name, name)).fetchone()
        if row is None:
            return SharedHead()
        generation, is_open, position, line_hash = row
        return SharedHead(int(position or 0), str(line_hash or GENESIS), int(generation), bool(is_open))

    def _require_fence(self, connection: "Connection[tuple[Any, ...]]") -> None:
        """Raise LeaseLostError unless our lease is the latest; it stays that until the transaction ends."""
        if self.fence is None:
            return
        row = connection.execute("SELECT engram.holds(%s)", (self.fence,)).fetchone()
        if row is None or not row[0]:
            raise LeaseLostError("another worker of the fleet has taken this workspace over", fence=self.fence)

    def _notify(self, connection: "Connection[tuple[Any, ...]]", position: int) -> None:
        connection.execute("SELECT pg_notify(%s, %s)", (CHANNEL, f"{self._server.workspace} {position}"))


def _damaged(what: str, position: int) -> DamagedJournalError:
    return DamagedJournalError(f"{_NAME} is damaged: {what}", hint="engram doctor", position=position)
