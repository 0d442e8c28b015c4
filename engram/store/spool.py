"""The spool: one file per command, durable as soon as it is renamed into place. Light: hooks write here.

Invariant: a file named `<time>-<id>.json` is a whole envelope; anything else in the folder is not.
No lock is taken: names never collide, and only the holder of the store lock takes files away.
"""

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engram.base.files import write_atomically
from engram.base.files import write_durably


class Spool:
    """The folder where commands wait, with the results that somebody waits for beside it."""

    def __init__(self, folder: Path) -> None:
        """Take the folder; it is made when the first command comes."""
        self._folder = folder
        self._results = folder / "results"
        self._rejected = folder / "rejected"

    def put(self, envelope: Mapping[str, Any]) -> Path:
        """Write one command durably and return its file. Files sort in the order of their writing."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._folder / f"{time.time_ns():020d}-{envelope['id']}.json"
        write_durably(path, json.dumps(envelope, ensure_ascii=False).encode())
        return path

    def waiting(self) -> list[Path]:
        """Return the files of commands that wait, oldest first."""
        try:
            names = os.listdir(self._folder)
        except FileNotFoundError:
            return []
        return [self._folder / name for name in sorted(names) if name.endswith(".json") and not name.startswith(".")]

    def find(self, command_id: str) -> Path | None:
        """Return the file of a waiting command, or None."""
        return next((path for path in self.waiting() if path.name.endswith(f"-{command_id}.json")), None)

    def remove(self, path: Path) -> None:
        """Take away a command whose effect is in the journal."""
        path.unlink(missing_ok=True)

    def reject(self, path: Path, reason: str) -> Path:
        """Set aside a file that is no envelope, with the reason beside it; it is never deleted."""
        self._rejected.mkdir(mode=0o700, exist_ok=True)
        target = self._rejected / path.name
        path.replace(target)
        write_atomically(target.with_suffix(".reason.txt"), reason.encode(), mode=0o600)
        return target

    def rejected(self) -> list[Path]:
        """Return the files that were set aside, oldest first."""
        return sorted(self._rejected.glob("*.json")) if self._rejected.is_dir() else []

    def leave_result(self, command_id: str, result: str) -> None:
        """Leave a result (JSON text) for the process that waits for it."""
        self._results.mkdir(mode=0o700, exist_ok=True)
        write_atomically(self._results / f"{command_id}.json", result.encode(), mode=0o600)

    def take_result(self, command_id: str) -> str | None:
        """Return and remove the result left for a command, or None when it is not there yet."""
        path = self._results / f"{command_id}.json"
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        path.unlink(missing_ok=True)
        return text

    def clear_results(self, older_than_s: float) -> int:
        """Remove results that nobody fetched for that many seconds; return how many. They are copies."""
        if not self._results.is_dir():
            return 0
        limit = time.time() - older_than_s
        stale = [path for path in self._results.iterdir() if path.stat().st_mtime < limit]
        for path in stale:
            path.unlink(missing_ok=True)
        return len(stale)
