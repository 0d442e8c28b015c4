"""A fresh table in the place of a workspace's, for what is forgotten: by the tables' owner, or by the workspace's role.

The role owns nothing, so functions of the owner do it for it; they find the workspace by the role that asks.
"""

import contextlib
from collections.abc import Callable
from collections.abc import Iterator
from typing import TYPE_CHECKING
from typing import Any

from psycopg import sql

from engram.store.postgres.fleet_tables import take_on_role
from engram.store.postgres.tables import make_table
from engram.store.postgres.tables import replace_partition

if TYPE_CHECKING:
    from psycopg import Connection

Fresh = tuple[sql.Identifier, Callable[[bool], None]]


@contextlib.contextmanager
def rewriting(connection: "Connection[tuple[Any, ...]]", workspace: str) -> Iterator[Fresh]:
    """Give an empty table, and what puts it in the place of the workspace's or drops it; within a transaction."""
    fresh = sql.Identifier("engram", f"fresh_{workspace}")
    if take_on_role(connection, workspace):
        connection.execute("SELECT engram.begin_rewriting()")
        yield fresh, lambda takes_place: _end(connection, takes_place=takes_place)
        return
    make_table(connection, fresh)

    def put_in_place(takes_place: bool) -> None:  # noqa: FBT001 - as its type says
        if takes_place:
            replace_partition(connection, workspace, fresh)
        else:
            connection.execute(sql.SQL("DROP TABLE {}").format(fresh))

    yield fresh, put_in_place


def _end(connection: "Connection[tuple[Any, ...]]", *, takes_place: bool) -> None:
    connection.execute("SELECT engram.end_rewriting(%s)", (takes_place,))
