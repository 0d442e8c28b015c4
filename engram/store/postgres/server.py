"""Connections to the server, and its errors in words that a person can act on.

No address with a password gets here: the settings refuse one, and the driver finds it in PGPASSWORD or ~/.pgpass.
"""

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING
from typing import Any
from typing import Final

import psycopg

from engram.errors import DamagedJournalError
from engram.errors import EngramError
from engram.errors import JournalAwayError
from engram.errors import JournalClosedError
from engram.errors import StoreBusyError

if TYPE_CHECKING:
    from psycopg import Connection

_SILENCE_S: Final = 15  # after which a peer that acknowledges nothing is taken for gone
_SILENCE_MS: Final = _SILENCE_S * 1000
# Names are those of PostgreSQL alone: in the schema `public` a workspace's role may have left a function that fits
# better (up to PostgreSQL 14 everybody may), and it would run as whoever connects. The server, too, must notice a
# client that is gone: it holds a lock for it. And what is acknowledged must outlive the server; where its settings are
# stricter, they stay.
_SESSION: Final = f"""
  SET search_path = pg_catalog, pg_temp;
  SELECT set_config('tcp_keepalives_idle', '{_SILENCE_S}', false),
    set_config('tcp_user_timeout', '{_SILENCE_MS}', false),
    CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', false) END"""
_DAMAGED: Final = {"XX001", "XX002"}  # data_corrupted, index_corrupted
_LOCKED: Final = {"55P03", "57014"}  # lock_not_available, query_canceled
_ADVICE: Final = " Is the server running on that host and accepting TCP/IP connections?"  # the hint says it
_HINTS: Final = (
    (("password", "authentication", "pg_hba"), "put the password into ~/.pgpass or PGPASSWORD; see docs/POSTGRES.md"),
    (("permission denied", "must be owner"), "grant the role what docs/POSTGRES.md lists"),
    (("read-only",), "name the primary server in journal.url, not a standby"),
    (("does not exist",), "createdb NAME makes the database; docs/POSTGRES.md says the rest"),
)


def connect(url: str, wait_s: float) -> "Connection[tuple[Any, ...]]":
    """Open a connection on which each statement stands for itself; raise JournalAwayError when none can be had."""
    with translated():
        connection = psycopg.connect(
            url,
            autocommit=True,
            application_name="engram",
            connect_timeout=max(2, round(wait_s)),  # the driver takes 1 for 2
            tcp_user_timeout=_SILENCE_MS,
            keepalives_idle=_SILENCE_S,
            prepare_threshold=None,  # so that a pooler may stand between
        )
        connection.execute(_SESSION.encode())
        return connection


def is_lost(problem: BaseException) -> bool:
    """Tell whether an error says that the server, or the way to it, is gone: nobody knows what became of the last word.

    An error that the server itself reports about a statement is none.
    """
    if isinstance(problem, JournalAwayError):
        return not isinstance(problem, JournalClosedError)
    if isinstance(problem, psycopg.InterfaceError):
        return True
    state = problem.sqlstate if isinstance(problem, psycopg.OperationalError) else "-"
    return state is None or state.startswith(("08", "57P"))


@contextlib.contextmanager
def translated() -> Iterator[None]:
    """Raise what the driver raises as an error of Engram."""
    try:
        yield
    except psycopg.Error as problem:
        raise _as_own(problem) from problem


def _as_own(problem: "psycopg.Error") -> EngramError:
    said = " ".join(str(problem).split()) or type(problem).__name__
    if problem.sqlstate in _LOCKED:
        return StoreBusyError("another machine is deciding what goes into the shared journal")
    if problem.sqlstate in _DAMAGED:
        return DamagedJournalError(f"the server reports damage: {said}", hint="restore the server's own backup")
    hint = next((hint for words, hint in _HINTS if any(word in said for word in words)), "")
    plain = said.removeprefix("connection failed: ").replace(_ADVICE, "")
    return JournalAwayError(f"the server of the shared journal cannot be used: {plain}", hint=hint)
