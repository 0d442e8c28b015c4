"""A fresh table in the place of a workspace's, for what is forgotten: by the tables' owner, or by the workspace's role.

The role owns nothing, so functions of the owner do it for it; they find the workspace by the role that asks.

For the moment of the exchange nobody may read the table of all workspaces. Who asks for that keeps every newcomer
waiting behind whoever still reads, so it is asked for in short turns.
"""

import contextlib
import time
from collections.abc import Callable
from collections.abc import Iterator
from typing import TYPE_CHECKING
from typing import Any
from typing import Final

import psycopg
from psycopg import sql

from engram.errors import StoreBusyError
from engram.store.postgres.fleet_tables import take_on_role
from engram.store.postgres.tables import make_table
from engram.store.postgres.tables import replace_partition

if TYPE_CHECKING:
    from psycopg import Connection

_TURN_S: Final = 2.0  # for which newcomers wait at most
_TURNS: Final = 10  # with as long a pause after each

Fresh = tuple[sql.Identifier, Callable[[bool], None]]


@contextlib.contextmanager
def rewriting(connection: "Connection[tuple[Any, ...]]", workspace: str) -> Iterator[Fresh]:
    """Give an empty table, and what puts it in the place of the workspace's or drops it; within a transaction."""
    fresh = sql.Identifier("engram", f"fresh_{workspace}")
    if take_on_role(connection, workspace):
        connection.execute("SELECT engram.begin_rewriting()")
        yield fresh, lambda takes_place: _in_turns(connection, lambda: _end(connection, takes_place=takes_place))
        return
    make_table(connection, fresh)

    def put_in_place(takes_place: bool) -> None:  # noqa: FBT001 - as its type says
        if takes_place:
            _in_turns(connection, lambda: replace_partition(connection, workspace, fresh))
        else:
            connection.execute(sql.SQL("DROP TABLE {}").format(fresh))

    yield fresh, put_in_place


def _in_turns(connection: "Connection[tuple[Any, ...]]", exchange: Callable[[], None]) -> None:
    """Do the exchange as soon as nobody reads; raise StoreBusyError when somebody reads in every turn."""
    for _ in range(_TURNS):
        with contextlib.suppress(psycopg.errors.LockNotAvailable), connection.transaction():
            connection.execute("SELECT set_config('lock_timeout', %s, true)", (f"{int(_TURN_S * 1000)}ms",))
            return exchange()
        time.sleep(_TURN_S)
    raise StoreBusyError(
        "others read the table of the shared journal, so nothing can be taken out of it now",
        hint="run the same command again; a transaction that somebody left open shows in pg_stat_activity",
    )


def _end(connection: "Connection[tuple[Any, ...]]", *, takes_place: bool) -> None:
    connection.execute("SELECT engram.end_rewriting(%s)", (takes_place,))
