"""Whether something lies below a folder, asked without following a link and without reading anything."""

import errno
import os
import stat
from typing import Final

from engram.base.disk.open_flags import CLOEXEC
from engram.base.disk.open_flags import DIRECTORY
from engram.base.disk.open_flags import NOFOLLOW

THERE: Final = "there"
ABSENT: Final = "absent"  # the folder that it would stand in, or its first one at least, is there, and it is not
ELSEWHERE: Final = "elsewhere"  # not even its first folder is there: it may never have been of this place
UNKNOWN: Final = "unknown"  # a link stands on the way, or what is there may not be looked at

_FOLDER: Final = os.O_RDONLY | DIRECTORY | CLOEXEC


def look_below(root: str, way: str) -> str:
    """Tell whether something lies at a place below a folder: THERE, ABSENT, ELSEWHERE or UNKNOWN.

    Args:
        root: absolute; it may be reached by links, its inside may not.
        way: relative, parts divided by "/"; one that leads upwards is UNKNOWN.
    """
    parts = way.split("/")
    if os.open not in os.supports_dir_fd or {"", ".", ".."}.intersection(parts):
        return UNKNOWN
    try:
        handle = os.open(root, _FOLDER)
    except OSError:
        return UNKNOWN
    try:
        for place, part in enumerate(parts[:-1]):
            try:
                inner = os.open(part, _FOLDER | NOFOLLOW, dir_fd=handle)
            except OSError as problem:
                return _why_not(handle, part, problem, is_first=not place)
            os.close(handle)
            handle = inner
        os.stat(parts[-1], dir_fd=handle, follow_symlinks=False)
    except FileNotFoundError:
        return ABSENT if len(parts) > 1 else ELSEWHERE
    except OSError:
        return UNKNOWN
    finally:
        os.close(handle)
    return THERE


def _why_not(outer: int, part: str, problem: OSError, *, is_first: bool) -> str:
    """Return what a part of the way tells that could not be entered."""
    if problem.errno == errno.ENOENT:
        return ELSEWHERE if is_first else ABSENT
    if problem.errno != errno.ENOTDIR:
        return UNKNOWN
    try:
        found = os.stat(part, dir_fd=outer, follow_symlinks=False)
    except OSError:
        return UNKNOWN
    return ABSENT if stat.S_ISREG(found.st_mode) else UNKNOWN
