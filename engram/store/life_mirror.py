"""The mirror as files in life/, with its state in `.engram/mirror.json` and copies of edited files in `.engram/edits`.

Invariant: every file whose SHA-256 stands in the state is as Engram wrote it; any other content is a person's, or a
crash's, and is copied before it is overwritten.
"""

import contextlib
import datetime as dt
import errno
import os
from collections.abc import Iterable
from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from engram.base.disk.files import make_folder
from engram.base.disk.files import write_atomically
from engram.base.disk.files import write_durably
from engram.base.disk.given_files import read_given
from engram.base.disk.inner_folders import refuse_link
from engram.base.disk.own_files import read_own
from engram.config.paths import Paths
from engram.errors import DamagedStateError
from engram.errors import NoFileError
from engram.language.screen.secrets import redact
from engram.ports.mirror import MirrorState
from engram.ports.mirror import Stamp

_TICK_NS = 20_000_000  # more than the clock of files takes to its next tick


class LifeMirror:
    """`ports.mirror.Mirror` over the folders of one workspace."""

    def __init__(self, paths: Paths) -> None:
        """Take the layout; nothing is read."""
        self._paths = paths

    def load(self) -> MirrorState:
        """See the port. Raises DamagedStateError rather than begin anew over a file that does not read."""
        try:
            return MirrorState.model_validate_json(read_own(self._paths.mirror_state))
        except FileNotFoundError:
            return MirrorState()
        except (ValidationError, NoFileError) as problem:
            name = self._paths.relative(self._paths.mirror_state)
            raise DamagedStateError(f"{name} does not read as the state of the mirror", path=name) from problem

    def save(self, state: MirrorState) -> None:
        """See the port."""
        make_folder(self._paths.state)
        write_atomically(self._paths.mirror_state, state.model_dump_json(indent=0).encode() + b"\n", mode=0o600)

    def set_state_aside(self) -> str:
        """Move a damaged state file to where edits are kept, and return that place; nothing is deleted."""
        state = self._paths.mirror_state
        target = self._free_copy(state, "mirror.json", read_own(state) if state.is_file() else None)
        make_folder(self._paths.edits)
        self._paths.mirror_state.replace(target)
        return self._paths.relative(target)

    def read(self, name: str) -> bytes | None:
        """See the port."""
        path = self._paths.life / name
        self._refuse_links(path)
        try:
            return read_given(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as problem:
            if problem.errno != errno.EINVAL:
                raise
            why, hint = f"life/{name} is not read: {problem.strerror}", f"move life/{name} away"
            raise DamagedStateError(why, hint=hint, path=f"life/{name}") from problem

    def stamp(self, name: str) -> Stamp | None:
        """See the port."""
        try:
            found = (self._paths.life / name).lstat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        return found.st_mtime_ns, found.st_size

    def write(self, files: Mapping[str, bytes]) -> None:
        """See the port."""
        for name, content in files.items():
            path = self._paths.life / name
            try:
                make_folder(path.parent, root=self._paths.root)
                write_atomically(path, content, root=self._paths.root)
                _date_back(path)
            except OSError as problem:
                raise DamagedStateError(
                    f"life/{name} cannot be written: {problem.strerror}",
                    hint="make room for it, then engram doctor --fix",
                ) from problem

    def remove(self, names: Iterable[str]) -> None:
        """See the port."""
        for name in names:
            path = self._paths.life / name
            self._refuse_links(path.parent)
            path.unlink(missing_ok=True)
            with contextlib.suppress(OSError):  # a person keeps other files there
                path.parent.rmdir()

    def kept_name(self, name: str, content: bytes) -> str:
        """See the port. The name is made of the file's own time, so asking twice gives one name."""
        return self._paths.relative(self._copy_of(name, without_secrets(content)))

    def keep(self, name: str, content: bytes) -> str:
        """See the port. Nothing that Engram keeps holds a secret, so neither does the copy."""
        content = without_secrets(content)
        target = self._copy_of(name, content)
        if not target.exists():
            make_folder(self._paths.edits)
            write_durably(target, content)
        return self._paths.relative(target)

    def _refuse_links(self, path: Path) -> None:
        """Raise RefusedError when the path, or a folder above it in the workspace, is a link."""
        for place in (path, *path.parents):
            if place == self._paths.root:
                return
            refuse_link(place, self._paths.relative(place))

    def _copy_of(self, name: str, content: bytes) -> Path:
        return self._free_copy(self._paths.life / name, name.replace("/", "-"), content)

    def _free_copy(self, path: Path, label: str, content: bytes | None) -> Path:
        """Return the name for a copy: one that is free, or holds just this content already; None: what is no file."""
        changed_at = dt.datetime.fromtimestamp(path.stat().st_mtime, dt.UTC)
        stem = f"{changed_at:%Y%m%dT%H%M%SZ}"
        attempt = 0
        while True:
            target = self._paths.edits / (f"{stem}-{attempt}-{label}" if attempt else f"{stem}-{label}")
            if not os.path.lexists(target) or (target.is_file() and read_own(target) == content):
                return target
            attempt += 1


def _date_back(path: Path) -> None:
    """Give a file a time that no later edit can have, however soon it comes: the clock of files is a coarse one."""
    found = path.lstat()
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns - _TICK_NS), follow_symlinks=False)


def without_secrets(content: bytes) -> bytes:
    """Return the content of a file that a person wrote without secrets; bytes that are no text stay as they are."""
    return redact(content.decode("utf-8", errors="surrogateescape")).text.encode("utf-8", errors="surrogateescape")
