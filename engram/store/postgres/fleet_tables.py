"""The tables of a fleet, and what keeps its workspaces apart on the server: a role each, and row-level security.

A role reads and appends the records of its own workspace, and nothing else: it owns no table, and has no right on a
partition. What it needs besides are functions that find the workspace by the role that asks.
"""

import hashlib
from typing import TYPE_CHECKING
from typing import Any
from typing import Final

from psycopg import sql

from engram.errors import NewerFormatError
from engram.store.postgres.tables import make_partition
from engram.store.postgres.tables import make_tables

if TYPE_CHECKING:
    from psycopg import Connection

FORMAT: Final = 1  # of these tables
_LOCK: Final = "engram fleet tables"
_FUNCTIONS: Final = ", ".join(
    f"engram.{name}" for name in ("own_workspace", "asker", "holds", "begin_rewriting", "end_rewriting")
)

_SCHEMA: Final = (
    "CREATE TABLE engram.fleet_format (version integer NOT NULL)",
    """CREATE TABLE engram.fleet (
         workspace text PRIMARY KEY REFERENCES engram.workspace (name),
         role name NOT NULL UNIQUE,
         host text,
         folder text,
         every_s integer NOT NULL CHECK (every_s > 0),
         due_at timestamptz NOT NULL DEFAULT now(),
         worker text,
         fence bigint NOT NULL DEFAULT 0,
         begun_at timestamptz,
         lease_until timestamptz,
         last_tick_at timestamptz,
         last_status text,
         last_said text NOT NULL DEFAULT '',
         last_took_s double precision,
         failures integer NOT NULL DEFAULT 0,
         to_host text,
         to_folder text,
         added_at timestamptz NOT NULL DEFAULT now()
       )""",
    "CREATE INDEX fleet_due ON engram.fleet (due_at)",
    """CREATE TABLE engram.fleet_file (
         workspace text NOT NULL REFERENCES engram.fleet (workspace),
         path text NOT NULL,
         content bytea NOT NULL,
         PRIMARY KEY (workspace, path)
       )""",
    """CREATE FUNCTION engram.own_workspace(asker name) RETURNS text
       LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
       AS $$ SELECT workspace FROM engram.fleet WHERE role = asker $$""",
    """CREATE FUNCTION engram.asker() RETURNS name LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
         SELECT CASE current_setting('role') WHEN 'none' THEN session_user ELSE current_setting('role')::name END
       $$""",
    """CREATE FUNCTION engram.holds(number bigint) RETURNS boolean
       LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
       AS $$ SELECT true FROM engram.fleet WHERE role = engram.asker() AND fence = number FOR SHARE $$""",
    """CREATE FUNCTION engram.begin_rewriting() RETURNS void
       LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
       DECLARE asker name := engram.asker(); own text := engram.own_workspace(asker);
       BEGIN
         EXECUTE format('CREATE TABLE engram.%I (LIKE engram.record INCLUDING ALL)', 'fresh_' || own);
         EXECUTE format('GRANT SELECT, INSERT ON engram.%I TO %I', 'fresh_' || own, asker);
       END $$""",
    """CREATE FUNCTION engram.end_rewriting(takes_place boolean) RETURNS void
       LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
       DECLARE asker name := engram.asker(); own text := engram.own_workspace(asker);
       BEGIN
         IF NOT takes_place THEN
           EXECUTE format('DROP TABLE engram.%I', 'fresh_' || own);
           RETURN;
         END IF;
         EXECUTE format('REVOKE ALL ON engram.%I FROM %I', 'fresh_' || own, asker);
         EXECUTE format('DROP TABLE engram.%I', 'record_' || own);
         EXECUTE format('ALTER TABLE engram.%I RENAME TO %I', 'fresh_' || own, 'record_' || own);
         EXECUTE format('ALTER TABLE engram.record ATTACH PARTITION engram.%I FOR VALUES IN (%L)',
                        'record_' || own, own);
         UPDATE engram.workspace SET generation = generation + 1 WHERE name = own;
       END $$""",
    f"REVOKE ALL ON FUNCTION {_FUNCTIONS} FROM PUBLIC",
    "ALTER TABLE engram.record ENABLE ROW LEVEL SECURITY",
    "ALTER TABLE engram.workspace ENABLE ROW LEVEL SECURITY",
    "ALTER TABLE engram.fleet ENABLE ROW LEVEL SECURITY",
    "ALTER TABLE engram.fleet_file ENABLE ROW LEVEL SECURITY",
    "CREATE POLICY own ON engram.record USING (workspace = (SELECT engram.own_workspace(current_user)))",
    "CREATE POLICY own ON engram.workspace USING (name = (SELECT engram.own_workspace(current_user)))",
    "CREATE POLICY own ON engram.fleet USING (workspace = (SELECT engram.own_workspace(current_user)))",
    "INSERT INTO engram.fleet_format VALUES (1)",
)
_RIGHTS: Final = (
    "GRANT USAGE ON SCHEMA engram TO {}",
    "GRANT SELECT ON engram.format TO {}",
    "GRANT SELECT, UPDATE (is_open) ON engram.workspace TO {}",
    "GRANT SELECT, INSERT ON engram.record TO {}",
    "GRANT SELECT (workspace, role) ON engram.fleet TO {}",
    f"GRANT EXECUTE ON FUNCTION {_FUNCTIONS} TO {{}}",
)  # of all roles together, so that no list of rights grows with the workspaces


def has_fleet(connection: "Connection[tuple[Any, ...]]") -> bool:
    """Tell whether the database has the tables of a fleet; raise NewerFormatError for those of a newer Engram."""
    row = connection.execute("SELECT to_regclass('engram.fleet_format')").fetchone()
    if row is None or row[0] is None:
        return False
    found = connection.execute("SELECT version FROM engram.fleet_format").fetchone()
    version = int(found[0]) if found else 0
    if version > FORMAT:
        raise NewerFormatError(f"the fleet's tables were made by a newer Engram: they have format {version}")
    return True


def make_fleet(connection: "Connection[tuple[Any, ...]]") -> None:
    """Make the tables, the policies and the role of all members, unless they are there."""
    make_tables(connection)
    if has_fleet(connection):
        return
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (_LOCK,))
        if has_fleet(connection):
            return
        for statement in _SCHEMA:
            connection.execute(statement)
        members = _members(connection)
        _make_role(connection, members, "NOLOGIN")
        for right in _RIGHTS:
            connection.execute(sql.SQL(right).format(sql.Identifier(members)))


def make_member(connection: "Connection[tuple[Any, ...]]", workspace: str) -> str:
    """Make a workspace's partition and its role, within a transaction, unless they are there; return the role."""
    make_partition(connection, workspace)
    role = f"engram_{workspace}_{_mark(connection)}"
    _make_role(connection, role, "LOGIN")
    connection.execute(sql.SQL("GRANT {} TO {}").format(*map(sql.Identifier, (_members(connection), role))))
    connection.execute(sql.SQL("GRANT {} TO CURRENT_USER").format(sql.Identifier(role)))
    return role


def take_on_role(connection: "Connection[tuple[Any, ...]]", workspace: str) -> bool:
    """Act as the workspace's own role from here on, where the fleet has one for it; return whether it has."""
    row = connection.execute("SELECT to_regclass('engram.fleet')").fetchone()
    if row is None or row[0] is None:
        return False
    found = connection.execute("SELECT role, role = current_user FROM engram.fleet WHERE workspace = %s", (workspace,))
    known = found.fetchone()
    if known is None:
        return False
    role, is_taken = known
    if not is_taken:
        connection.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(role)))
    return True


def _make_role(connection: "Connection[tuple[Any, ...]]", role: str, login: str) -> None:
    if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (role,)).fetchone() is None:
        connection.execute(sql.SQL("CREATE ROLE {} " + login).format(sql.Identifier(role)))


def _members(connection: "Connection[tuple[Any, ...]]") -> str:
    return f"engram_members_{_mark(connection)}"


def _mark(connection: "Connection[tuple[Any, ...]]") -> str:
    """Return what tells the roles of this database from those of others: roles are the whole server's."""
    row = connection.execute("SELECT current_database()").fetchone()
    return hashlib.sha256(str(row and row[0]).encode()).hexdigest()[:8]
