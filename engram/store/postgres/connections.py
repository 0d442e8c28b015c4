"""The connections of each thread to a shared journal, and the lock of the workspace that one of them may hold."""

import contextlib
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING
from typing import Any
from typing import Final

from psycopg import sql

from engram.store.postgres.fleet_tables import take_on_role
from engram.store.postgres.journal_server import Server
from engram.store.postgres.server import connect
from engram.store.postgres.server import translated

if TYPE_CHECKING:
    from psycopg import Connection

LOCK_WAIT_S: Final = 30.0  # that an append waits for another machine's


class Connections:
    """Connections to one server; a thread that holds the lock uses the one connection that has it for everything."""

    def __init__(self, server: Server) -> None:
        """Take the server; nothing is opened."""
        self._server = server
        self._own = _Own()

    @contextlib.contextmanager
    def hold(self, wait_s: float) -> Iterator[None]:
        """Hold the workspace's lock for the length of a block, in the order of asking.

        Raises JournalAwayError when the server does not answer, StoreBusyError when it is not free in time.
        """
        if self._own.connection is not None:  # this thread has it already
            yield
            return
        with translated():
            self._own.connection = self._locked(wait_s)
        try:
            yield
        finally:
            connection, self._own.connection = self._own.connection, None
            if connection is not None:
                connection.close()  # which ends the lock

    @contextlib.contextmanager
    def one(self, *, again: bool = False) -> Iterator["Connection[tuple[Any, ...]]"]:
        """Give the connection that holds the lock, made anew if it broke; else one for the length of the block."""
        held = self._own.connection
        if held is not None:
            if again and held.closed:
                held = self._own.connection = self._locked(LOCK_WAIT_S)
            yield held
            return
        with self.connect() as connection:
            yield connection

    @contextlib.contextmanager
    def still(self) -> Iterator["Connection[tuple[Any, ...]]"]:
        """Give a connection to which the journal looks the same all the while: nobody writes it anew meanwhile."""
        with self.one() as connection:
            if self._own.connection is not None:
                yield connection
                return
            with connection.transaction():
                connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                yield connection

    def lock(self, connection: "Connection[tuple[Any, ...]]", wait_s: float, function: str) -> None:
        """Take the advisory lock of the workspace, in the order of asking; to be called within a transaction."""
        waits = f"{max(1, int(wait_s * 1000))}ms"
        connection.execute("SELECT set_config('lock_timeout', %s, true)", (waits,))
        taken = sql.SQL("SELECT {}(hashtextextended(%s, 0))").format(sql.Identifier(function))
        connection.execute(taken, (f"engram {self._server.workspace}",))

    def connect(self) -> "Connection[tuple[Any, ...]]":
        """Connect, as the workspace's own role where it has one: then nothing sent can reach another's rows."""
        connection = connect(self._server.url, self._server.wait_s)
        try:
            take_on_role(connection, self._server.workspace)
        except BaseException:
            connection.close()
            raise
        return connection

    def _locked(self, wait_s: float) -> "Connection[tuple[Any, ...]]":
        connection = self.connect()
        try:
            with connection.transaction():  # for the time that it waits; the lock itself stays with the session
                self.lock(connection, wait_s, "pg_advisory_lock")
        except BaseException:
            connection.close()
            raise
        return connection


class _Own(threading.local):
    connection: "Connection[tuple[Any, ...]] | None" = None  # the one that holds the lock
