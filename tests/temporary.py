"""Where temporary files lie: in memory where that has room, for a test of the store mostly waits for a disk."""

import os
import tempfile
from pathlib import Path

MEMORY = Path("/dev/shm")
ROOM = 4 << 30  # bytes; what failed tests leave stays, some 20 MB each


def use_memory() -> None:
    """Let temporary files of this process and of those it starts lie in memory, unless TMPDIR names another place.

    Nothing is changed where there is no such folder, it is too small, or no program may be run from it, as in most
    containers.
    """
    if "TMPDIR" in os.environ or not MEMORY.is_dir() or not os.access(MEMORY, os.W_OK):
        return
    place = os.statvfs(MEMORY)
    if place.f_bavail * place.f_frsize < ROOM or place.f_flag & os.ST_NOEXEC:
        return
    os.environ["TMPDIR"] = str(MEMORY)
    tempfile.tempdir = None  # it is looked up again
