"""The list of imports: one watermark each, written with every record of that import, so the journal knows whose it is.

Invariant: a journal record was made by import N exactly when it carries the watermark (import, N).
"""

import json
from collections.abc import Mapping
from typing import Any
from typing import NamedTuple

from engram.base.text import sha256_hex
from engram.errors import NotFoundError
from engram.model.conversation import Watermark

CONSUMER = "import"
UNDO = "undo."  # begins the id of the command that takes back what a command of an import made


class KeptFile(NamedTuple):
    """A file that an import wrote."""

    path: str  # relative to the workspace
    source: str  # SHA-256 of the text in the source
    sha256: str  # of the file as it was written
    added: bool = False  # it was there, and text was added to its end
    home: str = ""  # path of the entity that its lines belong to when they name nobody; "": as the file's path says
    home_title: str = ""  # for when that has to be made


class ImportEntry(NamedTuple):
    """What is remembered of one import."""

    id: str  # import-0001
    format: str
    source: str  # file or folder, as it was named
    at: str  # when, ISO 8601
    commands: int = 0  # that it made
    files: tuple[KeptFile, ...] = ()
    undone_at: str | None = None

    def as_mark(self) -> Watermark:
        """Return the watermark that stands for it."""
        fields = {**self._asdict(), "files": [list(file) for file in self.files]}
        del fields["id"]
        return Watermark(consumer=CONSUMER, key=self.id, value=json.dumps(fields, ensure_ascii=False))

    def as_json(self) -> dict[str, Any]:
        """Return the JSON shape of the command line."""
        return {**self._asdict(), "files": [file.path for file in self.files]}


def read_entries(marks: Mapping[str, str]) -> list[ImportEntry]:
    """Return the imports of a workspace, oldest first, from the watermarks of their consumer."""
    return [_entry(key, json.loads(value)) for key, value in sorted(marks.items())]


def homes_of_files(marks: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return (path, title) of the home of each imported file that has one, by the file's path in the workspace."""
    files = (file for entry in read_entries(marks) if entry.undone_at is None for file in entry.files)
    return {file.path: (file.home, file.home_title) for file in files if file.home}


def get_entry(marks: Mapping[str, str], import_id: str) -> ImportEntry:
    """Return one import; raise NotFoundError that names the latest."""
    if import_id not in marks:
        known = ", ".join(sorted(marks)[-3:])
        hint = f"engram import --list; the latest: {known}" if known else "nothing was imported yet"
        raise NotFoundError(f"there is no import {import_id!r}", hint=hint, near=sorted(marks)[-3:])
    return _entry(import_id, json.loads(marks[import_id]))


def next_id(marks: Mapping[str, str]) -> str:
    """Return the id of the next import."""
    return f"import-{len(marks) + 1:04d}"


def command_id(*parts: object) -> str:
    """Return the id of a command made of what it says and where it stands: the same again is the same command."""
    content = json.dumps(parts, ensure_ascii=True, sort_keys=True, default=str)
    return f"import.{sha256_hex(content)[:32]}"


def _entry(import_id: str, fields: dict[str, Any]) -> ImportEntry:
    files = tuple(KeptFile(*file) for file in fields.pop("files"))
    return ImportEntry(id=import_id, files=files, **fields)
