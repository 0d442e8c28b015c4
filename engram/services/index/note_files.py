"""Which files hold notes, and which of them changed: a look at names and times alone, which reads none of them.

Notes are the markdown files below memory/, and the few at the workspace's root that every session of the owner's agent
is to know (MEMORY.md and those that OpenClaw keeps beside it). Links are neither listed nor followed, hidden folders
are left out.
"""

import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Final
from typing import NamedTuple

from engram.base.text import sha256_hex
from engram.config.paths import SELF_FILE
from engram.language.screen.redaction import is_secret_name

OWN_FILES: Final = (SELF_FILE, "SOUL.md", "USER.md", "IDENTITY.md", "TOOLS.md", "AGENTS.md")  # at the root
_ENDING = ".md"
_SETTLED_NS = 2_000_000_000  # after which a file that is written again surely has another time, on any file system


class Stamp(NamedTuple):
    """By what a file is known to be the one that was read: any writing changes one of them."""

    mtime_ns: int
    ctime_ns: int
    size: int  # bytes

    def is_settled(self, now_ns: int) -> bool:
        """Tell whether a file with this stamp that was read now cannot change any more without another stamp."""
        return now_ns - max(self.mtime_ns, self.ctime_ns) > _SETTLED_NS


Look = dict[str, Stamp]  # path relative to the workspace -> its stamp


def look_at_notes(root: Path, folder: str) -> Look:
    """Return the stamps of the files of the root that hold notes, and of those below a folder of it.

    A folder that cannot be listed counts as empty: what cannot be read is not shown.
    """
    found = {name: one for name in OWN_FILES if (one := _stamp_of(root / name)) is not None}
    if not (root / folder).is_symlink():
        _walk(str(root / folder), folder, found)
    return found


def digest_of(look: Look) -> str:
    """Return the SHA-256 that is another one as soon as a file comes, goes or changes."""
    lines = "\n".join(f"{path}\0{one[0]},{one[1]},{one[2]}" for path, one in look.items())
    return sha256_hex(lines.encode("utf-8", "surrogatepass"))  # a name need be no text


def newest_first(paths: Iterable[str], look: Look) -> list[str]:
    """Return paths in the order in which they are worth reading: those of the root, then the latest written."""
    return sorted(paths, key=lambda path: ("/" in path, -look[path].mtime_ns, path))


def _walk(place: str, folder: str, found: Look) -> None:
    """Add what lies below a folder. This is asked at every question, so each file costs one call to the system."""
    inner = []
    try:
        with os.scandir(place) as entries:
            for entry in entries:
                name = entry.name
                if is_secret_name(name):
                    continue
                if name.endswith(_ENDING):
                    one = entry.stat(follow_symlinks=False)
                    if stat.S_ISREG(one.st_mode):
                        found[f"{folder}/{name}"] = Stamp(one.st_mtime_ns, one.st_ctime_ns, one.st_size)
                        continue
                if not name.startswith(".") and entry.is_dir(follow_symlinks=False):
                    inner.append(name)
    except OSError:
        return
    for name in inner:
        _walk(f"{place}/{name}", f"{folder}/{name}", found)


def _stamp_of(file: Path) -> Stamp | None:
    try:
        one = file.lstat()
    except OSError:
        return None
    return Stamp(one.st_mtime_ns, one.st_ctime_ns, one.st_size) if stat.S_ISREG(one.st_mode) else None
