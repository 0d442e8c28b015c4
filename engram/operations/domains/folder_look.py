"""Folders that may be owned: by what each is known, and how its files stand now."""

import datetime as dt
from typing import Final

from engram.base.disk.home import at_home
from engram.base.disk.safe_files import iter_files
from engram.base.disk.safe_files import read_within
from engram.base.machine.git_log import tip_of
from engram.base.text import has_control
from engram.base.text import sha256_hex
from engram.config.paths import Paths
from engram.errors import BadValueError
from engram.errors import NotFoundError
from engram.errors import RefusedError
from engram.language.screen.redaction import require_no_secret
from engram.services.domains.ownership import SeenFolder
from engram.services.domains.ownership import is_outside

MOST_FILES: Final = 5000  # of one folder that are looked at
MOST_CHARS: Final = 1000  # of a folder's path
_MEMORY: Final = "memory"
_MARK_CHARS: Final = 16  # hexadecimal digits by which a file's content is known


def folder_key(paths: Paths, given: str) -> str:
    """Return by what a folder is known: its path in the workspace below memory/, else its absolute path.

    A path is looked for from the workspace. Raises NotFoundError when it is no folder, and BadValueError or
    RefusedError for one that cannot be owned.
    """
    if not given.strip() or has_control(given) or len(given) > MOST_CHARS:
        raise BadValueError(f"a folder's path has 1 to {MOST_CHARS} characters", hint="such as memory/reviewer")
    require_no_secret("the folder", given)
    found = (paths.root / at_home(given)).resolve()
    if not found.is_dir():
        raise NotFoundError(f"{given} is no folder", hint="a path is read from the workspace, or is absolute")
    root = paths.root.resolve()
    if not found.is_relative_to(root):
        if root.is_relative_to(found):
            raise RefusedError(f"{given} holds the whole workspace", hint="name a folder in memory/ or of a project")
        return found.as_posix()
    inside = found.relative_to(root).as_posix()
    if inside != _MEMORY and not inside.startswith(f"{_MEMORY}/"):
        raise RefusedError(f"{given} is written by Engram", hint="name a folder in memory/ or of a project")
    return inside


def look_at(paths: Paths, folder: str, now: dt.datetime) -> SeenFolder:
    """Return how a folder stands now; of one outside of the workspace no files: its repository knows the rest."""
    files = {} if is_outside(folder) else file_marks(paths, folder)
    return SeenFolder(at=now, files=files, tip=tip_of(paths.root / folder))


def file_marks(paths: Paths, folder: str) -> dict[str, str]:
    """Return path -> mark of the content of each file below a folder of the workspace that can be read."""
    marks: dict[str, str] = {}
    for path in iter_files(paths.root, folder):
        if len(marks) >= MOST_FILES:
            break
        try:
            marks[path] = sha256_hex(read_within(paths.root, path))[:_MARK_CHARS]
        except OSError:
            continue
    return marks
