"""Backups of a workspace: made while others write, and proved by laying each out and building its database anew."""

import contextlib
import datetime as dt
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from typing import NamedTuple

from engram import __version__
from engram.base.disk.home import at_home
from engram.errors import DamagedBackupError
from engram.errors import DamagedDatabaseError
from engram.errors import RefusedError
from engram.errors import StoreBusyError
from engram.model.backup import BackedUpFile
from engram.model.backup import BackupManifest
from engram.operations.backups.backup_layout import laid_out
from engram.operations.backups.backup_layout import require_as_backed_up
from engram.services.backup.contents import is_waiting_command
from engram.services.backup.contents import list_contents
from engram.services.backup.history import find_hash
from engram.services.backup.history import head_text
from engram.services.backup.snapshot import Copied
from engram.services.backup.snapshot import Snapshot
from engram.services.backup.snapshot import by_path
from engram.services.backup.state import BackupMark
from engram.services.backup.state import load_backup_state
from engram.services.backup.state import note_backup
from engram.store.backup_folder import BackupFolder
from engram.store.database.tables.table_format import digest_format
from engram.store.signature.key import ensure_key
from engram.workspace import Workspace
from engram.workspace.signed_history import require_history
from engram.workspace.signed_history import sign_history

_LEAST_WAIT_S = 30.0  # for the store: a backup is worth waiting for longer than a command
_LONGEST_NAME = 12  # digits of a position in the name of a backup, as in those of segments


class BackupReport(NamedTuple):
    """A backup that was made, or that was found to be there already."""

    folder: Path
    manifest: BackupManifest
    copied: Copied
    is_new: bool  # False: the newest backup holds just this already
    warnings: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the JSON shape of the command line."""
        made = self.manifest
        return {
            "backup": made.id,
            "folder": str(self.folder),
            "at": made.model_dump(mode="json")["at"],
            "position": made.position,
            "head": head_text(made.position, made.head),
            "new": self.is_new,
            "files": len(made.files),
            "bytes": sum(file.size for file in made.files),
            "pieces_copied": self.copied.pieces,
            "bytes_copied": self.copied.size,
            "waiting": made.waiting,
            "left_out": list(made.left_out),
            "warnings": list(self.warnings),
        }


def back_up(workspace: Workspace, folder: Path) -> BackupReport:
    """Back the workspace up into a folder, and prove the backup by restoring it beside.

    Raises RefusedError for a folder within the workspace or with backups of another history, StoreBusyError when the
    store or the folder is not free in time, DamagedBackupError or DamagedJournalError when what was copied does not
    give the memory again; then there is no new backup.
    """
    place = BackupFolder(_outside(workspace, folder))
    if workspace.paths.forgetting.exists():
        raise RefusedError("something is not wholly forgotten yet", hint="engram forget --resume")
    with place.hold():
        report = _back_up_held(workspace, place)
        place.sweep()
    mark = BackupMark(id=report.manifest.id, at=workspace.now(), position=report.manifest.position)
    note_backup(workspace.paths.backup_state, place.folder, mark)
    sign_history(workspace.paths, workspace.journal, workspace.now())
    return report


def plan_backup(workspace: Workspace, folder: Path) -> dict[str, Any]:
    """Return what `back_up` would copy at most; reads no file and writes nothing."""
    place = BackupFolder(_outside(workspace, folder))
    before = place.latest()
    listed = list_contents(workspace.paths)
    return {
        "dry_run": True,
        "folder": str(place.folder),
        "since": before.id if before else None,
        "files": len(listed.paths),
        "left_out": listed.left_out,
    }


def backups_made(workspace: Workspace) -> list[str]:
    """Return the backups that are known to hold what the workspace has held up to now, by their manifests.

    Of a folder that is not there at the moment, such as a disk that is not plugged in, the folder itself is named.
    """
    found = []
    for folder in sorted(load_backup_state(workspace.paths.backup_state).folders):
        place = BackupFolder(Path(folder))
        found += [str(place.manifest_path(one)) for one in place.backups().whole] if place.is_there() else [folder]
    return found


def _outside(workspace: Workspace, folder: Path) -> Path:
    folder = at_home(folder).resolve()
    if folder.is_relative_to(workspace.paths.root.resolve()):
        raise RefusedError(
            f"{folder} lies within the workspace, and would be lost with it", hint="name a folder on another disk"
        )
    there = next(one for one in (folder, *folder.parents) if one.exists())
    if not there.is_dir():
        raise RefusedError(f"{there} is no folder", hint="name a folder; it is made when it is not there")
    return folder


def _back_up_held(workspace: Workspace, place: BackupFolder) -> BackupReport:
    """Make a backup; a piece that has rotted in the folder since an earlier one is copied once more."""
    while True:
        before = place.latest()
        require_history(workspace.paths, workspace.journal)
        if before is not None:
            _require_same_history(workspace, before, place.folder)
        manifest, copied = _copy(workspace, place, before)
        if before is not None and _holds_the_same(before, manifest):
            return BackupReport(place.folder, before, copied, is_new=False)
        try:
            digests, warnings = _prove(workspace, place, manifest)
        except DamagedBackupError as damage:
            piece = damage.details.get("piece", "")
            if not piece or not place.has(piece, -1):
                raise
            place.set_aside(piece)
            continue
        manifest = manifest.model_copy(update={"digests": digests})
        place.save(manifest, ensure_key())
        return BackupReport(place.folder, manifest, copied, is_new=True, warnings=warnings)


def _copy(workspace: Workspace, place: BackupFolder, before: BackupManifest | None) -> tuple[BackupManifest, Copied]:
    """Copy what is not there yet, and return the manifest of all, not proved yet."""
    snapshot = Snapshot(workspace.paths, place, by_path(before.files if before else ()))
    workspace.progress("copying")
    snapshot.read(is_last=False)
    wait_s = max(workspace.settings.store.wait_s, _LEAST_WAIT_S)
    with workspace.locks.named("store", "backup").hold(wait_s=wait_s, shared=True):
        position, head = workspace.journal.head()
        snapshot.read(is_last=True)
    at = workspace.now()
    if before is not None:  # names sort by age, whatever a clock says
        at = max(at, before.at + dt.timedelta(microseconds=1))
    files = tuple(snapshot.files[path] for path in sorted(snapshot.files))
    manifest = BackupManifest(
        id=f"{at:%Y%m%dT%H%M%S%fZ}-{position:0{_LONGEST_NAME}d}",
        at=at,
        engram=__version__,
        workspace=str(workspace.paths.root),
        position=position,
        head=head,
        digests={},
        database_format=digest_format(),
        waiting=sum(is_waiting_command(file.path) for file in files),
        left_out=tuple(snapshot.left_out),
        files=files,
    )
    return manifest, snapshot.copied


def _require_same_history(workspace: Workspace, before: BackupManifest, folder: Path) -> None:
    """Raise RefusedError when the newest backup of a folder is not of this workspace's past.

    What `forget` has written anew has other hashes; so the folder's last backup may also be known as our own.
    """
    own = load_backup_state(workspace.paths.backup_state).folders.get(str(folder))
    if own is not None and own.id == before.id and before.position <= workspace.journal.head()[0]:
        return
    if find_hash(workspace.journal, before.position) != before.head:
        raise RefusedError(
            f"{folder} holds backups of another history: its newest, {before.id}, ends in a record that is not in this "
            "journal",
            hint="name another folder; after a restore to an earlier time that is so, too",
        )


def _holds_the_same(before: BackupManifest, now: BackupManifest) -> bool:
    """Tell whether a backup holds the bytes that a new one would."""
    return _bytes_of(before.files) == _bytes_of(now.files)


def _bytes_of(files: Sequence[BackedUpFile]) -> list[tuple[str, str]]:
    return [(file.path, file.sha256) for file in files]


def _prove(
    workspace: Workspace, place: BackupFolder, manifest: BackupManifest
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Restore a backup into a scratch folder; return the digests of its database, and what is odd about the origin.

    Raises DamagedBackupError or DamagedJournalError when it does not give the memory again.
    """
    workspace.progress("restoring into a scratch folder")
    with (
        place.scratch() as folder,
        laid_out(place, manifest, folder) as scratch,
        scratch.store.projection.folded() as rebuilt,
    ):
        require_as_backed_up(rebuilt, manifest)
        digests = rebuilt.digests()
        warnings = []
        # Whoever wrote meanwhile has brought the database further than the backup: the scratch one follows it.
        with contextlib.suppress(StoreBusyError, DamagedDatabaseError), workspace.reading(applies=False) as database:
            ahead = list(workspace.journal.read(after=manifest.position))
            if database.position() >= manifest.position:
                rebuilt.apply([one for one in ahead if one[0].position <= database.position()])
                if database.digests() != rebuilt.digests():
                    warnings.append("the database is not what the journal says (engram rebuild database)")
    return digests, tuple(warnings)
