"""What a watcher looks at: names, sizes and times of the files that people and agents write, and not inside them."""

import os
from collections.abc import Iterator

from engram.config.paths import Paths

Look = frozenset[tuple[str, int, int]]
"""The path, the size in bytes and the time of change in nanoseconds of each file."""


def look_at(paths: Paths) -> Look:
    """Return how the files stand that give a heartbeat work: notes, pages, settings, and commands that wait."""
    folders = (paths.memory, paths.life, paths.spool)
    found = {entry for folder in folders for entry in _files(os.fspath(folder))}
    for file in (paths.settings, paths.self_file, paths.domain_registry):
        try:
            there = file.stat()
        except OSError:
            continue
        found.add((os.fspath(file), there.st_size, there.st_mtime_ns))
    return frozenset(found)


def _files(folder: str) -> Iterator[tuple[str, int, int]]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith("."):  # a file that is being written, or a tool's own
                    continue
                try:
                    if entry.is_dir(follow_symlinks=False):
                        yield from _files(entry.path)
                    else:
                        there = entry.stat(follow_symlinks=False)
                        yield entry.path, there.st_size, there.st_mtime_ns
                except OSError:  # gone meanwhile
                    continue
    except OSError:
        return
