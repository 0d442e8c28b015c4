"""The files that belong to an archive: `MEMORY.md`, all of memory/, and the registry of domains.

Files of an archive come from outside: each is written only below these places, through no link, and never over a file
with another content.
"""

import hashlib
import os
from collections.abc import Iterator
from collections.abc import Mapping
from pathlib import Path

from engram.base.disk.files import fsync_folder
from engram.base.disk.files import make_folder
from engram.base.disk.own_files import open_own_bytes
from engram.base.disk.own_files import read_own
from engram.base.ids import new_id
from engram.config.paths import SELF_FILE_TEXT
from engram.config.paths import Paths
from engram.importers.archive_lines import PART_BYTES
from engram.importers.archive_lines import ArchiveFile
from engram.importers.memories.items import Remark

_MAX_NAME_BYTES = 255  # what file systems take
_TEMPORARY = ".tmp-"  # begins the names of files that are being written


def list_files(paths: Paths) -> Iterator[tuple[str, Path]]:
    """Yield (path relative to the workspace, file) by path; links and what is half written are left out.

    So is a MEMORY.md into which nobody has written: every workspace has it.
    """
    singles = (paths.domain_registry, paths.self_file)
    chosen = [one for one in singles if one.is_file() and not one.is_symlink() and not _is_untouched(paths, one)]
    found = [(one.relative_to(paths.root).as_posix(), one) for one in chosen]
    for folder, _, names in os.walk(paths.memory):
        for name in names:
            file = Path(folder, name)
            if file.is_file() and not file.is_symlink() and not name.startswith(_TEMPORARY):
                found.append((file.relative_to(paths.root).as_posix(), file))
    yield from sorted(found)


class FileRestorer:
    """Takes files as they come from an archive, piece by piece."""

    def __init__(
        self, paths: Paths, *, untouched: Mapping[str, bytes], elsewhere: Mapping[str, str], dry_run: bool
    ) -> None:
        """Take the workspace.

        `untouched` are contents by path that nobody wrote, and that may be replaced; `elsewhere` are the places of
        files that are not to lie where the archive has them.
        """
        self._paths = paths
        self._untouched = untouched
        self._elsewhere = elsewhere
        self._dry_run = dry_run
        self._open: _OpenFile | None = None
        self.written: list[ArchiveFile] = []
        self.known = 0
        self.remarks: list[Remark] = []

    def begin(self, file: ArchiveFile) -> None:
        """Begin a file: decide whether it is written at all."""
        self.finish()
        file = file._replace(path=self._elsewhere.get(file.path, file.path))
        why = self._refusal(file)
        path = self._paths.root / file.path
        if why:
            self.remarks.append(Remark(file.path[:200], "", why))
        elif path.is_file() and _hash_of(path) == file.sha256:
            self.known += 1
        elif path.exists() and not self._is_untouched(path, file.path):
            self.remarks.append(Remark(file.path[:200], "", "it is here with another content, and is left as it is"))
        elif self._dry_run:
            self.written.append(file)
        else:
            self._open_new(file, path)

    def add(self, data: bytes) -> None:
        """Take the next piece of the file that was begun."""
        if self._open is not None:
            self._open.add(data)

    def finish(self) -> None:
        """End the file that is open, if there is one."""
        opened, self._open = self._open, None
        if opened is None:
            return
        if opened.close():
            self.written.append(opened.file)
        else:
            self.remarks.append(Remark(opened.file.path, "", "its content is not what the archive announces"))

    def _open_new(self, file: ArchiveFile, path: Path) -> None:
        try:
            self._open = _OpenFile(file, path)
        except OSError as problem:
            self.remarks.append(Remark(file.path[:200], "", f"it cannot be written: {problem.strerror or problem}"))

    def _is_untouched(self, path: Path, name: str) -> bool:
        return path.is_file() and read_own(path) == self._untouched.get(name)

    def _refusal(self, file: ArchiveFile) -> str:
        parts = file.path.split("/")
        singles = {self._paths.relative(one) for one in (self._paths.self_file, self._paths.domain_registry)}
        if file.path not in singles and (parts[0] != self._paths.memory.name or len(parts) == 1):
            return "it lies outside memory/"
        if any(part in {"", ".", ".."} or not _is_file_name(part) for part in parts):
            return "its path is none"
        path = self._paths.root / file.path
        if path.is_dir():
            return "a folder of that name is here"
        if path.is_symlink() or Path(os.path.realpath(path.parent)) != Path(
            os.path.realpath(self._paths.root), *parts[:-1]
        ):
            return "a link stands in its way"
        return ""


class _OpenFile:
    """A file that is being written under a temporary name."""

    def __init__(self, file: ArchiveFile, path: Path) -> None:
        self.file = file
        self._path = path
        make_folder(path.parent)
        self._temporary = path.with_name(f"{_TEMPORARY}{new_id()}")
        self._out = self._temporary.open("xb")
        self._hash = hashlib.sha256()

    def add(self, data: bytes) -> None:
        self._hash.update(data)
        self._out.write(data)

    def close(self) -> bool:
        """Put the file in its place if it is what was announced, and tell whether it is."""
        self._out.flush()
        os.fsync(self._out.fileno())
        self._out.close()
        if self._hash.hexdigest() != self.file.sha256:
            self._temporary.unlink()
            return False
        self._temporary.replace(self._path)
        fsync_folder(self._path.parent)
        return True


def _is_file_name(name: str) -> bool:
    try:
        return "\\" not in name and "\0" not in name and len(os.fsencode(name)) <= _MAX_NAME_BYTES
    except UnicodeEncodeError:
        return False


def _is_untouched(paths: Paths, file: Path) -> bool:
    return file == paths.self_file and read_own(file) == SELF_FILE_TEXT.encode()


def _hash_of(path: Path) -> str:
    digest = hashlib.sha256()
    with open_own_bytes(path) as file:
        while data := file.read(PART_BYTES):
            digest.update(data)
    return digest.hexdigest()
