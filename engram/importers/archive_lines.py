"""The archive: one JSON object a line, and a last line that tells whether all of them are there.

    {"kind": "engram-archive", "version": 1}
    {"kind": "record", "record": {...}}                  one record of the journal, byte for byte, in order
    {"kind": "file", "path": ..., "size": ..., "sha256": ..., "text": ...}     or "base64" for what is no UTF-8 text
    {"kind": "part", "base64": ...}                      more of the file above, as often as it takes
    {"kind": "end", "records": ..., "files": ..., "sha256": ...}               of all the lines before it

No clock and no name of the machine stands in it: the same store gives the same bytes.
"""

import base64
import binascii
import hashlib
import json
from collections.abc import Iterable
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from typing import BinaryIO
from typing import NamedTuple

from engram.base.json_values import load_json
from engram.base.text import sha256_hex
from engram.errors import MalformedInputError

VERSION = 1
PART_BYTES = 1 << 20  # of a file in one line
MAX_HEAD_BYTES = 1 << 10  # of the first line, which says what it is
MAX_LINE_BYTES = 1 << 30  # of one line: a record of the journal can hold many long turns
_HEAD = b'{"kind":"engram-archive","version":%d}\n'
_RECORD_BEGIN, _RECORD_END = b'{"kind":"record","record":', b"}"
_NO_ARCHIVE, _MAKES_ONE = "it is no archive of Engram", "engram export --format jsonl makes one"
_HINT = "export it again; nothing was imported"


class ArchiveFile(NamedTuple):
    """One file, as the archive announces it."""

    path: str  # relative to the workspace
    size: int  # bytes
    sha256: str


class FilePart(NamedTuple):
    """A piece of the file that was announced last."""

    data: bytes


class ArchiveRecord(NamedTuple):
    """One record of the journal."""

    body: bytes  # its JSON, as the journal holds it


ArchiveLine = ArchiveRecord | ArchiveFile | FilePart


class ArchiveWriter:
    """Writes an archive as it comes, and counts and hashes what it writes."""

    def __init__(self, out: BinaryIO) -> None:
        """Take where to, and write the first line."""
        self._out = out
        self._hash = hashlib.sha256()
        self.records = 0
        self.files = 0
        self._write(_HEAD % VERSION)

    def add_record(self, body: bytes) -> None:
        """Write a record."""
        self.records += 1
        self._write(_RECORD_BEGIN + body + _RECORD_END + b"\n")

    def add_file(self, path: str, source: Path) -> None:
        """Write a file, in one line when it is small and text."""
        data = source.read_bytes() if source.stat().st_size <= PART_BYTES else None
        digest, size = (sha256_hex(data), len(data)) if data is not None else _measure(source)
        fields: dict[str, Any] = {"kind": "file", "path": path, "size": size, "sha256": digest}
        self.files += 1
        if data is None:
            self._add_parts(fields, source)
            return
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            self._write(_line({**fields, "base64": base64.b64encode(data).decode()}))
            return
        # The path may hold what is no UTF-8, escaped; the text stays readable.
        head = json.dumps(fields, separators=(",", ":"))[:-1]
        self._write(f'{head},"text":{json.dumps(text, ensure_ascii=False)}}}\n'.encode())

    def close(self) -> None:
        """Write the last line."""
        digest = self._hash.hexdigest()
        self._write(_line({"kind": "end", "records": self.records, "files": self.files, "sha256": digest}))

    def _add_parts(self, fields: dict[str, Any], source: Path) -> None:
        with source.open("rb") as file:
            fields["base64"] = base64.b64encode(file.read(PART_BYTES)).decode()
            self._write(_line(fields))
            while data := file.read(PART_BYTES):
                self._write(_line({"kind": "part", "base64": base64.b64encode(data).decode()}))

    def _write(self, line: bytes) -> None:
        self._hash.update(line)
        self._out.write(line)


def read_archive(handle: BinaryIO) -> Iterator[ArchiveLine]:
    """Yield what an archive holds, in order; the whole is sound only when this ends without an error.

    Raises MalformedInputError that names the line: for what is no archive, one of a later version, one that is cut off
    or was changed.
    """
    digest = hashlib.sha256()
    counts = {"records": 0, "files": 0}
    for number, line in enumerate(_lines(handle), 1):
        if number == 1:
            _check_head(line)
        elif line.startswith(_RECORD_BEGIN):
            counts["records"] += 1
            yield ArchiveRecord(_body(line, number))
        else:
            fields = _fields(line, number)
            if fields.get("kind") == "end":
                _check_end(fields, {**counts, "sha256": digest.hexdigest()}, handle, number)
                return
            counts["files"] += fields.get("kind") == "file"
            yield from _pieces(fields, number)
        digest.update(line)
    raise MalformedInputError("the archive is cut off: its last line is missing", hint=_HINT)


def _lines(handle: BinaryIO) -> Iterator[bytes]:
    most = MAX_HEAD_BYTES
    while line := handle.readline(most + 1):
        if len(line) > most == MAX_HEAD_BYTES:
            raise MalformedInputError(_NO_ARCHIVE, hint=_MAKES_ONE)
        most = MAX_LINE_BYTES
        if len(line) > most or not line.endswith(b"\n"):
            raise MalformedInputError("the archive is cut off in the middle of a line", hint=_HINT)
        yield line


def _check_head(line: bytes) -> None:
    fields = _fields(line, 1)
    if fields.get("kind") != "engram-archive":
        raise MalformedInputError(_NO_ARCHIVE, hint=_MAKES_ONE)
    if fields.get("version") != VERSION:
        message = f"the archive is of version {fields.get('version')!r}; this one reads {VERSION}"
        raise MalformedInputError(message, hint="import it with the version of Engram that made it, or a newer one")


def _check_end(fields: dict[str, Any], found: dict[str, Any], handle: BinaryIO, number: int) -> None:
    for name, value in found.items():
        if fields.get(name) != value:
            raise MalformedInputError(f"the archive was changed or cut: {name} in its last line differs", hint=_HINT)
    if handle.read(1):
        raise MalformedInputError(f"line {number + 1}: the archive goes on behind its last line", hint=_HINT)


def _body(line: bytes, number: int) -> bytes:
    body = line.removesuffix(b"\n")
    if not body.endswith(_RECORD_END):
        raise MalformedInputError(f"line {number} is no record", hint=_HINT)
    return body[len(_RECORD_BEGIN) : -len(_RECORD_END)]


def _fields(line: bytes, number: int) -> dict[str, Any]:
    try:
        fields = load_json(line)
    except ValueError as problem:
        what = _NO_ARCHIVE if number == 1 else f"line {number} is not JSON"
        raise MalformedInputError(what, hint=_HINT) from problem
    if not isinstance(fields, dict):
        raise MalformedInputError(f"line {number} is not a JSON object", hint=_HINT)
    return fields


def _pieces(fields: dict[str, Any], number: int) -> Iterable[ArchiveLine]:
    try:
        data = str(fields["text"]).encode() if "text" in fields else base64.b64decode(fields["base64"], validate=True)
        if fields["kind"] == "part":
            return (FilePart(data),)
        if fields["kind"] == "file":
            return ArchiveFile(str(fields["path"]), int(fields["size"]), str(fields["sha256"])), FilePart(data)
    except (KeyError, TypeError, ValueError, binascii.Error) as problem:
        raise MalformedInputError(f"line {number} is no file", hint=_HINT) from problem
    raise MalformedInputError(f"line {number} is of no kind that is known here", hint=_HINT)


def _line(fields: dict[str, Any]) -> bytes:
    return json.dumps(fields, separators=(",", ":")).encode() + b"\n"


def _measure(path: Path) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    with path.open("rb") as file:
        while data := file.read(PART_BYTES):
            digest.update(data)
            size += len(data)
    return digest.hexdigest(), size
