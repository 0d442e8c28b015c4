"""Pictures and pages as files of a person: private, whole or not there, and in nobody else's place."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from engram.base.disk.files import write_durably
from engram.base.disk.own_files import open_own_bytes
from engram.errors import BadValueError
from engram.errors import RefusedError
from engram.services.pictures.canvas import MADE_BY

STDOUT: Final = "-"
_HEAD_BYTES: Final = 4096  # in which a picture says who made it


def suffix_of(file: str, known: Sequence[str]) -> str:
    """Return the form that a file's name ends in; raise BadValueError when it is none of these."""
    suffix = Path(file).suffix.removeprefix(".").casefold()
    if suffix not in known:
        raise BadValueError(f"{file!r} does not say its form", hint=f"end it in .{', .'.join(known)}")
    return suffix


def save_picture(file: str, content: bytes) -> None:
    """Write a picture to a file, or to standard output for `-`; an earlier picture is replaced.

    Raises BadValueError for a folder or a place in no folder, RefusedError for a link or a file that is none of ours.
    """
    if file == STDOUT:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    path = Path(file)
    if path.is_dir():
        raise BadValueError(f"{file} is a folder", hint="name a file")
    if not path.parent.is_dir():
        raise BadValueError(f"there is no folder {path.parent}", hint="make it, or name another file")
    if path.is_symlink() or (path.exists() and not _is_ours(path)):
        raise RefusedError(f"{file} is there and was not made by Engram", hint="name another file")
    write_durably(path, content)


def _is_ours(path: Path) -> bool:
    if not path.is_file():
        return False
    with open_own_bytes(path) as file:
        return MADE_BY.encode() in file.read(_HEAD_BYTES)
