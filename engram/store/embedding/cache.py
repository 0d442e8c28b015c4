"""Vectors that were computed before, by the hash of their text: a file of SQLite that any number of processes share.

A cache is never a reason to fail: what cannot be read is computed again, and a damaged file is set aside.
"""

import contextlib
import hashlib
import sqlite3
import struct
import time
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from engram.base.log import warn

T = TypeVar("T")

_FILE = "embeddings.sqlite"
_WAIT_S = 2.0  # for another process that writes; a cache is not worth a longer wait
_PAUSE_S = 0.01  # before another attempt: SQLite does not wait by itself for one that is making the file
_KEPT_SHARE = 0.9  # of the bound that is left after old vectors had to go, so that not every write has to make room
_ROW_BYTES = 100  # of one vector beside its numbers
_PRIMARY_CODE = 0xFF  # of an extended error code, https://www.sqlite.org/rescode.html
_ASKED_AT_ONCE = 500  # keys in one statement; SQLite takes at least 999
_FIND = """
SELECT text, vector FROM vectors JOIN models ON models.id = vectors.model WHERE models.name = ? AND text IN ({marks})
"""
_LENGTH = "SELECT length(vector) FROM vectors JOIN models ON models.id = vectors.model WHERE name = ? LIMIT 1"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS models (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS vectors (
    id INTEGER PRIMARY KEY,  -- grows, so that the lowest are the oldest
    model INTEGER NOT NULL,
    text BLOB NOT NULL,  -- SHA-256 of the text, see text_key
    vector BLOB NOT NULL,  -- 16-bit floats, little-endian
    UNIQUE (model, text)
);
"""


def text_key(role: str, text: str) -> bytes:
    """Return the key of a text in one role: its SHA-256."""
    return hashlib.sha256(f"{role}\0{text}".encode()).digest()


def packed(vector: Sequence[float]) -> bytes:
    """Return a unit vector as 16-bit floats: half the bytes of what an index keeps, and a cosine off by under 1e-5."""
    return struct.pack(f"<{len(vector)}e", *vector)


def unpacked(data: bytes) -> list[float]:
    """Return the vector that was packed."""
    return list(struct.unpack(f"<{len(data) // 2}e", data))


def _is_busy(problem: sqlite3.OperationalError) -> bool:
    return problem.sqlite_errorcode & _PRIMARY_CODE in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


class EmbeddingCache:
    """One folder with one file, opened for each call: nothing is held open between two."""

    def __init__(self, folder: Path, *, most_bytes: int) -> None:
        """Take the folder, which is made when something is kept, and the size above which the oldest vectors go."""
        self._path = folder / _FILE
        self._most_bytes = most_bytes

    def find(self, model: str, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the packed vectors that are known, by key."""

        def read(connection: sqlite3.Connection) -> dict[bytes, bytes]:
            found: dict[bytes, bytes] = {}
            for first in range(0, len(keys), _ASKED_AT_ONCE):
                asked = keys[first : first + _ASKED_AT_ONCE]
                query = _FIND.format(marks=",".join("?" * len(asked)))
                found |= dict(connection.execute(query, (model, *asked)).fetchall())
            return found

        return self._attempt(read, {}) if self._path.is_file() else {}

    def keep(self, model: str, vectors: Mapping[bytes, bytes]) -> None:
        """Keep packed vectors by key; when the file grows too large, the oldest go."""

        def write(connection: sqlite3.Connection) -> None:
            with connection:
                connection.execute("INSERT OR IGNORE INTO models (name) VALUES (?)", (model,))
                (number,) = connection.execute("SELECT id FROM models WHERE name = ?", (model,)).fetchone()
                rows = [(number, key, vector) for key, vector in vectors.items()]
                connection.executemany("INSERT OR IGNORE INTO vectors (model, text, vector) VALUES (?, ?, ?)", rows)
                self._make_room(connection)

        with contextlib.suppress(OSError):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._attempt(write, None)

    def dimensions(self, model: str) -> int | None:
        """Return the length of the vectors of a model; None when none is known."""

        def read(connection: sqlite3.Connection) -> int | None:
            row = connection.execute(_LENGTH, (model,)).fetchone()
            return row[0] // 2 if row else None

        return self._attempt(read, None) if self._path.is_file() else None

    def size(self) -> dict[str, int]:
        """Return {"vectors", "bytes"}."""

        def read(connection: sqlite3.Connection) -> dict[str, int]:
            (count,) = connection.execute("SELECT count(*) FROM vectors").fetchone()
            return {"vectors": count, "bytes": self._path.stat().st_size}

        nothing = {"vectors": 0, "bytes": 0}
        return self._attempt(read, nothing) if self._path.is_file() else nothing

    def _make_room(self, connection: sqlite3.Connection) -> None:
        sizes = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count")]
        (page_bytes,) = connection.execute("PRAGMA page_size").fetchone()
        too_much = (sizes[0] - sizes[1]) * page_bytes - self._most_bytes
        if too_much <= 0:
            return
        count, vector_bytes = connection.execute("SELECT count(*), max(length(vector)) FROM vectors").fetchone()
        share = (too_much + (1 - _KEPT_SHARE) * self._most_bytes) / (count * (vector_bytes + _ROW_BYTES))
        going = max(1, min(count, round(count * share)))
        connection.execute("DELETE FROM vectors WHERE id IN (SELECT id FROM vectors ORDER BY id LIMIT ?)", (going,))

    def _attempt(self, action: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        """Return what the action does with a connection; `otherwise` when the file does not allow it."""
        until = time.monotonic() + _WAIT_S
        while True:
            try:
                with contextlib.closing(self._connection()) as connection:
                    return action(connection)
            except sqlite3.OperationalError as problem:  # busy, read-only, or no room on the disk: do without
                if not _is_busy(problem) or time.monotonic() >= until:
                    return otherwise
                time.sleep(_PAUSE_S)
            except sqlite3.DatabaseError as problem:
                self._set_aside(str(problem))
                return otherwise

    def _connection(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=_WAIT_S)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = OFF")  # what a crash of the machine takes is computed again
            connection.executescript(_SCHEMA)
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _set_aside(self, why: str) -> None:
        kept = self._path.with_name(f"damaged-{time.time_ns()}-{_FILE}")
        with contextlib.suppress(OSError):
            self._path.rename(kept)
            for ending in ("-wal", "-shm"):
                self._path.with_name(_FILE + ending).unlink(missing_ok=True)
            warn(f"the cache of embeddings was damaged ({why}) and begins anew; kept as {kept.name}")
