"""A window on the database through which a person may look with SQL and do nothing else.

Invariant: the file is attached read-only to an instance of its own, in which files, the network, extensions and
settings are out of reach before the person's words are read; DuckDB lets none of that be switched on again.
"""

import contextlib
import datetime as dt
import decimal
import threading
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from typing import NamedTuple

import duckdb

from engram.base.clock import to_iso
from engram.errors import BadValueError
from engram.errors import RefusedError
from engram.store.database.sql_files import window_views

_CLOSED = {
    "python_enable_replacements": "false",  # no variable of this program is a table
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "memory_limit": "'512MB'",
    "temp_directory": "''",  # what does not fit into memory fails and is not written anywhere
    "enable_external_access": "false",  # no file, no network
    "lock_configuration": "true",
}
_GRACE_S = 2.0  # for a statement to end that was told to
_PLAIN = (str, int, float, bool, type(None))
_VIEWS = "facts_live, facts_all, entities, edges, sessions and runs"
_RUNS = """CREATE TABLE runs (id TEXT, status TEXT, started_at TIMESTAMP, finished_at TIMESTAMP, alerts TEXT[],
    phases STRUCT(phase TEXT, status TEXT, summary TEXT, duration_s DOUBLE)[])"""
_RUN = "INSERT INTO runs VALUES (?, ?, TRY_CAST(? AS TIMESTAMP), TRY_CAST(? AS TIMESTAMP), ?, ?)"
_PHASE: Mapping[str, type | tuple[type, ...]] = {
    "phase": str,
    "status": str,
    "summary": str,
    "duration_s": (int, float),
}


class Seen(NamedTuple):
    """What a question in SQL came to."""

    columns: list[str]
    rows: list[list[Any]]  # values as JSON has them
    is_cut: bool  # there are more rows


def look(
    path: Path,
    sql: str,
    *,
    max_rows: int,
    seconds: float,
    runs: Iterable[Mapping[str, Any]] = (),
    give_up: Callable[[RefusedError], object] = lambda _late: None,
) -> Seen:
    """Return what one SELECT finds in a database file that is held for reading, and in the records of heartbeat runs.

    Raises BadValueError for anything but one SELECT that can be run, RefusedError when it takes longer than `seconds`.
    DuckDB looks between two pieces of its work whether it is to end, and one call of a function can be a piece that
    takes hours: then `give_up` is called with what would be raised, in a thread of its own.
    """
    late = RefusedError(f"it took longer than {seconds:g} seconds", hint="ask for less")
    with contextlib.closing(duckdb.connect(":memory:")) as connection:
        _open(connection, path, runs)
        with _after(seconds, connection.interrupt), _after(seconds + _GRACE_S, lambda: give_up(late)):
            try:
                _refuse_other_than_select(connection, sql)
                cursor = connection.execute(sql)
                found = cursor.fetchmany(max_rows + 1)
            except duckdb.InterruptException as problem:
                raise late from problem
            except (duckdb.Error, RuntimeError, OverflowError) as problem:  # RuntimeError: of no value for Python
                raise BadValueError(_first_line(problem), hint=f"the tables are {_VIEWS}") from problem
        columns = [column[0] for column in cursor.description or ()]
        return Seen(columns, [[_plain(value) for value in row] for row in found[:max_rows]], len(found) > max_rows)


def _open(connection: "duckdb.DuckDBPyConnection", path: Path, runs: Iterable[Mapping[str, Any]]) -> None:
    quoted = str(path).replace("'", "''")
    connection.execute(f"ATTACH '{quoted}' AS store (READ_ONLY)")
    for view in window_views().values():
        connection.execute(view)
    connection.execute(_RUNS)
    for run in runs:  # they lie in files of their own
        connection.execute(_RUN, _run_row(run))
    for name, value in _CLOSED.items():
        connection.execute(f"SET {name} = {value}")


def _run_row(run: Mapping[str, Any]) -> list[Any]:
    """Return the values of a record; what is damaged in it is NULL, so that it keeps nobody from looking."""
    phases = [
        {name: _of_kind(phase.get(name), kind) for name, kind in _PHASE.items()}
        for phase in _of_kind(run.get("phases"), list) or ()
        if isinstance(phase, Mapping)
    ]
    told = [_of_kind(run.get(name), str) for name in ("run_id", "status", "started_at", "finished_at")]
    return [*told, [str(alert) for alert in _of_kind(run.get("alerts"), list) or ()], phases]


def _of_kind(value: Any, kind: type | tuple[type, ...]) -> Any:
    return value if isinstance(value, kind) else None


def _refuse_other_than_select(connection: "duckdb.DuckDBPyConnection", sql: str) -> None:
    statements = connection.extract_statements(sql)
    kinds = [statement.type.name for statement in statements]
    if kinds != ["SELECT"]:
        said = " and ".join(kind.lower() for kind in kinds) or "nothing"
        raise BadValueError(f"the window takes one SELECT, not {said}", hint='engram sql "SELECT * FROM facts_live"')


@contextlib.contextmanager
def _after(seconds: float, act: Callable[[], object]) -> Iterator[None]:
    timer = threading.Timer(seconds, act)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()  # or it might interrupt what is closed by then


def _first_line(problem: Exception) -> str:
    return str(problem).split("\n", 1)[0].rstrip(".") or type(problem).__name__


def _plain(value: Any) -> Any:
    """Return a value of the database as JSON has it; instants are UTC."""
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, dt.datetime):
        return to_iso(value if value.tzinfo else value.replace(tzinfo=dt.UTC))
    if isinstance(value, decimal.Decimal):
        return float(value)
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {str(name): _plain(one) for name, one in value.items()}
    return str(value)
