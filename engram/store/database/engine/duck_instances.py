"""The instances of DuckDB of this process, to which no file is attached: an attach takes 2 ms, a connect 26."""

import contextlib
import os
from collections import deque
from typing import TYPE_CHECKING

from engram.base.machine.processes import require_address_space
from engram.store.database.engine.duck_import import duck_engine

if TYPE_CHECKING:
    import duckdb

_idle: "deque[duckdb.DuckDBPyConnection]" = deque()
_ADDRESS_SPACE = 1 << 30  # that the engine maps, almost; it uses a tenth, and dies of a lower limit


def load_engine() -> None:
    """Load the engine, which the first `take` would do."""
    if not _idle:
        _idle.append(_start())


def take(temporary: str, *, is_sparing: bool = False) -> "duckdb.DuckDBPyConnection":
    """Return an instance that nobody uses; whoever took it puts it back with no file attached.

    What is too large for it goes into the temporary folder, into none where that is empty: the engine's own choice is
    one in the folder in which somebody stands, which may lie on a disk while the store lies in memory. With
    `is_sparing` it keeps to little memory, which may be too little for a question: see `DuckFile._healing`.
    """
    while True:
        try:
            connection = _idle.pop()
        except IndexError:
            connection = _start()
        if duck_engine().use_folder(connection, temporary, is_sparing=is_sparing):
            return connection
        connection.close()


def put_back(connection: "duckdb.DuckDBPyConnection") -> None:
    """Keep an instance for the next who takes one."""
    _idle.append(connection)


def _leave_inherited() -> None:
    """Leave the parent's instances alone in a forked process, which lacks their threads: to close one kills it."""
    if _idle:
        import ctypes  # noqa: PLC0415 - few processes are forked from one that used the engine

        for connection in _idle:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))  # the end of the interpreter would close it, too
        _idle.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_inherited)


def drop(connection: "duckdb.DuckDBPyConnection") -> None:
    """Close an instance that is of no use any more, whatever it says to that."""
    with contextlib.suppress(duck_engine().Error):
        connection.close()


def _start() -> "duckdb.DuckDBPyConnection":
    require_address_space(_ADDRESS_SPACE, "the database")
    connection: duckdb.DuckDBPyConnection = duck_engine().start(_idle.clear)
    return connection
