"""Doctor: which files and folders of a workspace others may read, and taking that from them."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from engram.base.disk.inner_folders import inner_folder
from engram.config.paths import Paths
from engram.model.finding import Finding
from engram.model.finding import Level
from engram.services.doctor.check import Checkup

_OTHERS_RIGHTS = 0o077  # permissions that nothing in a memory must have


def check_folder_modes(checkup: Checkup) -> Iterator[Finding]:
    """Machine state is its owner's alone: what can be told at every heartbeat."""
    for folder in checkup.paths.private_folders():
        if folder.is_dir() and _is_open(folder):
            yield checkup.finding("mode-open", Level.WARNING, folder, "others than its owner can look into the folder")


def check_modes(checkup: Checkup) -> Iterator[Finding]:
    """Everything in a memory is its owner's alone, also what people put there themselves."""
    yield from check_folder_modes(checkup)
    for part in _parts(checkup.paths):
        count = sum(1 for _ in _iter_open(checkup.paths, part))
        if count:
            what = "it" if part.is_file() else "1 file or folder" if count == 1 else f"{count} files and folders"
            where = "" if part.is_file() else " there"
            message = f"others than its owner have rights to {what}{where}"
            yield checkup.finding("mode-open", Level.WARNING, part, message)


def close_to_others(paths: Paths) -> None:
    """Take the rights of others from everything in a memory."""
    for state in paths.private_folders():
        if state.is_dir():
            state.chmod(0o700)
    for part in _parts(paths):
        for path in list(_iter_open(paths, part)):
            with inner_folder(paths.root, path.parent) as folder:
                os.chmod(path.name, stat.S_IMODE(path.lstat().st_mode) & ~_OTHERS_RIGHTS, dir_fd=folder)


def _parts(paths: Paths) -> list[Path]:
    """Return the folders and files of a memory that are there; a link has no rights of its own."""
    parts = (paths.settings, paths.self_file, paths.life, paths.memory, paths.ops, paths.state)
    return [part for part in parts if part.exists() and not part.is_symlink()]


def _iter_open(paths: Paths, part: Path) -> Iterator[Path]:
    """Yield what others have rights to of a file, or of a folder with all in it."""
    told = set(paths.private_folders())  # by `check_folder_modes`
    if part not in told and _is_open(part):
        yield part
    if not part.is_dir():
        return
    for place, folders, files in os.walk(part):
        here = Path(place)
        # What the engines write lies behind folders that are closed, and they choose its modes.
        folders[:] = [name for name in folders if here / name not in {paths.index, paths.embedding_cache}]
        found = (here / name for name in (*folders, *files))
        yield from (path for path in found if path not in told and _is_open(path))


def _is_open(path: Path) -> bool:
    try:
        mode = path.lstat().st_mode
    except OSError:  # gone meanwhile
        return False
    return not stat.S_ISLNK(mode) and bool(mode & _OTHERS_RIGHTS)
