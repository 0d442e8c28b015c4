"""The files that roll-ups are made of: the daily notes of each silo, read so that one bad file stops nothing else."""

import datetime as dt
from collections import defaultdict
from pathlib import Path
from typing import Final
from typing import NamedTuple

from engram.base.disk.given_files import read_given
from engram.base.disk.safe_files import StillWrittenError
from engram.base.disk.safe_files import read_within
from engram.config.paths import Paths
from engram.heartbeat.intake.unread import iter_note_files
from engram.heartbeat.intake.unread import shown_path
from engram.heartbeat.report.run_report import SESSION
from engram.language.text.markdown_notes import note_day
from engram.rules.notes.rollup import KINDS

ARCHIVES: Final = "archives"  # folder beside the daily notes for what was moved away or replaced
_NOT_SILOS: Final = frozenset([ARCHIVES, *KINDS])


class Found(NamedTuple):
    """A file that a roll-up is made of."""

    link: str  # from the folder of the roll-up
    day: dt.date
    data: bytes  # UTF-8 text


def find_silos(paths: Paths) -> dict[Path, list[tuple[Path, dt.date]]]:
    """Return the daily notes below memory/ by the folder that they belong to, those in its archives included.

    A daily note has its day in its file's name. Domains keep none, and the heartbeat's own reports are none.
    """
    silos: dict[Path, list[tuple[Path, dt.date]]] = defaultdict(list)
    for file in iter_note_files(paths.memory):
        day = note_day(file.name, "")
        silo = _silo_of(file.parent, paths.memory)
        if day and silo is not None and silo.name != SESSION and not silo.is_relative_to(paths.domains):
            silos[silo].append((file, day))
    return silos


def is_led_away(paths: Paths, file: Path) -> bool:
    """Tell whether a part of a file's path below the workspace is a link, which could lead out of it."""
    return any(part.is_symlink() for part in (file, *file.parents) if part.is_relative_to(paths.memory))


def bytes_of(file: Path) -> bytes | None:
    """Return the content of a file, or None when it is not there."""
    try:
        return read_given(file)
    except FileNotFoundError:
        return None


def read_found(paths: Paths, silo: Path, file: Path, alerts: list[str]) -> Found | None:
    """Return a file of a silo; None for one that cannot be read, which is told, or that is written at this moment."""
    link = f"../{file.relative_to(silo).as_posix()}"
    try:
        data = read_within(paths.root, paths.relative(file))
        data.decode("utf-8-sig").encode()
        if b"\0" in data:
            raise ValueError("it holds a NUL character")  # noqa: TRY301 - one way out for all that cannot be read
    except StillWrittenError:
        return None  # as if it were gone, until it comes to rest
    except (OSError, ValueError) as problem:
        alerts.append(f"{shown_path(paths.relative(file))} is in no roll-up: {why_not(problem)}")
        return None
    return Found(link, note_day(file.name, "") or dt.date.min, data)


def why_not(problem: OSError | ValueError) -> str:
    """Return in words why a file cannot be read, written or moved."""
    if isinstance(problem, OSError):
        return problem.strerror or type(problem).__name__
    return "it is not UTF-8 text" if isinstance(problem, UnicodeDecodeError) else str(problem)


def _silo_of(folder: Path, memory: Path) -> Path | None:
    """Return the folder whose daily notes a folder holds: itself, or the one whose archives/YYYY/ it is."""
    silo = folder.parent.parent if folder.parent.name == ARCHIVES and folder.name.isdecimal() else folder
    if not silo.is_relative_to(memory):
        return None
    return silo if _NOT_SILOS.isdisjoint(silo.relative_to(memory).parts) else None
