"""The files of a workspace, read while others write, so that all of them are of one moment.

`read` is called twice: first while everybody goes on writing, which takes long, then with the store held, when only
what has changed meanwhile is read again. Nobody but people writes in between, and each of their files is one of itself.
"""

import hashlib
import os
import stat
import time
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import IO
from typing import NamedTuple
from typing import Protocol

from engram.base.disk.open_flags import CLOEXEC
from engram.base.disk.open_flags import NOFOLLOW
from engram.base.disk.open_flags import NONBLOCK
from engram.base.disk.open_flags import restrict
from engram.base.disk.safe_files import StillWrittenError
from engram.base.disk.safe_files import open_within
from engram.config.paths import Paths
from engram.errors import StoreBusyError
from engram.model.backup import BackedUpFile
from engram.services.backup.contents import list_contents

_CHUNK = 1 << 20  # bytes read at a time
_OWNERS = 0o700  # permissions that are laid out: a memory is private
_TRIES = 3  # to read a file that is being written to
_MOST_PIECES = 64  # of one file; then it is copied as a whole again
_SETTLED_NS = 2_000_000_000  # age of a file from which its time tells every change: some disks count in two seconds


class Pieces(Protocol):
    """Where the bytes of files are kept, once each, under their SHA-256."""

    def has(self, name: str, size: int) -> bool:
        """Tell whether a piece is there with that size."""
        ...

    def put(self, name: str, source: IO[bytes], size: int) -> None:
        """Keep the next `size` bytes of the source; StillWrittenError when they are not those of the name."""
        ...


class Copied(NamedTuple):
    """What had to be copied."""

    pieces: int = 0
    size: int = 0  # bytes


class Snapshot:
    """What a backup of one workspace holds; complete once `read` has been called with the store held."""

    def __init__(self, paths: Paths, pieces: Pieces, before: Mapping[str, BackedUpFile]) -> None:
        """Take the workspace, where to keep its pieces, and the files of the backup before."""
        self._paths = paths
        self._pieces = pieces
        self._before = dict(before)
        self._stamps: dict[str, tuple[int, ...]] = {}  # of files that were at rest when they were read
        self.files: dict[str, BackedUpFile] = {}
        self.left_out: list[str] = []
        self.copied = Copied()

    def read(self, *, is_last: bool) -> None:
        """Read what was not read yet or has changed since; the last time with the store held.

        Raises StoreBusyError for a file that does not come to rest the last time, OSError when a piece cannot be
        written.
        """
        listed = list_contents(self._paths)
        self.left_out = [*listed.left_out]
        found = {}
        for path in listed.paths:
            try:
                file = self._read_file(path)
            except StoreBusyError:
                if is_last:
                    raise
                continue
            if file is not None:
                found[path] = file
        self.files = found

    def _read_file(self, path: str) -> BackedUpFile | None:
        """Return the file as it stands in the backup; None when it is gone or cannot be read."""
        try:
            handle = self._open(path)
        except FileNotFoundError:
            return None
        except OSError as problem:
            self.left_out.append(f"{path}: {problem.strerror or problem}")
            return None
        with os.fdopen(handle, "rb", buffering=0) as source:
            found = os.fstat(source.fileno())
            if not stat.S_ISREG(found.st_mode):
                self.left_out.append(f"{path}: it is no regular file")
                return None
            if path in self.files and self._stamps.get(path) == _stamp(found):
                return self.files[path]
            return self._read_at_rest(path, source)

    def _open(self, path: str) -> int:
        if "/" not in path:  # settings and MEMORY.md may be links to where somebody keeps such files
            return os.open(self._paths.root / path, os.O_RDONLY | CLOEXEC | NONBLOCK)
        return open_within(self._paths.root, path)

    def _read_at_rest(self, path: str, source: IO[bytes]) -> BackedUpFile:
        for _ in range(_TRIES):
            before = os.fstat(source.fileno())
            try:
                digest, pieces = self._keep(self.files.get(path) or self._before.get(path), source)
            except StillWrittenError:
                continue
            after = os.fstat(source.fileno())
            if _stamp(before) == _stamp(after):
                self._note_stamp(path, after)
                mode = after.st_mode & 0o777
                changed_ns = after.st_mtime_ns
                return BackedUpFile(
                    path=path, size=after.st_size, sha256=digest, pieces=pieces, mode=mode, changed_ns=changed_ns
                )
        raise StoreBusyError(f"{path} is being written to", hint="back up again when that has ended", path=path)

    def _note_stamp(self, path: str, found: os.stat_result) -> None:
        """Trust the time of a file only when it is so old that a later change would show another one."""
        age = time.time_ns() - max(found.st_mtime_ns, found.st_ctime_ns)
        if age > _SETTLED_NS:
            self._stamps[path] = _stamp(found)
        else:
            self._stamps.pop(path, None)

    def _keep(self, before: BackedUpFile | None, source: IO[bytes]) -> tuple[str, tuple[str, ...]]:
        """Keep what is not kept yet; return the SHA-256 of the whole file and its pieces."""
        read = _read_through(source, before.size if before else 0)
        kept = before.pieces if before is not None and self._has_all(before) else None
        if kept is not None and before is not None and read.whole == before.sha256:
            return read.whole, kept
        if kept and before is not None and read.beginning == before.sha256 and len(kept) < _MOST_PIECES:
            return read.whole, (*kept, self._put(read.rest, source, before.size, read.size - before.size))
        return read.whole, (self._put(read.whole, source, 0, read.size),) if read.size else ()

    def _put(self, name: str, source: IO[bytes], offset: int, size: int) -> str:
        if not self._pieces.has(name, size):
            source.seek(offset)
            self._pieces.put(name, source, size)
            self.copied = Copied(self.copied.pieces + 1, self.copied.size + size)
        return name

    def _has_all(self, file: BackedUpFile) -> bool:
        return all(self._pieces.has(name, -1) for name in file.pieces)


class _Read(NamedTuple):
    """What reading a file through told of it."""

    size: int
    whole: str  # SHA-256 of all of it
    beginning: str  # SHA-256 of as much as the backup before held; empty: it is shorter
    rest: str  # SHA-256 of what follows that


def _read_through(source: IO[bytes], border: int) -> _Read:
    source.seek(0)
    whole, rest, size = hashlib.sha256(), hashlib.sha256(), 0
    beginning = whole.hexdigest() if border == 0 else ""
    while chunk := source.read(_CHUNK):
        head = chunk[: max(border - size, 0)]
        whole.update(head)
        if head and size + len(head) == border:
            beginning = whole.hexdigest()
        whole.update(chunk[len(head) :])
        rest.update(chunk[len(head) :])
        size += len(chunk)
    return _Read(size, whole.hexdigest(), beginning, rest.hexdigest())


def _stamp(found: os.stat_result) -> tuple[int, ...]:
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


def by_path(files: Sequence[BackedUpFile]) -> dict[str, BackedUpFile]:
    """Return the files of a backup by their paths."""
    return {file.path: file for file in files}


def lay_out(file: BackedUpFile, folder: Path, copy_piece: Callable[[str, IO[bytes], int], None]) -> None:
    """Write a file of a backup below a folder where it is not yet; `copy_piece` writes at most so many bytes."""
    target = folder / file.path
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NOFOLLOW, 0o600)
    with os.fdopen(handle, "wb") as out:
        for name in file.pieces:
            copy_piece(name, out, file.size - out.tell())
        out.flush()
        os.fsync(out.fileno())
        restrict(out.fileno(), file.mode & _OWNERS)
        os.utime(out.fileno(), ns=(file.changed_ns, file.changed_ns))
