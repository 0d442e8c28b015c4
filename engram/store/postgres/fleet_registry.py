"""The register of a fleet in PostgreSQL: which workspaces there are, when each is due, and who holds it.

Invariant: at most one lease of a workspace runs at a time, and each has a greater number than the one before. A worker
takes a row that nobody else is taking (`SKIP LOCKED`), so workers never wait for each other.
"""

import contextlib
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import TYPE_CHECKING
from typing import Any
from typing import Final

import psycopg
from psycopg import sql

from engram.errors import JournalAwayError
from engram.errors import LeaseLostError
from engram.errors import NotFoundError
from engram.errors import RefusedError
from engram.errors import StoreBusyError
from engram.model.fleet import Lease
from engram.model.fleet import Member
from engram.store.postgres.fleet_tables import has_fleet
from engram.store.postgres.fleet_tables import make_fleet
from engram.store.postgres.fleet_tables import make_member
from engram.store.postgres.server import connect
from engram.store.postgres.server import is_lost
from engram.store.postgres.server import translated

if TYPE_CHECKING:
    from psycopg import Connection

_HINT: Final = "see that it runs, and that --url or ENGRAM_FLEET_URL names it"
_LONGEST_BACK_OFF: Final = 8  # intervals that a workspace waits at most after failures
_LAST_WORDS: Final = 500  # characters that are kept of what a failed tick said
_SHOWN: Final = sql.SQL("""
  workspace, role, host, folder, every_s,
  CASE WHEN to_host IS NOT NULL THEN 'moving' WHEN lease_until > now() THEN 'running'
       WHEN due_at <= now() THEN 'due' ELSE 'waiting' END,
  due_at,
  greatest(0, extract(epoch FROM CASE WHEN lease_until > now() THEN begun_at ELSE now() END - due_at))::float8,
  worker, fence, lease_until, last_tick_at, last_status, last_took_s, failures, to_host, to_folder""")
_POSITION: Final = "SELECT position FROM engram.record WHERE workspace = %s ORDER BY position DESC LIMIT 1"
_LISTED: Final = sql.SQL("SELECT {} FROM engram.fleet AS fleet ORDER BY workspace").format(_SHOWN)
_ONE: Final = sql.SQL("SELECT {} FROM engram.fleet AS fleet WHERE workspace = %s").format(_SHOWN)
_TAKE: Final = sql.SQL("""
  UPDATE engram.fleet AS fleet
  SET worker = %(worker)s, fence = fence + 1, begun_at = now(),
      lease_until = now() + %(lease_s)s * interval '1 second', host = coalesce(host, %(host)s)
  WHERE workspace = (
    SELECT workspace FROM engram.fleet
    WHERE due_at <= now() AND (host IS NULL OR host = %(host)s) AND (lease_until IS NULL OR lease_until < now())
      AND (%(name)s::text IS NULL OR workspace = %(name)s)
    ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
  ) RETURNING {}""").format(_SHOWN)
_FINISH: Final = """
  UPDATE engram.fleet
  SET lease_until = NULL, last_tick_at = now(), last_status = %(status)s, last_took_s = %(took_s)s,
      last_said = %(said)s,
      failures = CASE WHEN %(is_failure)s THEN failures + 1 ELSE 0 END,
      due_at = CASE WHEN %(is_failure)s
        THEN now() + least(power(2, least(failures, 10)), %(most)s) * every_s * interval '1 second'
        ELSE greatest(now(), begun_at + coalesce(%(again_s)s::float8, every_s) * interval '1 second') END
  WHERE workspace = %(workspace)s AND fence = %(fence)s AND worker = %(worker)s"""
_RENEW: Final = """
  UPDATE engram.fleet SET lease_until = now() + %(lease_s)s * interval '1 second'
  WHERE workspace = %(workspace)s AND fence = %(fence)s AND worker = %(worker)s"""
_KEEP_PLACE: Final = """
  UPDATE engram.fleet SET folder = %(folder)s
  WHERE workspace = %(workspace)s AND fence = %(fence)s AND worker = %(worker)s"""
_END_MOVE: Final = """
  UPDATE engram.fleet
  SET host = to_host, folder = to_folder, to_host = NULL, to_folder = NULL, lease_until = NULL, due_at = now()
  WHERE workspace = %(workspace)s AND fence = %(fence)s AND worker = %(worker)s"""


class FleetRegistry:
    """The fleet of one database, over one connection that is made anew when it breaks."""

    def __init__(self, url: str, wait_s: float) -> None:
        """Take the address, as somebody who owns the tables, and the seconds to wait for a connection, or for a row.

        A workspace's role may hold its own row for as long as it likes (`holds`), so whatever needs it can raise
        StoreBusyError.
        """
        self._url = url
        self._wait_s = wait_s
        self._connection: Connection[tuple[Any, ...]] | None = None

    def add(self, workspace: str, *, host: str | None, folder: str | None, every_s: int) -> bool:
        """Make a workspace a member, with its partition, its role and its rights; return whether it was none before.

        A member that is added again gets another interval, and a place if it had none. Raises RefusedError when it has
        another place.
        """
        with self._using() as connection:
            make_fleet(connection)
            with connection.transaction():
                role = make_member(connection, workspace)
                made = connection.execute(
                    "INSERT INTO engram.fleet (workspace, role, host, folder, every_s) VALUES (%s, %s, %s, %s, %s)"
                    " ON CONFLICT (workspace) DO NOTHING",
                    (workspace, role, host, folder, every_s),
                )
                if made.rowcount:
                    return True
                known = connection.execute(
                    "UPDATE engram.fleet SET every_s = %(every_s)s, host = coalesce(host, %(host)s),"
                    " folder = coalesce(folder, %(folder)s) WHERE workspace = %(workspace)s"
                    " AND (%(folder)s::text IS NULL OR folder IS NULL OR (host, folder) = (%(host)s, %(folder)s))",
                    {"workspace": workspace, "host": host, "folder": folder, "every_s": every_s},
                )
                if not known.rowcount:
                    raise RefusedError(
                        f"{workspace} is a member already, with another folder",
                        hint=f"engram fleet list shows it; engram fleet move {workspace} FOLDER moves it",
                    )
                return False

    def list_members(self) -> list[Member]:
        """Return all members, by name; none where there is no fleet."""
        with self._using() as connection:
            if not has_fleet(connection):
                return []
            rows = connection.execute(_LISTED).fetchall()
        return [Member(*row) for row in rows]

    def get(self, workspace: str) -> Member:
        """Return one member; raise NotFoundError for a name that is none."""
        with self._using() as connection:
            row = connection.execute(_ONE, (workspace,)).fetchone() if has_fleet(connection) else None
        if row is None:
            raise NotFoundError(f"the fleet has no workspace {workspace!r}", hint="engram fleet list; fleet add NAME")
        return Member(*row)

    def take(self, worker: str, host: str, lease_s: float, *, name: str | None = None) -> Lease | None:
        """Take the lease of the workspace of this host that has been due for longest; None when none is due.

        One whose host is not known becomes this host's. With a name, that workspace or none.
        """
        with self._using() as connection:
            if not has_fleet(connection):
                return None
            asked = {"worker": worker, "host": host, "lease_s": lease_s, "name": name}
            row = connection.execute(_TAKE, asked).fetchone()
            if row is None:
                return None
            member = Member(*row)
            # asked by itself: with the name as a value the server looks at one partition, else at all of them
            last = connection.execute(_POSITION, (member.workspace,)).fetchone()
        return Lease(member, member.fence, worker, int(last[0]) if last else 0)

    def renew(self, lease: Lease, lease_s: float) -> None:
        """Make a lease last for that many seconds from now; raise LeaseLostError when it is another's."""
        self._change_own(_RENEW, lease, {"lease_s": lease_s})

    def finish(self, lease: Lease, status: str, took_s: float, *, said: str = "", again_s: float | None = None) -> None:
        """Let go of a lease and say when the workspace is due again; raise LeaseLostError when it is another's.

        `said` are the words of a failure; after one, each wait is twice the one before. `again_s`: sooner than usual.
        """
        values = {**_names(lease), "status": status, "took_s": took_s, "said": said[-_LAST_WORDS:], "again_s": again_s}
        values |= {"is_failure": bool(said), "most": _LONGEST_BACK_OFF}
        with self._using() as connection:
            done = connection.execute(_FINISH, values)
        _require(done.rowcount, lease)

    # -- moving

    def begin_move(self, workspace: str, host: str, folder: str | None) -> None:
        """Note where a workspace goes, and make it due, so that a worker of its host hands it over."""
        with self._using() as connection:
            connection.execute(
                "UPDATE engram.fleet SET to_host = %s, to_folder = %s, due_at = now() WHERE workspace = %s",
                (host, folder, workspace),
            )

    def keep_place(self, lease: Lease, folder: str) -> None:
        """Note the folder in which a workspace lies on its host; raise LeaseLostError when the lease is another's."""
        self._change_own(_KEEP_PLACE, lease, {"folder": folder})

    def end_move(self, lease: Lease, files: Mapping[str, bytes]) -> None:
        """Let the workspace be where it goes, with the files that its new host fetches; lets go of the lease."""
        with self._using() as connection, connection.transaction():
            name = lease.member.workspace
            for path, content in files.items():
                connection.execute(
                    "INSERT INTO engram.fleet_file (workspace, path, content) VALUES (%s, %s, %s)"
                    " ON CONFLICT (workspace, path) DO UPDATE SET content = excluded.content",
                    (name, path, content),
                )
            done = connection.execute(_END_MOVE, _names(lease))
            _require(done.rowcount, lease)

    def abandon(self, workspace: str, host: str, folder: str | None) -> None:
        """Give a workspace whose host is gone another one; whoever held it writes nothing any more."""
        with self._using() as connection:
            connection.execute(
                "UPDATE engram.fleet SET host = %s, folder = %s, to_host = NULL, to_folder = NULL, fence = fence + 1,"
                " lease_until = NULL, worker = NULL, due_at = now() WHERE workspace = %s",
                (host, folder, workspace),
            )

    def files_of(self, workspace: str) -> dict[str, bytes]:
        """Return the files that a workspace brought along to a new host, by path."""
        with self._using() as connection:
            rows: Sequence[tuple[Any, ...]] = connection.execute(
                "SELECT path, content FROM engram.fleet_file WHERE workspace = %s", (workspace,)
            ).fetchall()
        return {str(path): bytes(content) for path, content in rows}

    def drop_files(self, workspace: str) -> None:
        """Forget the files that a workspace brought along: they lie in its folder now."""
        with self._using() as connection:
            connection.execute("DELETE FROM engram.fleet_file WHERE workspace = %s", (workspace,))

    def close(self) -> None:
        """Let go of the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    # -- inside

    def _change_own(self, statement: str, lease: Lease, values: Mapping[str, Any]) -> None:
        with self._using() as connection:
            done = connection.execute(statement.encode(), {**_names(lease), **values})
        _require(done.rowcount, lease)

    @contextlib.contextmanager
    def _using(self) -> Iterator["Connection[tuple[Any, ...]]"]:
        with translated():
            if self._connection is None or self._connection.closed:
                self._connection = self._connected()
            try:
                yield self._connection
            except psycopg.errors.LockNotAvailable as problem:
                raise StoreBusyError("somebody holds the register of the fleet", hint="try again") from problem
            except psycopg.Error as problem:
                if is_lost(problem):
                    self.close()
                raise

    def _connected(self) -> "Connection[tuple[Any, ...]]":
        try:
            connection = connect(self._url, self._wait_s)
        except JournalAwayError as away:
            said = away.message.replace("of the shared journal", "of the fleet")
            hint = _HINT if away.hint == JournalAwayError.default_hint else away.hint
            raise JournalAwayError(said, hint=hint) from away
        connection.execute("SELECT set_config('lock_timeout', %s, false)", (f"{int(self._wait_s * 1000)}ms",))
        return connection


def _names(lease: Lease) -> dict[str, Any]:
    return {"workspace": lease.member.workspace, "fence": lease.fence, "worker": lease.worker}


def _require(changed: int, lease: Lease) -> None:
    if not changed:
        raise LeaseLostError(
            f"another worker has taken {lease.member.workspace} over since {lease.worker} took it", fence=lease.fence
        )
