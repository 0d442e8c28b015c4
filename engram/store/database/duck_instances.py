"""The instances of DuckDB of this process, to which no file is attached: an attach takes 2 ms, a connect 26."""

import atexit
import os
from collections import deque
from typing import TYPE_CHECKING

from engram.base.machine.processes import require_address_space

if TYPE_CHECKING:
    import duckdb

_idle: "deque[duckdb.DuckDBPyConnection]" = deque()
_ADDRESS_SPACE = 1 << 30  # that the engine maps, almost; it uses a tenth, and dies of a lower limit


def load_engine() -> None:
    """Load the engine, which the first `take` would do."""
    if not _idle:
        _idle.append(_start())


def take(temporary: str) -> "duckdb.DuckDBPyConnection":
    """Return an instance that nobody uses; whoever took it puts it back with no file attached.

    What is too large for it goes into the temporary folder, into none where that is empty: the engine's own choice is
    one in the folder in which somebody stands, which may lie on a disk while the store lies in memory.
    """
    quoted = temporary.replace("'", "''")
    while True:
        try:
            connection = _idle.pop()
        except IndexError:
            connection = _start()
        import duckdb  # noqa: PLC0415 - it is loaded now

        try:
            connection.execute(f"SET temp_directory = '{quoted}'")
        except duckdb.NotImplementedException:  # it has used the folder of before, and cannot take another one
            connection.close()
        else:
            return connection


def put_back(connection: "duckdb.DuckDBPyConnection") -> None:
    """Keep an instance for the next who takes one."""
    _idle.append(connection)


def _leave_inherited() -> None:
    """Leave the parent's instances alone in a forked process: their threads are not here, and to close one kills."""
    if _idle:
        import ctypes  # noqa: PLC0415 - few processes are forked from one that used the engine

        for connection in _idle:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))  # the end of the interpreter would close it, too
        _idle.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_inherited)


def _start() -> "duckdb.DuckDBPyConnection":
    require_address_space(_ADDRESS_SPACE, "the database")
    import duckdb  # noqa: PLC0415 - 100 ms: only processes that touch the database pay for it

    atexit.register(_idle.clear)  # the engine complains of instances that outlive the interpreter
    connection = duckdb.connect(":memory:")
    connection.execute(
        "SET pandas_analyze_sample = 0"
    )  # columns of text are text, whatever a sample of them looks like
    return connection
