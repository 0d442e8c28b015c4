"""What waits for review as files in ops/, with its mark in `.engram/waiting` and copies of edited files beside it."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from engram.base.disk.files import make_folder
from engram.base.disk.files import write_atomically
from engram.base.disk.files import write_durably
from engram.base.disk.inner_folders import refuse_link
from engram.base.disk.own_files import read_own
from engram.base.disk.own_files import read_own_text
from engram.base.text import sha256_hex
from engram.config.paths import Paths
from engram.errors import DamagedStateError
from engram.store.life_mirror import without_secrets


class OpsMirror:
    """`ports.mirror.ReviewMirror` over the folders of one workspace."""

    def __init__(self, paths: Paths) -> None:
        """Take the layout; nothing is read."""
        self._paths = paths
        self._mark = paths.state / "waiting"

    def mark(self) -> str:
        """See the port."""
        try:
            return read_own_text(self._mark).strip()
        except (OSError, UnicodeDecodeError):
            return ""

    def save_mark(self, mark: str) -> None:
        """See the port."""
        make_folder(self._paths.state)
        write_atomically(self._mark, mark.encode() + b"\n", mode=0o600)

    def names(self, folder: str, pattern: str) -> set[str]:
        """See the port."""
        place = self._paths.ops / folder
        with self._told():
            for one in (self._paths.ops, place):  # whoever put it there may lead out of the workspace
                refuse_link(one, self._paths.relative(one))
            return {path.name for path in place.glob(pattern)} if place.is_dir() else set()

    def read(self, name: str) -> bytes | None:
        """See the port."""
        path = self._paths.ops / name
        with self._told():
            return read_own(path) if path.is_file() and not path.is_symlink() else None

    def write(self, name: str, content: bytes) -> bool:
        """See the port."""
        path = self._paths.ops / name
        with self._told():
            if path.exists() and (path.is_symlink() or not path.is_file()):
                return False
            make_folder(path.parent, root=self._paths.root)
            write_atomically(path, content, root=self._paths.root)
        return True

    def remove(self, name: str) -> None:
        """See the port."""
        with self._told():
            (self._paths.ops / name).unlink()

    def keep(self, name: str, content: bytes) -> None:
        """See the port. Nothing that Engram keeps holds a secret, so neither does the copy."""
        kept = self._paths.edits / f"{sha256_hex(content)[:16]}-{Path(name).name}"
        with self._told():
            make_folder(self._paths.edits)
            if not kept.exists():
                write_durably(kept, without_secrets(content))

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except OSError as problem:
            name = self._paths.relative(Path(problem.filename)) if problem.filename else "ops"
            hint = "make room for it, then engram rebuild mirror"
            raise DamagedStateError(f"{name} cannot be written: {problem.strerror}", hint=hint) from problem
