"""Working files that have grown too long: the old one moves whole into `archives/` beside it, the newest sections stay.

Order: what stays is written under another name, read back and compared; then the old file gets its name in the
archives; then the new one takes its place. So the file is there at every moment, and a crash leaves the old or the new
one. The archive is the old file itself: whoever was just writing to it writes into the archive, and no line is lost.
"""

import contextlib
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from engram.base.disk.faults import fault_point
from engram.base.disk.files import fsync_folder
from engram.base.disk.files import make_folder
from engram.base.disk.files import write_durably
from engram.base.disk.locked_file import locked_file
from engram.base.ids import new_id
from engram.config.paths import Paths
from engram.errors import MalformedInputError
from engram.errors import NotFoundError
from engram.errors import RefusedError
from engram.rules.notes.rotation import ARCHIVES
from engram.rules.notes.rotation import Division
from engram.rules.notes.rotation import divide
from engram.rules.notes.rotation import rejoin
from engram.rules.notes.rotation import rotated_from
from engram.services.silo.archives import latest_archive
from engram.services.silo.archives import next_archive
from engram.services.silo.folder import writing_silo

LONG_KB = 256  # from which the heartbeat rotates a note without a date; its newest half stays
MOST_BYTES = 64 * 1024 * 1024  # of a file that is rotated
_DATED = re.compile(r"\d{4}-\d{2}-\d{2}|\d{4}-W\d{2}|\d{4}-\d{2}$")


class Rotation(NamedTuple):
    """What a rotation did, or would do."""

    path: str  # the file, relative to the workspace
    archive: str  # where the old one lies, relative to the workspace
    sections: int  # that only the archive holds now
    bytes_before: int
    bytes_after: int


def grows_for_ever(path: str) -> bool:
    """Tell whether a note, relative to the workspace, is one that is written to without end: it has no date.

    Roll-ups, what lies in archives and the files of domains, which have their own rotation, are none.
    """
    parts = path.split("/")
    inside = {"weekly", "monthly", ARCHIVES} & set(parts[:-1])
    return not inside and parts[:2] != ["memory", "domains"] and not _DATED.search(parts[-1].removesuffix(".md"))


def rotate(paths: Paths, path: str, keep_bytes: int, *, dry_run: bool = False) -> Rotation:
    """Move the oldest sections of a file below memory/ into its archives; the newest that fit into `keep_bytes` stay.

    Raises NotFoundError, RefusedError for a link, for what lies outside memory/ and for a file with no two sections,
    MalformedInputError for one that is too large.
    """
    file = _file(paths, path)
    if rotated_from(paths.relative(file)) is not None:
        raise RefusedError(f"{paths.relative(file)} is an archive already", hint="name the file that it came from")
    with _held(paths, file):
        return _rotated(paths, file, keep_bytes, dry_run=dry_run)


def undo_rotation(paths: Paths, path: str, *, dry_run: bool = False) -> Rotation:
    """Put the latest archive of a file back, with all that was appended to the file since.

    Raises NotFoundError when it has none, RefusedError when what had stayed in the file was changed since.
    """
    file = _file(paths, path)
    with _held(paths, file):
        return _joined_again(paths, file, dry_run=dry_run)


# --- both ways -----------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _held(paths: Paths, file: Path) -> Iterator[None]:
    """Keep away all who write to a file: they hold its folder, or the file itself, or first the one, then the other."""
    with writing_silo(paths, paths.relative(file.parent)), locked_file(file, root=paths.root):
        yield


def _rotated(paths: Paths, file: Path, keep_bytes: int, *, dry_run: bool) -> Rotation:
    data = _read(paths, file)
    division = divide(data, keep_bytes)
    if len(data) <= keep_bytes:
        raise RefusedError(
            f"{paths.relative(file)} has {len(data)} bytes, and {keep_bytes} may stay", hint="such as --keep 2000"
        )
    if division is None:
        raise RefusedError(
            f"{paths.relative(file)} has no section that could move: a section begins with a heading (# or ##)",
            hint="put headings into it, or move lines out of it by hand",
        )
    archive = _place_in_archives(file)
    done = Rotation(paths.relative(file), paths.relative(archive), division.moved, len(data), len(division.kept))
    if not dry_run:
        _exchange(paths, file, data, division, archive)
    return done


def _joined_again(paths: Paths, file: Path, *, dry_run: bool) -> Rotation:
    archive = latest_archive(file)
    if archive is None:
        raise NotFoundError(
            f"{paths.relative(file)} has no archive beside it", hint="engram note rotate FILE makes one"
        )
    data, old = _read(paths, file), _read(paths, archive)
    whole = rejoin(old, data)
    if whole is None:
        raise RefusedError(
            f"{paths.relative(file)} no longer begins with what had stayed of it",
            hint=f"take what you miss out of {paths.relative(archive)} by hand",
        )
    done = Rotation(paths.relative(file), paths.relative(archive), 0, len(data), len(whole))
    if not dry_run:
        _write_verified(paths, file, whole)
        fault_point("before-archive-removed")
        archive.unlink()  # every byte of it stands in the file again
        fsync_folder(archive.parent)
    return done


# --- files ---------------------------------------------------------------------------------------------------------


def _file(paths: Paths, path: str) -> Path:
    """Return the file that a path, relative to the workspace or the current folder, means."""
    file = next((one for one in (paths.root / path, Path(path)) if os.path.lexists(one)), None)
    if file is None:
        raise NotFoundError(f"there is no file {path!r}", hint="such as memory/main/main/handoff.md")
    file = Path(os.path.abspath(file))  # noqa: PTH100 - resolve() would follow a link
    real, memory = Path(os.path.realpath(file)), Path(os.path.realpath(paths.memory))
    if file.is_symlink() or real != memory / os.path.relpath(real, memory) or not real.is_relative_to(memory):
        raise RefusedError(f"{path} is a link or lies outside memory/", hint="name a note below memory/")
    if not stat.S_ISREG(file.stat().st_mode) or file.suffix != ".md":
        raise RefusedError(f"{path} is no note", hint="name a file that ends in .md")
    return paths.root / real.relative_to(os.path.realpath(paths.root))


def _read(paths: Paths, file: Path) -> bytes:
    if file.stat().st_size > MOST_BYTES:
        raise MalformedInputError(f"{paths.relative(file)} is larger than {MOST_BYTES >> 20} MiB", hint="split it")
    return file.read_bytes()


def _place_in_archives(file: Path) -> Path:
    latest = latest_archive(file)
    if latest is not None and latest.samefile(file):
        return latest  # a rotation ended between its two last steps
    return next_archive(file)


def _exchange(paths: Paths, file: Path, data: bytes, division: Division, archive: Path) -> None:
    make_folder(archive.parent, root=paths.root)
    fresh = file.with_name(f".tmp-{new_id()}")
    try:
        write_durably(fresh, division.kept, root=paths.root)
        if fresh.read_bytes() != division.kept or file.read_bytes() != data:
            raise RefusedError(f"{paths.relative(file)} was written to meanwhile", hint="try again")
        if not archive.exists():
            os.link(file, archive)
        fsync_folder(archive.parent)
        fault_point("before-rotated")
        fresh.replace(file)
    except OSError as problem:
        raise RefusedError(
            f"{paths.relative(file)} cannot be rotated: {problem.strerror or problem}",
            hint="check the room on the disk and its permissions",
        ) from problem
    finally:
        fresh.unlink(missing_ok=True)
    fsync_folder(file.parent)
    fault_point("after-rotated")


def _write_verified(paths: Paths, file: Path, content: bytes) -> None:
    write_durably(file, content, root=paths.root)
    if not file.read_bytes().startswith(content):  # who waited for the old one appends to this one by now
        raise RefusedError(f"{paths.relative(file)} was written to meanwhile", hint="look at it, then try again")
