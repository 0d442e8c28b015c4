"""A folder of backups: the bytes of files, once each, and one manifest for every backup that is whole.

`pieces/ab/<SHA-256>` holds bytes, named for their digest; `backups/<id>.json` says of which pieces a backup consists.
Invariant: every manifest names only pieces that were flushed to the disk before it. Whatever else lies in `pieces/`
comes from a backup that was cut short, and `.tmp-*` is something half done.
"""

import contextlib
import hashlib
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from collections.abc import Mapping
from pathlib import Path
from typing import IO
from typing import Any
from typing import NamedTuple

from pydantic import ValidationError

from engram.base.disk.faults import fault_point
from engram.base.disk.files import TEMPORARY
from engram.base.disk.files import fsync_folder
from engram.base.disk.files import write_durably
from engram.base.disk.open_flags import CLOEXEC
from engram.base.disk.open_flags import NOFOLLOW
from engram.base.disk.open_flags import NONBLOCK
from engram.base.disk.own_files import read_own
from engram.base.disk.safe_files import StillWrittenError
from engram.base.ids import new_id
from engram.base.json_values import load_json
from engram.base.text import sha256_hex
from engram.errors import DamagedBackupError
from engram.errors import NotFoundError
from engram.model.backup import BackupManifest
from engram.store.locks import FileLock
from engram.store.signature.key import SigningKey

_CHUNK = 1 << 20  # bytes copied at a time
_MANIFEST = ".json"
_SIGNED = "engram backup v1\n"  # before the digest in what is signed
_NOT_SIGNED = frozenset({"key", "signature", "sha256"})


class Listed(NamedTuple):
    """The backups of a folder."""

    whole: list[BackupManifest]  # oldest first
    damaged: list[str]  # names of manifests that do not read, each with the reason


class BackupFolder:
    """One folder of backups. Whoever writes into it holds it."""

    def __init__(self, folder: Path) -> None:
        """Take the folder; it is made when something is kept in it."""
        self.folder = folder
        self._pieces = folder / "pieces"
        self._backups = folder / "backups"

    @contextlib.contextmanager
    def hold(self) -> Iterator[None]:
        """Be the only one that writes here for the length of the block, and clear away what others left half done.

        Raises StoreBusyError with owner, pid and since when another does.
        """
        for folder in (self.folder, self._pieces, self._backups):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with FileLock(self.folder / "backup.lock", "backup").hold(wait_s=0):
            self._clear_half_done()
            yield

    def backups(self) -> Listed:
        """Return what backups there are; a folder that is none has none."""
        whole, damaged = [], []
        for path in sorted(self._backups.glob(f"*{_MANIFEST}")):
            if path.name.startswith("."):
                continue
            try:
                whole.append(_read_manifest(path))
            except DamagedBackupError as damage:
                damaged.append(f"{path.name}: {damage.message}")
        return Listed(whole, damaged)

    def is_there(self) -> bool:
        """Tell whether the folder can be looked into."""
        return self._backups.is_dir()

    def manifest_path(self, manifest: BackupManifest) -> Path:
        """Return the file whose removal drops a backup; the next backup then removes what only that one held."""
        return self._backups / f"{manifest.id}{_MANIFEST}"

    def latest(self) -> BackupManifest | None:
        """Return the newest backup that is whole."""
        return next(reversed(self.backups().whole), None)

    def require_any(self) -> list[BackupManifest]:
        """Return the backups that are whole, oldest first; NotFoundError when there is none."""
        listed = self.backups()
        if not listed.whole:
            why = f"; {listed.damaged[0]}" if listed.damaged else ""
            raise NotFoundError(f"{self.folder} holds no backup{why}", hint="engram backup DIR makes one")
        return listed.whole

    # -- pieces

    def has(self, name: str, size: int) -> bool:
        """Tell whether a piece is there, with that size unless it is -1."""
        try:
            found = self._place(name).stat()
        except FileNotFoundError:
            return False
        return size in {-1, found.st_size}

    def put(self, name: str, source: IO[bytes], size: int) -> None:
        """Keep the next `size` bytes of the source durably; StillWrittenError when they are not those of the name."""
        temporary = self._pieces / f"{TEMPORARY}{new_id()}"
        digest, left = hashlib.sha256(), size
        try:
            with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
                while left and (chunk := source.read(min(_CHUNK, left))):
                    digest.update(chunk)
                    out.write(chunk)
                    left -= len(chunk)
                out.flush()
                os.fsync(out.fileno())
            if digest.hexdigest() != name:
                raise StillWrittenError("it changed while it was copied")
            fault_point("before-piece")
            place = self._place(name)
            place.parent.mkdir(mode=0o700, exist_ok=True)
            temporary.replace(place)
        finally:
            temporary.unlink(missing_ok=True)
        fault_point("after-piece")

    def copy(self, name: str, out: IO[bytes], most: int) -> None:
        """Write the bytes of a piece, of which there are `most` or fewer.

        DamagedBackupError when it is gone or does not hold them any more; a folder of backups lies where others may
        write, so neither a link in a piece's place is followed nor more than it can hold is written.
        """
        digest, left = hashlib.sha256(), most
        with self._opened(name) as source:
            while left >= 0 and (chunk := source.read(_CHUNK)):
                left -= len(chunk)
                digest.update(chunk)
                out.write(chunk)
        if left < 0 or digest.hexdigest() != name:
            raise DamagedBackupError(f"piece {name[:16]} of the backup does not hold what it did", piece=name)

    def set_aside(self, name: str) -> None:
        """Move a piece that is damaged out of the way; nothing is deleted."""
        place = self._place(name)
        with contextlib.suppress(FileNotFoundError):
            place.replace(place.with_name(f"damaged-{name}-{new_id()}"))

    # -- manifests

    def save(self, manifest: BackupManifest, key: SigningKey | None) -> None:
        """Write a manifest, signed where there is a key, after all that it names: from now on the backup is whole."""
        for folder in sorted({self._place(name).parent for file in manifest.files for name in file.pieces}):
            fsync_folder(folder)
        fsync_folder(self._pieces)
        fsync_folder(self.folder)
        fault_point("before-manifest")
        write_durably(self.manifest_path(manifest), _render(manifest, key))
        fault_point("after-manifest")

    def sweep(self) -> int:
        """Remove the pieces that no backup holds, and return how many; none while a manifest does not read."""
        listed = self.backups()
        if listed.damaged:
            return 0
        held = {name for manifest in listed.whole for file in manifest.files for name in file.pieces}
        loose = [path for path in self._pieces.glob("??/*") if path.name not in held and len(path.name) == 64]
        for path in loose:
            path.unlink(missing_ok=True)
        return len(loose)

    @contextlib.contextmanager
    def scratch(self) -> Iterator[Path]:
        """Give a folder for the length of the block; in this one where it can be written to, so not in a small /tmp."""
        beside = self.folder if os.access(self.folder, os.W_OK) else None
        made = Path(tempfile.mkdtemp(prefix=TEMPORARY, dir=beside))
        try:
            yield made
        finally:
            shutil.rmtree(made, ignore_errors=True)

    # -- inside

    def _opened(self, name: str) -> IO[bytes]:
        try:
            handle = os.open(self._place(name), os.O_RDONLY | NOFOLLOW | NONBLOCK | CLOEXEC)
        except OSError as problem:
            why = "gone" if isinstance(problem, FileNotFoundError) else f"none that can be read: {problem.strerror}"
            raise DamagedBackupError(f"piece {name[:16]} of the backup is {why}", piece=name) from problem
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise DamagedBackupError(f"piece {name[:16]} of the backup is no file", piece=name)
        return os.fdopen(handle, "rb")

    def _place(self, name: str) -> Path:
        return self._pieces / name[:2] / name

    def _clear_half_done(self) -> None:
        for folder in (self.folder, self._pieces, self._backups):
            for path in folder.glob(f"{TEMPORARY}*"):
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink(missing_ok=True)


def bears_signature(manifest: BackupManifest, key: SigningKey | None) -> bool | None:
    """Tell whether a manifest is signed with this key; None: it is not signed, or with another one."""
    if key is None or manifest.key != key.id:
        return None
    return key.holds(_SIGNED + manifest.sha256, manifest.signature)


def _render(manifest: BackupManifest, key: SigningKey | None) -> bytes:
    """Return a manifest as it is written, a file a line, with the digest of its own content."""
    fields = manifest.model_dump(mode="json", exclude={"sha256"})
    lines = [json.dumps(file, ensure_ascii=False) for file in fields.pop("files")]
    digest = _digest_of({**fields, "files": [load_json(line) for line in lines]})
    signed = {"key": key.id, "signature": key.sign(_SIGNED + digest)} if key else {}
    head = json.dumps({**fields, **signed, "sha256": digest}, ensure_ascii=False, indent=1)
    rows = ",\n  ".join(lines)
    return f'{head[:-2]},\n "files": [\n  {rows}\n ]\n}}\n'.encode()


def _digest_of(fields: Mapping[str, Any]) -> str:
    """Return the SHA-256 of what a manifest says besides it."""
    said = {name: value for name, value in fields.items() if name not in _NOT_SIGNED}
    return sha256_hex(json.dumps(said, ensure_ascii=False, sort_keys=True, separators=(",", ":")))


def _read_manifest(path: Path) -> BackupManifest:
    try:
        fields = load_json(read_own(path))
        if not isinstance(fields, dict) or fields.get("sha256") != _digest_of(fields):
            raise DamagedBackupError("it is not as it was written")
        manifest = BackupManifest.model_validate_json(json.dumps(fields))
    except ValidationError as problem:  # whole, and of another format
        first = problem.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise DamagedBackupError(f"this version does not read it: {where}: {first['msg']}") from problem
    except ValueError as problem:
        raise DamagedBackupError("it is not as it was written") from problem
    if manifest.id != path.name.removesuffix(_MANIFEST):
        raise DamagedBackupError("it has another's name")
    return manifest
