"""What keeps a path from being used: something on its way that is no folder, or in its place and no file. Light."""

import errno
import os
from pathlib import Path

from engram.errors import RefusedError

_MISPLACED = (errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ENOENT, errno.ENXIO, errno.ELOOP, errno.ENOTEMPTY)


def find_in_the_way(problem: OSError) -> RefusedError | None:
    """Return what to say of a path that could not be used, None where the reason is another one."""
    names = [os.fsdecode(name) for name in (problem.filename2, problem.filename) if isinstance(name, str | bytes)]
    if problem.errno not in _MISPLACED or not names:
        return None
    path = Path(names[0])  # of a renaming that which was to be replaced
    for place in (*reversed(path.parents), path):
        if place.is_symlink() and not place.exists():
            return _refusal(place, "is a link to nothing")
        if place != path and os.path.lexists(place) and not place.is_dir():
            return _refusal(place, "is no folder")
    if os.path.lexists(path) and problem.errno in {errno.ENOTDIR, errno.EEXIST}:
        return _refusal(path, "is no folder") if not path.is_dir() else None
    if problem.errno == errno.ENOTDIR:  # a path that is told from the workspace on, not from here
        return _refusal(path, "is no folder")
    return _refusal(path, "is no file") if os.path.lexists(path) and not path.is_file() else None


def _refusal(place: Path, what: str) -> RefusedError:
    return RefusedError(f"{place} {what}", hint=f"take {place} away, and put back what was there")
