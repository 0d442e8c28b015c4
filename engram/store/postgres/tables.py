"""The tables on the server: one row a record, one partition a workspace.

A partition is a table of its own, so that what is forgotten leaves the disk with it, and that a role can be given one
workspace alone.
"""

from typing import TYPE_CHECKING
from typing import Any
from typing import Final

from psycopg import sql

from engram.errors import NewerFormatError

if TYPE_CHECKING:
    from psycopg import Connection

FORMAT: Final = 1  # of the tables
CHANNEL: Final = "engram"  # of notifications: "WORKSPACE POSITION"
_LOCK: Final = "engram tables"

_SCHEMA: Final = (
    "CREATE SCHEMA IF NOT EXISTS engram",
    "CREATE TABLE engram.format (version integer NOT NULL)",
    """CREATE TABLE engram.workspace (
         name text PRIMARY KEY,
         generation bigint NOT NULL DEFAULT 1,
         is_open boolean NOT NULL DEFAULT true,
         made_at timestamptz NOT NULL DEFAULT now()
       )""",
    """CREATE TABLE engram.record (
         workspace text NOT NULL,
         position bigint NOT NULL CHECK (position > 0),
         hash text NOT NULL,
         line bytea NOT NULL,
         key text NOT NULL,
         signature text NOT NULL,
         stored_at timestamptz NOT NULL DEFAULT now(),
         PRIMARY KEY (workspace, position)
       ) PARTITION BY LIST (workspace)""",
    "INSERT INTO engram.format VALUES (1)",
)


def has_tables(connection: "Connection[tuple[Any, ...]]") -> bool:
    """Tell whether the tables are there; raise NewerFormatError for those of a newer Engram."""
    row = connection.execute("SELECT to_regclass('engram.format')").fetchone()
    if row is None or row[0] is None:
        return False
    found = connection.execute("SELECT version FROM engram.format").fetchone()
    version = int(found[0]) if found else 0
    if version > FORMAT:
        raise NewerFormatError(
            f"the tables of the shared journal were made by a newer Engram: they have format {version}, not {FORMAT}"
        )
    return True


def make_tables(connection: "Connection[tuple[Any, ...]]") -> None:
    """Make the tables unless they are there; two machines may do it at once."""
    if has_tables(connection):
        return
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (_LOCK,))
        if not has_tables(connection):
            for statement in _SCHEMA:
                connection.execute(statement)


def partition_of(workspace: str) -> sql.Identifier:
    """Return the table that holds a workspace's records."""
    return sql.Identifier("engram", f"record_{workspace}")


def make_partition(connection: "Connection[tuple[Any, ...]]", workspace: str) -> None:
    """Make a workspace that is not there, within a transaction under its lock."""
    if connection.execute("SELECT 1 FROM engram.workspace WHERE name = %s", (workspace,)).fetchone() is not None:
        return  # asked first: the role of a workspace may not insert
    made = connection.execute(
        "INSERT INTO engram.workspace (name) VALUES (%s) ON CONFLICT (name) DO NOTHING", (workspace,)
    )
    if made.rowcount:
        make_table(connection, partition_of(workspace))
        attach(connection, workspace)


def make_table(connection: "Connection[tuple[Any, ...]]", table: sql.Identifier) -> None:
    """Make an empty table like those of the records."""
    connection.execute(sql.SQL("CREATE TABLE {} (LIKE engram.record INCLUDING ALL)").format(table))


def attach(connection: "Connection[tuple[Any, ...]]", workspace: str) -> None:
    """Make the workspace's table a partition: nobody waits for that, as somebody would for CREATE ... PARTITION OF."""
    connection.execute(
        sql.SQL("ALTER TABLE engram.record ATTACH PARTITION {} FOR VALUES IN ({})").format(
            partition_of(workspace), sql.Literal(workspace)
        )
    )


def replace_partition(connection: "Connection[tuple[Any, ...]]", workspace: str, fresh: sql.Identifier) -> None:
    """Put another table in the place of the workspace's, which goes with its files when the transaction ends."""
    connection.execute(sql.SQL("DROP TABLE {}").format(partition_of(workspace)))
    name = sql.Identifier(f"record_{workspace}")
    connection.execute(sql.SQL("ALTER TABLE {} RENAME TO {}").format(fresh, name))
    attach(connection, workspace)
    connection.execute("UPDATE engram.workspace SET generation = generation + 1 WHERE name = %s", (workspace,))
