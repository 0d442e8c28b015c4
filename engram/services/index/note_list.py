"""Which notes the index holds, as they stood when they were read: a file beside it, a line for all and a line of each.

Invariant: the list belongs to an index that keeps the same mark. An index without a mark, or with another, was touched
by who did not finish, or made anew: then the list is worth nothing, and what the index holds is asked of itself.
The list is derived and holds no text.
"""

import datetime as dt
import json
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.base.disk.files import write_atomically
from engram.base.disk.own_files import open_own_bytes
from engram.base.disk.own_files import read_own
from engram.base.text import sha256_hex
from engram.services.index.note_files import Stamp

MAKING: Final = 3  # to be raised when the same file gives other documents than before
_FORMAT = 1


class NotePlaces(NamedTuple):
    """Where the notes of a workspace lie, and the list of those that were read."""

    root: Path
    folder: str  # relative to the root
    list_file: Path


class Recipe(NamedTuple):
    """What the settings make of a note: documents of another recipe are made anew."""

    agent: str  # that owns the workspace
    zone: dt.tzinfo  # whose days the days are
    patterns: Sequence[str] = ()  # the settings' own signs of an order

    def digest(self) -> str:
        """Return the SHA-256 of all of it."""
        return sha256_hex(repr((MAKING, self.agent, str(self.zone), tuple(self.patterns))))


class Known(NamedTuple):
    """One note as it was read."""

    stamp: Stamp | None  # None: it is to be looked at again
    sha256: str  # of its bytes; empty when it could not be read, or nobody knows
    ids: tuple[str, ...]  # of its documents


class Heading(NamedTuple):
    """What is known of all notes together."""

    mark: str = ""  # the one that the index keeps
    look: str = ""  # digest of all stamps; empty when some note was not read, or not at rest
    is_settled: bool = False  # whether none can have changed since without another stamp
    recipe: str = ""  # digest of what besides the files makes the documents what they are
    apart: Mapping[str, str] = {}  # name -> scope of the sessions that are kept apart


def read_heading(file: Path) -> Heading:
    """Return what the list says of all notes, without reading on; nothing when there is no list that can be read."""
    try:
        with open_own_bytes(file) as lines:
            return _heading(lines.readline())
    except (OSError, ValueError, TypeError):
        return Heading()


def read_list(file: Path, mark: str) -> tuple[Heading, dict[str, Known]] | None:
    """Return the list that belongs to an index with that mark, by path; None when there is none."""
    try:
        first, _, rest = read_own(file).partition(b"\n")
        heading = _heading(first)
        return (heading, dict(map(_known, json.loads(rest)))) if mark and heading.mark == mark else None
    except (OSError, ValueError, TypeError):
        return None


def ids_of_note(file: Path, mark: str, path: str) -> tuple[str, ...]:
    """Return the ids of what an index with that mark holds of a note; none when nobody knows of it."""
    found = read_list(file, mark)
    known = found[1].get(path) if found else None
    return known.ids if known else ()


def write_list(file: Path, heading: Heading, known: Mapping[str, Known]) -> None:
    """Write the list whole; one that a crash loses is made again."""
    first = json.dumps({"v": _FORMAT, **heading._asdict()})
    rest = json.dumps([(path, *one) for path, one in known.items()])
    write_atomically(file, f"{first}\n{rest}\n".encode(), mode=0o600)


def _heading(line: bytes) -> Heading:
    fields = json.loads(line)
    if fields.pop("v") != _FORMAT:
        raise ValueError("a list of another format")
    return Heading(**fields)


def _known(row: list[Any]) -> tuple[str, Known]:
    path, stamp, sha256, ids = row
    return path, Known(Stamp(*stamp) if stamp else None, sha256, tuple(ids))
