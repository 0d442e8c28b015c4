"""A workspace made again of a backup, as it was then or as it was at an earlier point; never over another one."""

import contextlib
import datetime as dt
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from typing import NamedTuple

from engram.base.disk.faults import fault_point
from engram.base.disk.files import TEMPORARY
from engram.base.disk.files import fsync_folder
from engram.base.disk.files import make_folder
from engram.base.disk.files import write_durably
from engram.base.disk.home import at_home
from engram.base.disk.own_files import read_own
from engram.base.ids import new_id
from engram.base.text import sha256_hex
from engram.config.encryption_state import read_encryption
from engram.config.encryption_state import write_encryption
from engram.config.paths import SETTINGS_FILE
from engram.config.paths import Paths
from engram.config.settings import load_settings
from engram.errors import DamagedBackupError
from engram.errors import MalformedInputError
from engram.errors import NotFoundError
from engram.errors import RefusedError
from engram.model.backup import BackupManifest
from engram.model.commands.command import Envelope
from engram.operations.backups.backup_layout import laid_out
from engram.operations.backups.backup_layout import require_as_backed_up
from engram.operations.upkeep import Upkeep
from engram.ports.journal import Journal
from engram.services.backup.history import head_text
from engram.services.backup.history import position_at
from engram.store.backup_folder import BackupFolder
from engram.store.backup_folder import bears_signature
from engram.store.signature.head_register import register_head
from engram.store.signature.key import find_key_of
from engram.store.spool import Spool
from engram.workspace import Workspace
from engram.workspace.signed_history import sign_history

_SEGMENT = re.compile(r"(\d{12})\.jsonl(\.gz)?")


class Point(NamedTuple):
    """Up to where to restore: all of the newest backup unless one of the two is given."""

    position: int | None = None
    at: dt.datetime | None = None

    @property
    def is_given(self) -> bool:
        """Whether there is a point at all."""
        return self.position is not None or self.at is not None


class RestoreReport(NamedTuple):
    """What was restored, or would be."""

    root: Path
    manifest: BackupManifest
    position: int  # last record of the restored journal
    head: str
    records_left_out: int  # that the backup holds, and that came after the point
    commands_left_out: int  # that waited, likewise
    edits_kept: tuple[str, ...]  # copies of files of life/ that somebody had edited, where they stand now
    facts: int
    is_signed: bool = False  # the backup bears a signature of this person's key

    @property
    def is_cut(self) -> bool:
        """Whether something of the backup came after the point."""
        return bool(self.records_left_out or self.commands_left_out)

    def as_json(self) -> dict[str, Any]:
        """Return the JSON shape of the command line."""
        return {
            "workspace": str(self.root),
            "backup": self.manifest.id,
            "at": self.manifest.model_dump(mode="json")["at"],
            "position": self.position,
            "head": head_text(self.position, self.head),
            "files": len(self.manifest.files),
            "facts": self.facts,
            "signed": self.is_signed,
            "records_left_out": self.records_left_out,
            "commands_left_out": self.commands_left_out,
            "edits_kept": list(self.edits_kept),
        }


def choose_backup(folder: Path, to: Point) -> BackupManifest:
    """Return the first backup that reaches the point, else the newest; NotFoundError when none does or there is none.

    A point in time after the newest backup means the newest: what came after it is in none.
    """
    backups = BackupFolder(folder).require_any()
    if to.position is not None:
        reaching = [one for one in backups if one.position >= to.position]
        if not reaching:
            raise NotFoundError(
                f"no backup reaches position {to.position}; the newest ends at {backups[-1].position}",
                hint="engram restore without --to restores the newest",
            )
        return reaching[0]
    if to.at is not None:
        return next((one for one in backups if one.at >= to.at), backups[-1])
    return backups[-1]


def restore(folder: Path, root: Path | None, to: Point, now: dt.datetime) -> RestoreReport:
    """Make a workspace of a backup in `root`, or where it was backed up; the folder must be empty or not be there.

    It is made beside and put in place by one rename, so a restore that is cut short leaves no half of a workspace.
    Its journal is signed when the backup bears a signature of this person's key. Raises RefusedError for a folder that
    is not empty, DamagedBackupError when the backup does not give what it held or bears a false signature.
    """
    place = BackupFolder(at_home(folder).resolve())
    manifest = choose_backup(place.folder, to)
    root = at_home(root or manifest.workspace).resolve()
    require_empty(root)
    is_signed = bears_signature(manifest, find_key_of(manifest.key))
    if is_signed is False:
        raise DamagedBackupError(f"backup {manifest.id} does not bear the signature of its key")
    with _beside(root) as making:
        with laid_out(place, manifest, making) as workspace:
            report = _complete(workspace, manifest, to)
        os.sync()
        fault_point("before-restore")
        making.replace(root)  # takes the place of an empty folder, and of no other
        fsync_folder(root.parent)
    _vouch_for(Workspace(Paths(root), load_settings(Paths(root).settings), lambda: now), is_signed=bool(is_signed))
    return report._replace(root=root, is_signed=bool(is_signed))


def _vouch_for(workspace: Workspace, *, is_signed: bool) -> None:
    """Sign a journal that comes of a signed backup; of another one nobody has known anything until now."""
    if is_signed:
        sign_history(workspace.paths, workspace.journal, workspace.now(), accepts=True)
    else:
        with contextlib.suppress(OSError):
            register_head(workspace.paths.root, None)


def plan_restore(folder: Path, root: Path | None, to: Point) -> dict[str, Any]:
    """Return what `restore` would make; reads the backup's journal in a scratch folder. Raises what `restore` does."""
    place = BackupFolder(at_home(folder).resolve())
    manifest = choose_backup(place.folder, to)
    root = at_home(root or manifest.workspace).resolve()
    require_empty(root)
    needed = (".engram/journal/", ".engram/encryption.json", SETTINGS_FILE)
    journal = [file for file in manifest.files if file.path.startswith(needed)]
    only_journal = manifest.model_copy(update={"files": tuple(journal)})
    with place.scratch() as scratch, laid_out(place, only_journal, scratch) as workspace:
        position = _position_of(workspace.journal, manifest, to)
    return {
        "dry_run": True,
        "workspace": str(root),
        "backup": manifest.id,
        "at": manifest.model_dump(mode="json")["at"],
        "position": position,
        "files": len(manifest.files),
        "records_left_out": manifest.position - position,
    }


def require_empty(root: Path) -> None:
    """Raise RefusedError for a place that is anything but an empty folder."""
    if not root.exists() and not root.is_symlink():
        there = next(one for one in root.parents if one.exists())
        if not there.is_dir():
            raise RefusedError(f"{there} is no folder", hint="name a folder; it is made when it is not there")
        return
    if not root.is_dir() or any(root.iterdir()):
        raise RefusedError(
            f"{root} is not empty, and restore overwrites nothing",
            hint="engram restore DIR --into NEW makes a workspace of its own",
            path=str(root),
        )


@contextlib.contextmanager
def _beside(root: Path) -> Iterator[Path]:
    """Give a fresh folder beside a place, on the same disk; what is still there afterwards goes."""
    root.parent.mkdir(parents=True, exist_ok=True)
    making = root.with_name(f"{TEMPORARY}{new_id()}")
    making.mkdir(mode=0o700)
    try:
        yield making
    finally:
        shutil.rmtree(making, ignore_errors=True)


def _complete(workspace: Workspace, manifest: BackupManifest, to: Point) -> RestoreReport:
    """Prove what was laid out, cut it at the point, and make what a workspace needs besides."""
    paths = workspace.paths
    if (encryption := read_encryption(paths.encryption)) is not None:  # its folder in memory is no other workspace's
        write_encryption(paths.encryption, encryption._replace(place=secrets.token_hex(8)))
    for folder in paths.folders():
        make_folder(folder, root=paths.root)
    paths.root.chmod(0o700)
    with workspace.store.projection.folded() as rebuilt:
        require_as_backed_up(rebuilt, manifest)
    position = _position_of(workspace.journal, manifest, to)
    commands = _drop_later_commands(workspace.spool, manifest, to)
    edits: tuple[str, ...] = ()
    if position < manifest.position:
        _cut_journal(workspace, position)
        edits = _drop_later_life(workspace)
    Upkeep(workspace).rebuild("database")
    if position < manifest.position:
        workspace.store.refresh_mirror()
    with workspace.reading(applies=False) as database:
        facts = database.counts()["facts"]
    head = workspace.journal.head()
    return RestoreReport(paths.root, manifest, *head, manifest.position - position, commands, edits, facts)


def _position_of(journal: Journal, manifest: BackupManifest, to: Point) -> int:
    if to.position is not None:
        return to.position
    if to.at is not None and to.at < manifest.at:
        return position_at(journal, to.at)
    return manifest.position


def _cut_journal(workspace: Workspace, position: int) -> None:
    """Leave the records up to a position; the segment that holds it is written anew, with the same lines."""
    folder = workspace.paths.journal
    first = {path: int(found[1]) for path in folder.iterdir() if (found := _SEGMENT.fullmatch(path.name))}
    last = max((begin for begin in first.values() if begin <= position), default=0)
    lines = [line for record, line in workspace.journal.read(after=max(last - 1, 0)) if record.position <= position]
    for path in list(folder.iterdir()):  # torn and damaged ends are later, too
        if first.get(path, last) >= last:
            path.unlink()
    if lines:
        write_durably(folder / f"{last:012d}.jsonl", workspace.journal.content_of(lines, last))


def _drop_later_commands(spool: Spool, manifest: BackupManifest, to: Point) -> int:
    """Remove the commands that were asked for after the point, and return how many."""
    if not to.is_given or (to.at is not None and to.at >= manifest.at) or to.position == manifest.position:
        return 0
    later = [path for path in spool.waiting() if _is_later(spool, path, to)]
    for path in later:
        path.unlink()
    return len(later)


def _is_later(spool: Spool, path: Path, to: Point) -> bool:
    try:
        return to.at is None or Envelope.model_validate_json(spool.read(path)).at > to.at
    except (ValueError, MalformedInputError):
        return True


def _drop_later_life(workspace: Workspace) -> tuple[str, ...]:
    """Empty life/, which shows what came later; return the copies of the files that somebody had edited."""
    mirror, paths = workspace.life.mirror, workspace.paths
    written = mirror.load().files
    kept = []
    for path in sorted(path for path in paths.life.rglob("*") if path.is_file()):
        name, content = path.relative_to(paths.life).as_posix(), read_own(path)
        if written.get(name) != sha256_hex(content):
            kept.append(mirror.keep(name, content))
        if name in written:
            path.unlink()
    paths.mirror_state.unlink(missing_ok=True)
    return tuple(kept)
