"""What is asked of DuckDB beside its statements: an instance, and what its errors speak of."""

import atexit
import errno
import os
from collections.abc import Callable

import duckdb

Error = duckdb.Error
_told: dict[
    int, dict[str, str]
] = {}  # by instance: the statements with which it was set, which take half a millisecond
_MEMORY = "384MiB"  # for pages of the file and for answers; a store of 40,000 facts has 25 MB of pages
_ALL_MEMORY = "RESET memory_limit"
_AROUND = (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.EFBIG)
_OF_THE_STATEMENT = (
    duckdb.ProgrammingError,
    duckdb.DataError,
    duckdb.IntegrityError,
    duckdb.NotSupportedError,
    duckdb.InterruptException,
    duckdb.PermissionException,
)


def start(before_exit: Callable[[], None]) -> duckdb.DuckDBPyConnection:
    """Return a new instance; `before_exit` lets go of all: the engine complains of those that outlive the process."""
    atexit.register(before_exit)
    connection = duckdb.connect(":memory:")
    _told[id(connection)] = {}
    connection.execute(
        "SET pandas_analyze_sample = 0"
    )  # columns of text are text, whatever a sample of them looks like
    return connection


def use_folder(connection: duckdb.DuckDBPyConnection, temporary: str, *, is_sparing: bool) -> bool:
    """Set where it puts what is too large for it; False when it has used another folder, and cannot take this one.

    `is_sparing`: it keeps to little memory, as long as what does not fit is asked again without (`use_all_memory`); by
    itself it takes four fifths of the machine's.
    """
    quoted = temporary.replace("'", "''")
    try:
        _tell(connection, "folder", f"SET temp_directory = '{quoted}'")
    except duckdb.NotImplementedException:
        return False
    _tell(connection, "memory", f"SET memory_limit = '{_MEMORY}'" if is_sparing else _ALL_MEMORY)
    return True


def use_all_memory(connection: duckdb.DuckDBPyConnection) -> None:
    """Let an instance take what it would by itself, until it opens another file."""
    connection.execute(_ALL_MEMORY)
    _told.setdefault(id(connection), {})["memory"] = _ALL_MEMORY


def plan(connection: duckdb.DuckDBPyConnection, statements: str) -> None:
    """Set how it plans what it is asked, until it is set otherwise."""
    _tell(connection, "planning", statements)


def _tell(connection: duckdb.DuckDBPyConnection, what: str, statements: str) -> None:
    """Set something of an instance, unless it is set so already."""
    told = _told.setdefault(id(connection), {})
    if told.get(what) != statements:
        connection.execute(statements)
        told[what] = statements


def is_own_fault(problem: duckdb.Error) -> bool:
    """Tell whether the engine speaks of the statement, and not of the file. A table that is gone is the file's."""
    return isinstance(problem, _OF_THE_STATEMENT) and not isinstance(problem, duckdb.CatalogException)


def trouble_around(problem: duckdb.Error) -> int:
    """Return the number of the system's error that the engine quotes; 0 when it quotes none.

    Whatever it says of these is said of the machine, and the file may be sound.
    """
    if isinstance(problem, duckdb.OutOfMemoryException):
        return errno.ENOMEM
    said = str(problem).lower()
    return next((number for number in _AROUND if os.strerror(number).lower() in said), 0)
