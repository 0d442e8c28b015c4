"""`ports.text_files.TextFiles` over the disk: every way into the workspace is walked from its root, without a link."""

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from engram.base.disk.appended_file import AppendedFile
from engram.base.disk.appended_file import appended_file
from engram.base.disk.faults import fault_point
from engram.base.disk.files import append
from engram.base.disk.files import fsync_folder
from engram.base.disk.files import make_folder
from engram.base.disk.files import write_durably
from engram.base.disk.given_files import read_given
from engram.base.disk.handle_locks import lock_handle
from engram.base.disk.inner_folders import inner_folder
from engram.base.disk.inner_folders import refuse_link
from engram.base.disk.locked_file import locked_file
from engram.base.disk.open_flags import CLOEXEC
from engram.base.disk.own_files import read_own
from engram.base.disk.safe_files import MAX_READ_BYTES
from engram.base.disk.safe_files import read_within
from engram.base.ids import new_id
from engram.config.paths import Paths
from engram.errors import NotFoundError
from engram.errors import RefusedError

_PRIVATE = 0o600  # of a file of a memory, which is its owner's alone


class WorkspaceFiles:
    """The text files of one workspace; nothing is held between calls."""

    def __init__(self, paths: Paths) -> None:
        """Take the layout; nothing is read."""
        self.paths = paths

    def of_silo(self, folder: str) -> "WorkspaceFiles":
        """See the port."""
        return WorkspaceFiles(self.paths.of_silo(folder))

    def locate(self, given: str) -> Path:
        """See the port."""
        root, memory = self.paths.root, Path(os.path.realpath(self.paths.memory))
        file = next((one for one in (root / given, Path(given)) if os.path.lexists(one)), None)
        if file is None:
            raise NotFoundError(f"there is no file {given!r}", hint="such as memory/main/main/handoff.md")
        file = Path(os.path.abspath(file))  # noqa: PTH100 - resolve() would follow a link
        real = Path(os.path.realpath(file))
        if file.is_symlink() or real != memory / os.path.relpath(real, memory) or not real.is_relative_to(memory):
            raise RefusedError(f"{given} is a link or lies outside memory/", hint="name a note below memory/")
        if not stat.S_ISREG(file.stat().st_mode) or file.suffix != ".md":
            raise RefusedError(f"{given} is no note", hint="name a file that ends in .md")
        return root / real.relative_to(os.path.realpath(root))

    def read(self, path: Path) -> bytes:
        """See the port."""
        try:
            return read_given(path)
        except OSError as problem:
            if problem.errno in {errno.EINVAL, errno.EFBIG}:
                shown = self.paths.relative(path)
                why = f"{shown} is not read: {problem.strerror}"
                raise RefusedError(why, hint="put the file there itself") from problem
            raise

    def read_within(self, path: Path, most_bytes: int = MAX_READ_BYTES, *, at_rest: bool = True) -> bytes:
        """See the port."""
        root = self.paths.root
        inside = path.relative_to(root) if path.is_relative_to(root) else path  # which is refused
        return read_within(root, inside.as_posix(), most_bytes=most_bytes, at_rest=at_rest)

    def size(self, path: Path) -> int:
        """See the port."""
        return path.stat().st_size

    def is_file(self, path: Path) -> bool:
        """See the port."""
        return path.is_file()

    def is_same(self, one: Path, other: Path) -> bool:
        """See the port."""
        return one.samefile(other)

    def notes_in(self, folder: Path) -> Iterator[Path]:
        """See the port."""
        return folder.glob("*.md")

    def refuse_links(self, *places: Path) -> None:
        """See the port."""
        for place in places:
            refuse_link(place, self.paths.relative(place))

    def make_folder(self, folder: Path) -> None:
        """See the port."""
        make_folder(folder, root=self.paths.root)

    @contextlib.contextmanager
    def holding(self, folder: Path) -> Iterator[None]:
        """See the port."""
        with inner_folder(self.paths.root, folder, make=True) as handle:
            lock_handle(handle)  # let go of when the handle is closed
            yield

    @contextlib.contextmanager
    def locking(self, path: Path, *, follows: bool = False) -> Iterator[None]:
        """See the port."""
        with locked_file(path, os.O_RDWR) if follows else locked_file(path, root=self.paths.root):
            yield

    @contextlib.contextmanager
    def appending(self, path: Path, *, follows: bool = False) -> Iterator[AppendedFile]:
        """See the port."""
        with appended_file(path, root=None if follows else self.paths.root) as held:
            yield held

    def begin(self, path: Path, content: bytes) -> bool:
        """See the port."""
        with inner_folder(self.paths.root, path.parent) as folder:
            try:
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | CLOEXEC
                handle = os.open(path.name, flags, _PRIVATE, dir_fd=folder)
            except FileExistsError:
                return False
            try:
                append(handle, content)
            finally:
                os.close(handle)
            os.fsync(folder)
        return True

    def write(self, path: Path, content: bytes) -> None:
        """See the port."""
        write_durably(path, content, root=self.paths.root)

    def keep(self, path: Path, archive: Path) -> None:
        """See the port."""
        self.make_folder(archive.parent)
        try:
            os.link(path, archive, follow_symlinks=False)
        except OSError:  # a file system without hard links
            self.write(archive, read_own(path))
        fsync_folder(archive.parent)

    def move(self, path: Path, target: Path) -> None:
        """See the port."""
        self.make_folder(target.parent)
        path.rename(target)  # never a copy to another file system
        fsync_folder(target.parent)
        fsync_folder(path.parent)

    def exchange(self, path: Path, *, was: bytes, content: bytes, archive: Path) -> None:
        """See the port."""
        self.make_folder(archive.parent)
        fresh, shown = path.with_name(f".tmp-{new_id()}"), self.paths.relative(path)
        try:
            self.write(fresh, content)
            if read_own(fresh) != content or read_own(path) != was:
                raise RefusedError(f"{shown} was written to meanwhile", hint="try again")
            if not archive.exists():
                os.link(path, archive)
            fsync_folder(archive.parent)
            fault_point("before-rotated")
            fresh.replace(path)
        except OSError as problem:
            raise RefusedError(
                f"{shown} cannot be rotated: {problem.strerror or problem}",
                hint="check the room on the disk and its permissions",
            ) from problem
        finally:
            fresh.unlink(missing_ok=True)
        fsync_folder(path.parent)
        fault_point("after-rotated")

    def remove(self, path: Path) -> None:
        """See the port."""
        path.unlink()
        fsync_folder(path.parent)
