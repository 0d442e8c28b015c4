"""In which folder of this machine each project was worked on last, as hooks note it. Light.

What is kept is no part of the memory: another machine has other folders, and no journal tells of them.
"""

import json
from collections.abc import Mapping
from typing import Final

from engram.base.disk.files import write_atomically
from engram.base.disk.own_files import read_own
from engram.base.json_values import load_json
from engram.base.project import find_project_folder
from engram.config.paths import Paths

_MOST: Final = 500  # projects that are kept; of more the ones that came first are forgotten


def read_project_folders(paths: Paths) -> Mapping[str, str]:
    """Return the absolute folder of each project by its path, as projects/NAME; nothing when none was noted."""
    try:
        return _read(paths)
    except OSError:
        return {}


def note_project_folder(paths: Paths, folder: object) -> None:
    """Note the folder of the project that is worked on there, unless that is known. Raises OSError.

    What is damaged begins anew; what cannot be read just now is not replaced. Of two that write at once the later one
    is kept; the other is noted when it is worked on again.
    """
    found = find_project_folder(folder)
    if found is None:
        return
    project, place = found
    known = _read(paths)
    if known.get(project.path) == place:
        return
    known.pop(project.path, None)
    kept = dict([*known.items(), (project.path, place)][-_MOST:])
    write_atomically(paths.project_folders, json.dumps(kept, ensure_ascii=False, indent=1).encode(), root=paths.root)


def _read(paths: Paths) -> dict[str, str]:
    try:
        found = load_json(read_own(paths.project_folders))
    except (FileNotFoundError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {path: folder for path, folder in found.items() if isinstance(folder, str) and folder.startswith("/")}
