"""Files written so that a reader sees the old or the new content, never half of one."""

import os
from pathlib import Path

from engram.base.faults import fault_point
from engram.base.ids import new_id

TEMPORARY = ".tmp-"  # begins the name of a file that is being written


def write_durably(path: Path, content: bytes, *, mode: int = 0o600) -> None:
    """Write the file under a temporary name, flush it to the disk, rename it into place, flush the folder.

    When this returns, the content survives a crash of the machine. A crash before that leaves the old file
    and at most one `.tmp-*` beside it.
    """
    _replace(path, content, mode=mode, durable=True)


def write_atomically(path: Path, content: bytes, *, mode: int = 0o644) -> None:
    """Write the file by rename but without waiting for the disk: for what can be made again."""
    _replace(path, content, mode=mode, durable=False)


def fsync_folder(folder: Path) -> None:
    """Flush a folder's entries to the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _replace(path: Path, content: bytes, *, mode: int, durable: bool) -> None:
    temporary = path.with_name(f"{TEMPORARY}{new_id()}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(content)
            if durable:
                out.flush()
                os.fsync(out.fileno())
        fault_point("before-rename")
        os.replace(temporary, path)  # noqa: PTH105 - the same call, without building another Path
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    fault_point("after-rename")
    if durable:
        fsync_folder(path.parent)
