"""The archives of a working file: `archives/NAME-0001.md` and so on beside it, whoever put them there."""

import re
from pathlib import Path

from engram.rules.notes.rotation import ARCHIVES
from engram.rules.notes.rotation import archive_name

_PART = re.compile(r"-(\d{4,})\.md$")


def archives_of(file: Path) -> list[Path]:
    """Return the archives of a file, oldest first; other files beside them are none."""
    beside = (file.parent / ARCHIVES).glob("*.md")
    return sorted((one for one in beside if _PART.sub("", one.name) == file.stem and _number(one)), key=_number)


def latest_archive(file: Path) -> Path | None:
    """Return the latest archive of a file; None when it has none."""
    found = archives_of(file)
    return found[-1] if found else None


def next_archive(file: Path) -> Path:
    """Return where the next archive of a file goes."""
    latest = latest_archive(file)
    return file.parent / ARCHIVES / archive_name(file.stem, _number(latest) + 1 if latest is not None else 1)


def _number(archive: Path) -> int:
    found = _PART.search(archive.name)
    return int(found[1]) if found else 0
