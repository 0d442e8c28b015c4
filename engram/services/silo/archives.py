"""The archives of a working file: `archives/NAME-0001.md` and so on beside it, whoever put them there."""

import re
from collections.abc import Iterable
from pathlib import Path

from engram.ports.text_files import TextFiles
from engram.rules.notes.rotation import ARCHIVES
from engram.rules.notes.rotation import archive_name

_PART = re.compile(r"-(\d{4,})\.md$")


def archives_of(file: Path, beside: Iterable[Path]) -> list[Path]:
    """Return the archives of a file, oldest first, among the files of that folder; others there are none."""
    return sorted((one for one in beside if _PART.sub("", one.name) == file.stem and _number(one)), key=_number)


def list_archives(files: TextFiles, file: Path) -> list[Path]:
    """Return the archives of a file, oldest first."""
    return archives_of(file, files.notes_in(file.parent / ARCHIVES))


def latest_archive(files: TextFiles, file: Path) -> Path | None:
    """Return the latest archive of a file; None when it has none."""
    found = list_archives(files, file)
    return found[-1] if found else None


def next_archive(files: TextFiles, file: Path) -> Path:
    """Return where the next archive of a file goes."""
    latest = latest_archive(files, file)
    return file.parent / ARCHIVES / archive_name(file.stem, _number(latest) + 1 if latest is not None else 1)


def _number(archive: Path) -> int:
    found = _PART.search(archive.name)
    return int(found[1]) if found else 0
