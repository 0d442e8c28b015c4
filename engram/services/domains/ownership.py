"""Which domain or agent answers for which folder, and how the files of a folder stood when somebody looked last.

Ownership forbids nothing: it is what a report of writes by others is made of. What was seen lies in .engram/owned.json,
which may be lost: then the look begins anew.
"""

import datetime as dt
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pydantic import Field
from pydantic import ValidationError

from engram.base.disk.files import make_folder
from engram.base.disk.files import write_atomically
from engram.base.disk.home import at_home
from engram.base.disk.safe_files import iter_files
from engram.base.disk.safe_files import read_within
from engram.base.machine.git_log import tip_of
from engram.base.text import has_control
from engram.base.text import sha256_hex
from engram.config.paths import Paths
from engram.errors import BadValueError
from engram.errors import DamagedStateError
from engram.errors import NotFoundError
from engram.errors import RefusedError
from engram.language.screen.redaction import require_no_secret
from engram.model.domain import DomainRegistry
from engram.model.domain import Ownership
from engram.model.value import Instant
from engram.model.value import Value

MOST_FILES: Final = 5000  # of one folder that are looked at
MOST_CHARS: Final = 1000  # of a folder's path
_MEMORY: Final = "memory"
_MARK_CHARS: Final = 16  # hexadecimal digits by which a file's content is known


class SeenFolder(Value):
    """A folder as it stood when somebody looked last."""

    at: Instant
    files: dict[str, str] = Field(default_factory=dict)  # path relative to the workspace -> mark of its content
    tip: str = ""  # commit that the repository around it stood at; empty: there was none


class SeenFolders(Value):
    """What was seen of all owned folders."""

    folders: dict[str, SeenFolder] = Field(default_factory=dict)


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


def with_owner(registry: DomainRegistry, folders: Sequence[str], ownership: Ownership) -> DomainRegistry:
    """Return the registry in which these folders have this owner; raise RefusedError where one has another."""
    for folder in folders:
        known = registry.owners.get(folder)
        if known is not None and known.owner != ownership.owner:
            as_agent = " --agent" if known.agent else ""
            hint = f"engram domain own {known.domain or known.agent} {folder}{as_agent} --off takes it from them"
            raise RefusedError(f"{folder} is owned by {known.owner}", hint=hint)
    return registry.model_copy(update={"owners": {**registry.owners, **dict.fromkeys(folders, ownership)}})


def without_owner(registry: DomainRegistry, folders: Sequence[str], owner: str) -> DomainRegistry:
    """Return the registry in which these folders are nobody's; raise NotFoundError for one that is not the owner's."""
    for folder in folders:
        known = registry.owners.get(folder)
        if known is None or known.owner != owner:
            raise NotFoundError(f"{folder} is not owned by {owner}", hint="engram domain ownership lists them")
    kept = {key: one for key, one in registry.owners.items() if key not in folders}
    return registry.model_copy(update={"owners": kept})


def owner_of(owners: Mapping[str, Ownership], path: str) -> Ownership | None:
    """Return who answers for a file: the owner of the nearest folder above it."""
    above = [folder for folder in owners if path.startswith(f"{folder}/")]
    return owners[max(above, key=len)] if above else None


def load_seen(paths: Paths) -> SeenFolders:
    """Return what was seen last, nothing when it was lost; raise DamagedStateError when it cannot be read."""
    try:
        return SeenFolders.model_validate_json(paths.owned_folders.read_bytes())
    except FileNotFoundError:
        return SeenFolders()
    except ValidationError as problem:
        path = paths.relative(paths.owned_folders)
        raise DamagedStateError(
            f"{path} is damaged: {problem.errors(include_url=False)[0]['msg']}",
            hint=f"rm {path}: what others wrote is looked for from then on",
        ) from problem


def save_seen(paths: Paths, seen: SeenFolders) -> None:
    """Replace what was seen last."""
    make_folder(paths.state)
    write_atomically(paths.owned_folders, seen.model_dump_json(indent=1).encode() + b"\n", mode=0o600)


def look_at(paths: Paths, folder: str, now: dt.datetime) -> SeenFolder:
    """Return how a folder stands now; of one outside of the workspace no files: its repository knows the rest."""
    files = {} if is_outside(folder) else file_marks(paths, folder)
    return SeenFolder(at=now, files=files, tip=tip_of(paths.root / folder))


def is_outside(folder: str) -> bool:
    """Tell whether an owned folder is none of the workspace's."""
    return Path(folder).is_absolute()


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
