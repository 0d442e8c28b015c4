"""One DuckDB file and how it is opened, asked and written to; what its tables mean is `duck_database`'s.

The file is only ever opened by DuckDB (any other open and close in the same process would drop its lock), and only
while an operation runs: the process keeps empty in-memory instances and attaches the file to one (2 ms against 26 ms
for a connect). The lock that counts is ours.
"""

import contextlib
import errno
import json
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any
from typing import Self
from typing import TypeVar

from engram.errors import DamagedDatabaseError
from engram.store.database import small_files
from engram.store.database.derivation import derivation
from engram.store.database.engine import duck_instances
from engram.store.database.engine.duck_errors import translated
from engram.store.database.engine.duck_import import duck_engine
from engram.store.database.sql_files import query_with
from engram.store.database.sql_files import schema
from engram.store.database.tables.column_rows import GIVEN
from engram.store.database.tables.column_rows import MANY
from engram.store.database.tables.column_rows import as_columns
from engram.store.database.tables.table_format import FORMAT
from engram.store.database.tables.table_shapes import TableShape
from engram.store.database.tables.table_shapes import read_shapes
from engram.store.database.tables.table_shapes import values_of

if TYPE_CHECKING:
    import duckdb

_parsed: "dict[str, list[duckdb.Statement]]" = {}  # what this process has asked, which is parsed once for all files
_shapes: dict[str, TableShape] = {}  # by table: those of FORMAT, so the same in every file
_Answer = TypeVar("_Answer")
Heal = Callable[[DamagedDatabaseError], None]
_NOWHERE = ":memory:"
TEMPORARY_FOLDER = "duckdb-temporary"  # beside a file, while a question is larger than memory
_MODE = 0o600
_READ = 2_000  # rows that are held at once while something is made of them
_ROWS = 500  # written by one statement: the engine takes a hundred times the text of what it reads as one list


class DuckFile:
    """One file with the tables of `schema.sql`; usable between `attach` and the end of its block."""

    def __init__(self, path: Path) -> None:
        """Take the file; nothing is opened."""
        self._path = path
        self._connection: duckdb.DuckDBPyConnection | None = None  # while the file is attached
        self._known: dict[str, str] = {}  # the rows of meta: nobody else writes while the file is attached
        self._heal: Heal | None = None  # asked when damage is met
        self._as_large_as: Path | None = None  # whose size tells how large this one becomes
        self._size = small_files.FileSize(path)  # of the attached file
        self.is_spoilt = False  # the file could not be closed in good order, and must be made anew

    def exists(self) -> bool:
        """Tell whether there is a file."""
        return self._path.exists()

    def load_engine(self) -> None:
        """Load the engine, which the first `attach` would do."""
        duck_instances.load_engine()

    @classmethod
    @contextlib.contextmanager
    def in_memory(cls, like: "DuckFile | None" = None) -> Iterator[Self]:
        """Give an empty database that is nowhere on disk, and becomes as large as another: for checks and plans."""
        database = cls(Path(_NOWHERE))
        database._as_large_as = like._path if like is not None else None
        with database.attach(write=True):
            yield database

    @contextlib.contextmanager
    def attach(self, *, write: bool, heal: Heal | None = None, is_sparing: bool = False) -> Iterator[Self]:
        """Attach the file for the length of the block; made when absent and `write`.

        With `is_sparing` the engine keeps to little memory, as for who reads: for who only applies records.

        Raises DamagedDatabaseError when DuckDB cannot open it, or when its tables are of another format. Damage that is
        met later is given to `heal`, once, which puts another database in this one's place; then it is asked again.
        """
        if self._connection is not None:
            raise RuntimeError(f"{self._path.name} is attached already")
        try:
            self._open(self._path, write=write, is_sparing=is_sparing or not write)
            self._heal = heal
            yield self
        finally:
            self._heal = None
            self._close()

    def put_in_place(self, path: Path) -> None:
        """Go on with another file, made when absent, in place of the attached one, which is let go of as it is."""
        self._abandon()
        self._open(path, write=True)

    def let_go(self) -> None:
        """Let go of the attached file before its block ends, for whoever puts another in its place."""
        self._abandon()

    def set_aside(self, stamp: str) -> Path:
        """Rename an unusable file (and its write-ahead log) and return the new name; nothing is deleted."""
        target = self._path.with_name(f"{self._path.name}.damaged-{stamp}")
        wal = self._path.with_name(self._path.name + ".wal")
        if wal.exists():
            wal.replace(target.with_name(target.name + ".wal"))
        self._path.replace(target)
        return target

    def replace(self, other: "DuckFile") -> None:
        """Take the place of another file, which is removed with its write-ahead log. Neither may be attached."""
        other.destroy()
        self._path.replace(other._path)

    def destroy(self) -> None:
        """Remove the file, which the journal can make again."""
        self._path.unlink(missing_ok=True)
        self._path.with_name(self._path.name + ".wal").unlink(missing_ok=True)

    def _run(self, sql: str, parameters: dict[str, Any] | None = None) -> "duckdb.DuckDBPyConnection":
        with translated(self._path):
            connection = self._attached()
            sql = small_files.planned_fast(sql, parameters) if self._size.is_small else sql
            if sql not in _parsed:
                _parsed[sql] = connection.extract_statements(sql)
            for statement in _parsed[sql]:
                connection.execute(statement, parameters)
            return connection

    def _select(self, name: str, **parameters: Any) -> list[dict[str, Any]]:
        return self._healing(lambda: self._rows(name, parameters))

    def _tuples(self, name: str, **parameters: Any) -> list[tuple[Any, ...]]:
        """Return what a named query finds, by place: dictionaries cost half the time of an answer of many rows."""
        return self._healing(lambda: self._fetched(name, parameters))

    def _fetched(self, name: str, parameters: dict[str, Any]) -> list[tuple[Any, ...]]:
        with translated(self._path):
            return self._run(query_with(name, frozenset(parameters)), parameters).fetchall()

    def _rows(self, name: str, parameters: dict[str, Any]) -> list[dict[str, Any]]:
        with translated(self._path):
            cursor = self._run(query_with(name, frozenset(parameters)), parameters)
            columns = [column[0] for column in cursor.description or ()]
            return [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]

    def _made(self, name: str, make: Callable[[dict[str, Any]], _Answer], **parameters: Any) -> list[_Answer]:
        """Return what is made of each row that a named query finds; the rows of a large answer are never held at once.

        `make` asks nothing of the file.
        """

        def ask() -> list[_Answer]:
            made: list[_Answer] = []
            with translated(self._path):
                cursor = self._run(query_with(name, frozenset(parameters)), parameters)
                columns = [column[0] for column in cursor.description or ()]
                while batch := cursor.fetchmany(_READ):
                    made += [make(dict(zip(columns, row, strict=True))) for row in batch]
            return made

        return self._healing(ask)

    def _healing(self, ask: Callable[[], _Answer]) -> _Answer:
        """Return what is asked of the file; met damage is healed once, if somebody can."""
        try:
            return self._fitting(ask)
        except DamagedDatabaseError as damage:
            if self._heal is None:
                raise
            heal, self._heal = self._heal, None  # what heals must not be healed itself
            heal(damage)
            return ask()

    def _fitting(self, ask: Callable[[], _Answer]) -> _Answer:
        """Do what is asked; what does not fit into the memory of a sparing engine, again with all that there is."""
        try:
            return ask()
        except OSError as trouble:
            if trouble.errno != errno.ENOMEM:
                raise
            duck_engine().use_all_memory(self._attached())
            return ask()

    def _open(self, path: Path, *, write: bool, is_sparing: bool = False) -> None:
        quoted = str(path).replace("'", "''")
        temporary = "" if str(path) == _NOWHERE else str(path.with_name(TEMPORARY_FOLDER))
        self._connection = duck_instances.take(temporary, is_sparing=is_sparing)
        self.is_spoilt = False
        is_new = write and str(path) != _NOWHERE and not path.exists()
        self._size = small_files.FileSize(self._as_large_as or path)
        try:
            with translated(path):
                self._connection.execute(f"ATTACH '{quoted}' AS store{'' if write else ' (READ_ONLY)'}")
                self._connection.execute("USE store")
                duck_engine().plan(self._connection, self._size.planning)
            if is_new:
                path.chmod(_MODE)  # the engine gives it the mode that any file would get
            self._check_format(write=write)
        except (DamagedDatabaseError, OSError):
            self._abandon()
            raise

    def _close(self) -> None:
        """Detach. What was committed is in the journal as well: a file that cannot be closed is only made anew."""
        if self._connection is None:
            return
        try:
            with translated(self._path):
                self._connection.execute("USE memory")
                self._connection.execute("DETACH store")
        except DamagedDatabaseError:
            self.is_spoilt = True
            self._abandon()
        except OSError:  # a full disk: what was committed lies in the write-ahead log
            self._abandon()
        else:
            duck_instances.put_back(self._connection)
            self._connection = None

    def _abandon(self) -> None:
        """Drop the instance of the engine with whatever it has attached: damage may have made all of it useless."""
        connection, self._connection = self._connection, None
        if connection is not None:
            duck_instances.drop(connection)

    def _attached(self) -> "duckdb.DuckDBPyConnection":
        if self._connection is None:
            raise RuntimeError(f"{self._path.name} is not attached")
        return self._connection

    def _meta(self, key: str, default: str) -> str:
        return self._known.get(key, default)

    def _check_format(self, *, write: bool) -> None:
        self._known = {}
        with contextlib.suppress(DamagedDatabaseError):  # there is no such table yet
            self._known = {row["key"]: row["value"] for row in self._select("meta")}
        if self._meta("format", "none") == FORMAT:
            return  # listing all columns would take ten times as long
        tables = {row["table_name"] for row in self._select("column_types")}
        if not tables and write:
            self._run(schema())
            self._known = {"format": FORMAT, "derivation": derivation()}
            self._write_meta(self._known)
        if self._meta("format", "none") != FORMAT:
            raise DamagedDatabaseError(f"{self._path.name} was made by another version of Engram")

    def _write_meta(self, values: dict[str, str]) -> None:
        self._upsert("meta", [{"key": key, "value": value} for key, value in values.items()])

    def _upsert(self, table: str, values: Sequence[dict[str, Any]], *, is_long: bool = False) -> None:
        """Write rows, in place of those of the same keys; in a transaction, or what fails leaves neither.

        Rows with `is_long` text are written as many are, however few they be.
        """
        if not values:
            return
        if self._size.grows_large(len(values)):
            duck_engine().plan(self._attached(), self._size.planning)
        if table not in _shapes:
            _shapes.update(read_shapes(self._select))
        shape = _shapes[table]
        if shape.key and (is_long or len(values) >= MANY):
            self._write_columns(shape, values)
            return
        for first in range(0, len(values), _ROWS):
            batch = values[first : first + _ROWS]
            if shape.key:
                batch = list({row[shape.key]: row for row in batch}.values())
            if len(batch) == 1:
                self._write_one(shape, batch[0])
                continue
            if shape.key:
                self._run(shape.removal, {"keys": [row[shape.key] for row in batch]})
            self._run(shape.insertion, {"rows": json.dumps(batch, ensure_ascii=False)})

    def _write_columns(self, shape: TableShape, values: Sequence[dict[str, Any]]) -> None:
        """Write many rows; their text lies in memory until they are written, so the caller says how many at a time."""
        batch = {row[shape.key]: row for row in values}
        self._run(shape.removal, {"keys": [*batch]})
        connection = self._attached()
        with translated(self._path):
            connection.register(GIVEN, as_columns([*batch.values()], shape.kinds))
            try:
                connection.execute(shape.insertion_of_columns)
            finally:
                connection.unregister(GIVEN)

    def _write_one(self, shape: TableShape, row: dict[str, Any]) -> None:
        if shape.key:
            self._run(shape.removal_of_one, {"key": row[shape.key]})
        self._run(shape.insertion_of_one, values_of(row, shape.kinds))
