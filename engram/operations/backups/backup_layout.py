"""A backup laid out as the workspace that it was, and whether it is that."""

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path

from engram.config.paths import Paths
from engram.config.settings import load_settings
from engram.config.settings_file import change_setting
from engram.errors import DamagedBackupError
from engram.model.backup import BackupManifest
from engram.ports.database import FactDatabase
from engram.services.backup.snapshot import lay_out
from engram.store.backup_folder import BackupFolder
from engram.store.database.tables.table_format import digest_format
from engram.workspace import Workspace


def require_as_backed_up(rebuilt: FactDatabase, manifest: BackupManifest) -> None:
    """Raise DamagedBackupError when a database that was built of a backup's journal is not what the backup says."""
    if (rebuilt.position(), rebuilt.head_hash()) != (manifest.position, manifest.head):
        raise DamagedBackupError(
            f"backup {manifest.id} gives a journal that ends at position {rebuilt.position()}, not {manifest.position}"
        )
    is_of_this_version = manifest.database_format == digest_format()  # else another one made the digests
    is_comparable = manifest.digests and is_of_this_version
    if is_comparable and rebuilt.digests() != manifest.digests:
        raise DamagedBackupError(f"backup {manifest.id} gives another database than the one that it was made with")


@contextlib.contextmanager
def laid_out(place: BackupFolder, manifest: BackupManifest, folder: Path) -> Iterator[Workspace]:
    """Lay a backup out in an empty folder and give the workspace that it is.

    One that shared its journal has it in files alone: it is as it was then, and no server changes that.
    """
    for file in manifest.files:
        lay_out(file, folder, place.copy)
    paths = Paths(folder)
    if load_settings(paths.settings).journal.url:
        change_setting(paths, "journal.url", "", dry_run=False)
    try:
        yield Workspace(paths, load_settings(paths.settings), lambda: manifest.at)
    finally:
        if paths.is_encrypted:  # what was made of it in memory; the next command makes that again
            shutil.rmtree(paths.projections, ignore_errors=True)
