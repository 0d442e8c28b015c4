"""What of a workspace belongs into a backup: what is true, and what people wrote. What can be made again does not.

life/ is a projection that people edit, and `mirror.json` tells their words from Engram's: a backup holds both.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from engram.base.disk.files import TEMPORARY
from engram.base.disk.safe_files import iter_files
from engram.base.text import is_utf8
from engram.config.paths import Paths


class Contents(NamedTuple):
    """The files that belong into a backup, as paths relative to the workspace."""

    paths: list[str]
    left_out: list[str]  # what lies there and cannot be read, each with the reason


def list_contents(paths: Paths) -> Contents:
    """Return what a backup of the workspace holds, in the order of the paths.

    As in recall, links are not followed and hidden folders are left out; only engram.toml and MEMORY.md may be links.
    A file whose name is not UTF-8 is left out, as nothing could name it in the manifest.
    """
    left_out: list[str] = []

    def tell(path: str, problem: OSError | str) -> None:
        why = problem if isinstance(problem, str) else problem.strerror or problem
        left_out.append(f"{os.fsencode(path).decode(errors='replace')}: {why}")

    found = [name for name in map(paths.relative, _single_files(paths)) if (paths.root / name).is_file()]
    for folder in (paths.memory, paths.life):
        found += iter_files(paths.root, paths.relative(folder), tell)
    for folder in (paths.journal, paths.edits, paths.spool, paths.spool / "rejected", paths.spool / "newer"):
        found += (paths.relative(path) for path in _files_in(folder))
    whole = [name for name in found if not Path(name).name.startswith(TEMPORARY)]
    for name in whole:
        if not is_utf8(name):
            tell(name, "its name is no text; give it another one")
    return Contents(sorted(filter(is_utf8, whole)), sorted(left_out))


def is_waiting_command(path: str) -> bool:
    """Tell whether a path of a backup is that of a command in the spool."""
    folder, _, name = path.rpartition("/")
    return folder == ".engram/spool" and name.endswith(".json")


def _single_files(paths: Paths) -> Iterator[Path]:
    yield from (
        paths.settings,
        paths.self_file,
        paths.format,
        paths.encryption,
        paths.domain_registry,
        paths.cards,
        paths.mirror_state,
    )


def _files_in(folder: Path) -> Iterator[Path]:
    """Yield the files of one folder of machine state, not those of folders in it."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.is_file(follow_symlinks=False)]
    except FileNotFoundError:
        return
    yield from (folder / name for name in names)
