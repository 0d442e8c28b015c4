"""The access log: what recall gave out, one JSON line an answer, only for its owner to read. No projection of anything.

Invariant: a file's name never comes back, so a place in it is named for good by the file's name and a byte offset.
Appending takes no lock: one `write` of whole lines to a file opened for appending, and two processes that begin a new
file at the same time begin two. Nothing is flushed to the disk: a lost line is a use that is not counted. A process
that was about to append when others filled the file may still do so, and its lines are read like the others.
"""

import errno
import json
import os
import time
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engram.base.disk.open_flags import NOFOLLOW
from engram.base.disk.open_flags import read_at
from engram.base.disk.own_files import open_own
from engram.base.disk.own_files import open_own_bytes
from engram.base.ids import new_id
from engram.base.json_lines import json_rows

FILE_BYTES = 1 << 20  # from which a file is full and another is begun
KEPT_FILES = 16  # files that stay; older ones go when all of their lines are counted

Row = dict[str, Any]


class AccessLog:
    """The files of one folder, in the order of their names the order in which they were begun."""

    def __init__(self, folder: Path, *, file_bytes: int = FILE_BYTES) -> None:
        """Take the folder; it is made with the first line."""
        self._folder = folder
        self._file_bytes = file_bytes

    def append(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write rows as JSON lines. Raises OSError when they cannot be written."""
        data = b"".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for row in rows)
        handle = self._open()
        try:
            size = os.fstat(handle).st_size
            if size and read_at(handle, 1, size - 1) != b"\n":
                data = b"\n" + data  # what a full disk cut short stays a line of its own
            if os.write(handle, data) < len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        finally:
            os.close(handle)

    def read_after(self, marks: Mapping[str, int]) -> tuple[list[Row], dict[str, int]]:
        """Return the rows behind the marks (file name -> bytes that were read), and the marks behind these rows.

        A line that is still being written waits; one that is no JSON object is passed over.
        """
        rows: list[Row] = []
        after: dict[str, int] = {}
        for file in self._files():
            begin = marks.get(file.name, 0)
            with open_own_bytes(file) as handle:
                handle.seek(begin)
                data = handle.read()
            whole = data[: data.rfind(b"\n") + 1]
            rows.extend(json_rows(whole))
            after[file.name] = begin + len(whole)
        return rows, after

    def rows(self) -> list[Row]:
        """Return every row that is kept, file by file."""
        return self.read_after({})[0]

    def prune(self, marks: Mapping[str, int]) -> int:
        """Remove all files but the newest that are read to their end, and return how many."""
        done = [file for file in self._files()[:-KEPT_FILES] if marks.get(file.name, -1) >= file.stat().st_size]
        for file in done:
            file.unlink(missing_ok=True)
        return len(done)

    def _files(self) -> list[Path]:
        return sorted(self._folder.glob("*.jsonl"))

    def _open(self) -> int:
        flags = os.O_RDWR | os.O_APPEND | NOFOLLOW
        for file in reversed(self._files()[-1:]):
            try:
                handle = open_own(file, flags)
            except FileNotFoundError:
                break
            if os.fstat(handle).st_size < self._file_bytes:
                return handle
            os.close(handle)
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return os.open(self._folder / f"{time.time_ns():020d}-{new_id()}.jsonl", flags | os.O_CREAT | os.O_EXCL, 0o600)
