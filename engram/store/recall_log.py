"""What was recalled for prompts, and what replies made of it: a JSON line each, in .engram/hooks/recalls.jsonl. Light.

No words of anybody stand here: ids, counts, and times. A file that is full becomes `recalls.jsonl.1`; there are never
more than these two. Appending takes no lock: one `write` of a whole line.
"""

import json
import os
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from typing import NamedTuple

from engram.base.disk.open_flags import NOFOLLOW
from engram.base.disk.own_files import open_own
from engram.base.disk.own_files import read_own
from engram.base.json_lines import json_rows

_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | NOFOLLOW
FILE_BYTES = 512 * 1024  # from which a file is full
PROMPT, REPLY = "prompt", "reply"  # kinds of rows
GIVEN = "given"  # outcome of a prompt: something was shown
NOTHING = "nothing"  # nothing relevant is known
UNUSED_FROM = 5  # replies that did without a memory, from which it counts as never used

Row = dict[str, Any]


class RecallLog:
    """The two files of one workspace."""

    def __init__(self, file: Path) -> None:
        """Take the newer file; it is made with the first row."""
        self._file = file
        self._older = file.with_name(f"{file.name}.1")

    def append(self, row: Mapping[str, Any]) -> None:
        """Write one row; raises OSError when it cannot be written."""
        line = json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        try:
            handle = open_own(self._file, _FLAGS)
        except FileNotFoundError:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = open_own(self._file, _FLAGS)
        try:
            os.write(handle, line)
            is_full = os.fstat(handle).st_size >= FILE_BYTES
        finally:
            os.close(handle)
        if is_full:
            self._file.replace(self._older)

    def rows(self) -> Iterator[Row]:
        """Yield every row that is kept, oldest first; what is no JSON object is passed over."""
        for file in (self._older, self._file):
            try:
                data = read_own(file)
            except FileNotFoundError:
                continue
            yield from json_rows(data)

    def stamp(self) -> tuple[int, ...]:
        """Return what changes when a row is added."""
        try:
            found = self._file.stat()
        except OSError:
            return ()
        return found.st_ino, found.st_size


class Uses(NamedTuple):
    """What replies made of one memory."""

    shown: int = 0  # replies before which it was shown
    used: int = 0  # those that shared its words

    def is_unused(self) -> bool:
        """Tell whether it was shown often enough to say that nobody uses it."""
        return self.shown >= UNUSED_FROM and not self.used


def uses_by_id(rows: Iterable[Row]) -> dict[str, Uses]:
    """Return what replies made of each memory that was shown before one."""
    uses: dict[str, Uses] = {}
    for row in rows:
        if row.get("kind") != REPLY:
            continue
        used = set(_texts(row.get("used")))
        for one in dict.fromkeys(_texts(row.get("shown"))):
            before = uses.get(one, Uses())
            uses[one] = Uses(before.shown + 1, before.used + (one in used))
    return uses


def _texts(value: object) -> list[str]:
    """Return the texts of a list; anybody may have written the file."""
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
