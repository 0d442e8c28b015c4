"""Handoffs: what one session leaves for the next: the current one in the silo's handoff.md, earlier ones beside it.

A new version never takes an old one away: the file itself moves to `archives/handoff-0001.md`, as a rotated note does,
so the bytes that a fact was drawn from stand where it is known to look for them. Writers of one silo take turns, and at
every moment there is a whole handoff.
"""

import datetime as dt
import re
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.base.clock import from_iso
from engram.base.clock import to_iso
from engram.ports.text_files import TextFiles
from engram.rules.notes.rotation import ARCHIVES
from engram.services.silo.archives import list_archives
from engram.services.silo.folder import clean_text
from engram.services.silo.folder import read_silo_file
from engram.services.silo.folder import replace_file
from engram.services.silo.folder import writing_silo

HANDOFF: Final = "handoff.md"
_TITLE = "# Handoff"
_STAMP = re.compile(r"<!-- written (\S+); version (\d{1,9}) -->")


class Handoff(NamedTuple):
    """One version of a handoff."""

    text: str
    version: int  # from 1
    written_at: dt.datetime | None  # None: a person wrote the file, and nobody knows when
    path: str  # relative to the workspace

    def age_days(self, now: dt.datetime) -> int | None:
        """Return how many whole days ago it was written; None when nobody knows."""
        return None if self.written_at is None else max(0, (now - self.written_at).days)

    def shown(self, now: dt.datetime) -> dict[str, Any]:
        """Return it as every door shows it, with its age in whole days."""
        written_at = None if self.written_at is None else to_iso(self.written_at)
        return {**self._asdict(), "written_at": written_at, "age_days": self.age_days(now)}


def read_handoff(files: TextFiles, folder: str) -> Handoff | None:
    """Return the current handoff of a silo, given by its folder; None when there is none. Raises RefusedError."""
    path = f"{folder}/{HANDOFF}"
    return parse_handoff(read_silo_file(files, path), path)


def list_handoffs(files: TextFiles, folder: str) -> list[Handoff]:
    """Return every version of a silo's handoff, the current one first, then the latest. Raises RefusedError."""
    older = [f"{folder}/{ARCHIVES}/{file.name}" for file in list_archives(files, files.paths.root / folder / HANDOFF)]
    found = [parse_handoff(read_silo_file(files, path), path) for path in [f"{folder}/{HANDOFF}", *reversed(older)]]
    versions = [one for one in found if one is not None]
    # A writer that died left the current one in the archives, too.
    return [
        one
        for place, one in enumerate(versions)
        if place == 0 or one._replace(path="") != versions[0]._replace(path="")
    ]


def write_handoff(files: TextFiles, folder: str, text: str, *, now: dt.datetime) -> Handoff:
    """Write a new version of a silo's handoff, and keep the one before. When this returns, it survives a crash.

    Raises BadValueError for text that is empty, too long or holds control characters, and RefusedError.
    """
    cleaned = clean_text(text, "handoff")
    with writing_silo(files, folder) as place:
        before = read_handoff(files, folder)
        version = before.version + 1 if before else len(list_archives(files, place / HANDOFF)) + 1
        replace_file(
            files, place / HANDOFF, f"{_TITLE}\n\n<!-- written {to_iso(now)}; version {version} -->\n\n{cleaned}\n"
        )
    return Handoff(cleaned, version, now, f"{folder}/{HANDOFF}")


def parse_handoff(content: str, path: str) -> Handoff | None:
    """Return what a file says as a handoff, None for one that says nothing."""
    stamp = _STAMP.search(content)
    text = content.strip().removeprefix(_TITLE)
    text = (text.replace(stamp[0], "", 1) if stamp else text).strip()
    if not text:
        return None
    return Handoff(text, int(stamp[2]) if stamp else 1, _instant(stamp[1]) if stamp else None, path)


def _instant(text: str) -> dt.datetime | None:
    try:
        return from_iso(text)
    except ValueError:
        return None
