"""Where an encrypted store keeps what is made anew from its journal: in memory, so never on a disk in the clear.

The folder is of a file system that lies in memory (/dev/shm). It is gone when the machine is switched off, and what was
in it is made anew. What the system swaps out of memory is the system's to encrypt.
"""

import functools
import os
import stat
from pathlib import Path
from typing import Final

from engram.base.machine.user import user_id
from engram.config.encryption_state import read_encryption
from engram.errors import RefusedError

BASE: Final = Path("/dev/shm")  # noqa: S108 - the folder of this person in it is checked below
MOUNTS: Final = Path("/proc/self/mounts")
_IN_MEMORY: Final = frozenset({"tmpfs", "ramfs"})
_OTHERS: Final = 0o077
_HINT: Final = "encryption of the whole disk covers what this cannot, without a setting of Engram's"


def has_memory_folder() -> bool:
    """Tell whether this machine has a file system in memory that can be written to."""
    return BASE.is_dir() and os.access(BASE, os.W_OK)


def require_memory_folder() -> None:
    """Raise RefusedError where there is none: an encrypted store could not work here, or would lie on a disk."""
    if not has_memory_folder():
        raise RefusedError(f"this machine has no {BASE}, where an encrypted store keeps its database", hint=_HINT)
    kind = _file_system(BASE)
    if kind not in _IN_MEMORY:
        said = f"it is of the kind {kind}" if kind else f"{MOUNTS} does not tell of what kind it is"
        raise RefusedError(f"{BASE} does not lie in memory here: {said}", hint=_HINT)


def projections_of(encryption: Path, state: Path) -> Path:
    """Return the folder of a store's database and index: of the state, or in memory where the file says `encrypts`."""
    found = read_encryption(encryption)
    return memory_folder(found.place, state) if found is not None and found.encrypts else state


def memory_folder(place: str, state: Path) -> Path:
    """Return the folder of a store, which is there afterwards, and nobody else's.

    `place` tells stores apart, and the folder of the state a copy of a workspace from what it was copied from. Raises
    RefusedError where somebody else has a hand in it, and where there is no file system in memory.
    """
    require_memory_folder()
    found = state.stat()
    own = BASE / f"engram-stores-{user_id()}"
    folder = own / f"{place}-{found.st_dev:x}-{found.st_ino:x}"
    for one in (own, folder):
        if not _is_own(one):
            one.mkdir(mode=0o700, exist_ok=True)
            _is_own(one)
    return folder


@functools.cache
def _file_system(folder: Path) -> str:
    """Return the kind of the file system that a folder lies in; empty where that cannot be told."""
    try:
        mounts = [line.split(" ") for line in MOUNTS.read_text(errors="replace").splitlines()]
    except OSError:
        return ""
    kinds = {Path(mount[1]): mount[2] for mount in mounts if len(mount) > 2}  # of two at one place the later one counts
    found = folder.resolve()
    return next((kinds[one] for one in (found, *found.parents) if one in kinds), "")


def _is_own(folder: Path) -> bool:
    try:
        found = folder.lstat()
    except FileNotFoundError:
        return False
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != user_id() or found.st_mode & _OTHERS:
        raise RefusedError(f"{folder} is not this person's alone", hint="look at who made it, and remove it")
    return True
