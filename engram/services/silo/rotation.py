"""Working files that have grown too long: the old one moves whole into `archives/` beside it, the newest sections stay.

Order: what stays is written under another name, read back and compared; then the old file gets its name in the
archives; then the new one takes its place. So the file is there at every moment, and a crash leaves the old or the new
one. The archive is the old file itself: whoever was just writing to it writes into the archive, and no line is lost.
"""

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from engram.base.disk.faults import fault_point
from engram.errors import MalformedInputError
from engram.errors import NotFoundError
from engram.errors import RefusedError
from engram.ports.text_files import TextFiles
from engram.rules.notes.rotation import ARCHIVES
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


def rotate(files: TextFiles, path: str, keep_bytes: int, *, dry_run: bool = False) -> Rotation:
    """Move the oldest sections of a file below memory/ into its archives; the newest that fit into `keep_bytes` stay.

    Raises NotFoundError, RefusedError for a link, for what lies outside memory/ and for a file with no two sections,
    MalformedInputError for one that is too large.
    """
    file = files.locate(path)
    if rotated_from(files.paths.relative(file)) is not None:
        raise RefusedError(
            f"{files.paths.relative(file)} is an archive already", hint="name the file that it came from"
        )
    with _held(files, file):
        return _rotated(files, file, keep_bytes, dry_run=dry_run)


def undo_rotation(files: TextFiles, path: str, *, dry_run: bool = False) -> Rotation:
    """Put the latest archive of a file back, with all that was appended to the file since.

    Raises NotFoundError when it has none, RefusedError when what had stayed in the file was changed since.
    """
    file = files.locate(path)
    with _held(files, file):
        return _joined_again(files, file, dry_run=dry_run)


# --- both ways -----------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _held(files: TextFiles, file: Path) -> Iterator[None]:
    """Keep away all who write to a file: they hold its folder, or the file itself, or first the one, then the other."""
    with writing_silo(files, files.paths.relative(file.parent)), files.locking(file):
        yield


def _rotated(files: TextFiles, file: Path, keep_bytes: int, *, dry_run: bool) -> Rotation:
    data = _read(files, file)
    division = divide(data, keep_bytes)
    if len(data) <= keep_bytes:
        raise RefusedError(
            f"{files.paths.relative(file)} has {len(data)} bytes, and {keep_bytes} may stay", hint="such as --keep 2000"
        )
    if division is None:
        raise RefusedError(
            f"{files.paths.relative(file)} has no section that could move: a section begins with a heading (# or ##)",
            hint="put headings into it, or move lines out of it by hand",
        )
    archive = _place_in_archives(files, file)
    done = Rotation(
        files.paths.relative(file), files.paths.relative(archive), division.moved, len(data), len(division.kept)
    )
    if not dry_run:
        files.exchange(file, was=data, content=division.kept, archive=archive)
    return done


def _joined_again(files: TextFiles, file: Path, *, dry_run: bool) -> Rotation:
    archive = latest_archive(files, file)
    if archive is None:
        raise NotFoundError(
            f"{files.paths.relative(file)} has no archive beside it", hint="engram note rotate FILE makes one"
        )
    data, old = _read(files, file), _read(files, archive)
    whole = rejoin(old, data)
    if whole is None:
        raise RefusedError(
            f"{files.paths.relative(file)} no longer begins with what had stayed of it",
            hint=f"take what you miss out of {files.paths.relative(archive)} by hand",
        )
    done = Rotation(files.paths.relative(file), files.paths.relative(archive), 0, len(data), len(whole))
    if not dry_run:
        _write_verified(files, file, whole)
        fault_point("before-archive-removed")
        files.remove(archive)  # every byte of it stands in the file again
    return done


# --- files ---------------------------------------------------------------------------------------------------------


def _read(files: TextFiles, file: Path) -> bytes:
    if files.size(file) > MOST_BYTES:
        raise MalformedInputError(
            f"{files.paths.relative(file)} is larger than {MOST_BYTES >> 20} MiB", hint="split it"
        )
    return files.read(file)


def _place_in_archives(files: TextFiles, file: Path) -> Path:
    latest = latest_archive(files, file)
    if latest is not None and files.is_same(latest, file):
        return latest  # a rotation ended between its two last steps
    return next_archive(files, file)


def _write_verified(files: TextFiles, file: Path, content: bytes) -> None:
    files.write(file, content)
    if not files.read(file).startswith(content):  # who waited for the old one appends to this one by now
        raise RefusedError(f"{files.paths.relative(file)} was written to meanwhile", hint="look at it, then try again")
