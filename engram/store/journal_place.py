"""Where a workspace's journal lies: in its folder alone, or there as a copy of the one on a server."""

from typing import TYPE_CHECKING
from typing import Final

from engram.base.machine.install_hints import install_command
from engram.config.paths import Paths
from engram.config.sections.journal import JournalSettings
from engram.errors import SettingsError
from engram.store.journal.file_journal import FileJournal
from engram.store.journal.replica_journal import ReplicaJournal
from engram.store.postgres.journal_server import Server
from engram.store.signature.key import ensure_key
from engram.store.signature.key import find_key
from engram.store.signature.line_signature import LineSigner
from engram.store.store_format import prepare_to_write

if TYPE_CHECKING:
    from engram.ports.journal import SharedJournal

_CONNECT_S: Final = 5.0  # that a command waits for the server before it keeps what it has on this machine


def open_journal(paths: Paths, settings: JournalSettings, segment_bytes: int) -> FileJournal:
    """Return the journal; nothing is read and nobody connects before it is used."""
    if not settings.url:
        return FileJournal(paths.journal, segment_bytes=segment_bytes, prepare=lambda: prepare_to_write(paths.format))
    return ReplicaJournal(
        paths.journal,
        lambda: _open_for(paths, settings),
        paths.replica,
        settings.workspace,
        segment_bytes=segment_bytes,
        prepare=lambda: prepare_to_write(paths.format),
    )


def open_shared_journal(settings: JournalSettings) -> "SharedJournal":
    """Return the journal on the server; raise SettingsError where its driver is not installed."""
    try:
        from engram.store.postgres import postgres_journal  # noqa: PLC0415 - an extra, and 0.1 s
    except ImportError as problem:
        raise SettingsError(
            "journal.url needs the package psycopg",
            hint=f"{install_command('postgres')}, or engram config journal.url ''",
        ) from problem
    key = find_key() if settings.require_signature else ensure_key()
    if key is None and settings.require_signature:
        raise SettingsError(
            "journal.require_signature needs the key of this person, and there is none on this machine",
            hint="copy ~/.config/engram/signing.key of another machine here (mode 0600)",
        )
    server = Server(settings.url, settings.workspace, _CONNECT_S)
    return postgres_journal.PostgresJournal(server, LineSigner(key), requires_signature=settings.require_signature)


def require_shareable(paths: Paths) -> None:
    """Raise SettingsError for an encrypted store: on the server its lines would lie in plain text."""
    if paths.is_encrypted:
        raise SettingsError(
            "the store is encrypted, and on the server its journal would lie in plain text: it cannot be shared",
            hint="engram migrate-store --to files --server-is-gone, or take the encryption off",
        )


def _open_for(paths: Paths, settings: JournalSettings) -> "SharedJournal":
    require_shareable(paths)
    return open_shared_journal(settings)
