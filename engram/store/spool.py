"""The spool: one file per command, durable as soon as it is renamed into place. Light: hooks write here.

Invariant: a file named `<time>-<pid>-<id>.json` is a whole envelope; anything else in the folder is not. The pid is
that of the process that waits for the result, 0 when nobody does.
No lock is taken: names never collide, and only the holder of the store lock takes files away.

Of the processes that wait, the one whose command is the oldest goes for the store lock and applies everybody's; the
others only look for their result (measured: 16 writers that each load the database engine manage 2 commands/s). Once it
has it open, it may go on for a moment with what others wait for, and says so (`serve`).
"""

import binascii
import contextlib
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engram.base.disk.faults import fault_point
from engram.base.disk.files import fsync_folder
from engram.base.disk.files import make_folder
from engram.base.disk.files import write_atomically
from engram.base.disk.files import write_durably
from engram.base.disk.own_files import read_own
from engram.base.disk.safe_files import read_within
from engram.base.machine.processes import is_alive
from engram.errors import MalformedInputError
from engram.language.screen.redaction import redact_value
from engram.language.screen.redaction import require_no_secret
from engram.store.encryption.cipher import UndecryptableError
from engram.store.encryption.store_cipher import StoreCipher

_CRC = "crc"  # last field of an envelope
_CRC_MARK = f', "{_CRC}": "'.encode()
_MOST_BYTES = 1 << 30  # of one command
_POLL_S = 0.02  # between two looks for a result, at first
# Share of the time waited already, which is then between two looks: many who wait long leave others the processor.
_LATER = 0.05
_MOST_POLL_S = 0.1
_SERVING = "serving-"  # begins the name of a file beside the results; after it stands a pid
_SERVES_S = 5.0  # for which such a file counts after it was touched


class Spool:
    """The folder where commands wait, with the results that somebody waits for beside it."""

    def __init__(self, folder: Path) -> None:
        """Take the folder; it is made when the first command comes."""
        self._folder = folder
        self._cipher = StoreCipher.beside(folder)
        self._results = folder / "results"
        self._rejected = folder / "rejected"
        self._newer = folder / "newer"

    def put(self, envelope: Mapping[str, Any]) -> Path:
        """Write one command durably, without secrets, and return its file. Files sort in the order of their writing.

        Raises BadValueError when its id holds a secret: that is kept to the letter.
        """
        require_no_secret("the id of a command", str(envelope["id"]))
        make_folder(self._folder)
        waiter = os.getpid() if envelope.get("wants_result") else 0
        path = self._folder / f"{self._next_time():020d}-{waiter}-{envelope['id']}.json"
        cleaned = {**envelope, "args": redact_value(envelope["args"])}
        cleaned.pop(_CRC, None)
        command = _with_crc(json.dumps(cleaned, ensure_ascii=False))
        write_durably(path, self._cipher.encrypt_command(command, path.name))
        return path

    def _next_time(self) -> int:
        """Return the time of a new name: now, or after the last that waits where the clock has gone back."""
        last = max(self._names(), default="")
        return max(time.time_ns(), int(last.partition("-")[0]) + 1 if _has_time(last) else 0)

    def read(self, path: Path) -> bytes:
        """Return what was put into a file of the spool. Raises OSError for what is no regular file, too.

        In an encrypted store raises EncryptionKeyError without the key, and MalformedInputError for what has changed.
        """
        data = read_within(path.parent, path.name, most_bytes=_MOST_BYTES)
        try:
            return self._cipher.decrypt_command(data, path.name)
        except UndecryptableError as problem:
            raise MalformedInputError(str(problem)) from problem

    def waiting(self) -> list[Path]:
        """Return the files of commands that wait, oldest first."""
        return [self._folder / name for name in sorted(self._names())]

    def _names(self) -> list[str]:
        """Return the names of those files in any order: writers look through thousands of them, and make no paths."""
        try:
            names = os.listdir(self._folder)  # noqa: PTH208 - names only, and thousands of them
        except FileNotFoundError:
            return []
        return [name for name in names if name.endswith(".json") and not name.startswith(".")]

    def find(self, command_id: str) -> Path | None:
        """Return the file of a waiting command, or None."""
        return next((path for path in (*self.waiting(), *self.newer()) if _id_in(path.name) == command_id), None)

    def remove(self, path: Path) -> None:
        """Take away a command whose effect is in the journal."""
        fault_point("before-spool-removal")
        path.unlink(missing_ok=True)
        fault_point("after-spool-removal")

    def await_result(self, name: str, deadline: float) -> str | None:
        """Wait until the result of a command is there and return it; None when this process should apply it itself.

        `name` is that of its file: of two commands with one id each has a result of its own.

        That is when its command is the oldest that a living process waits for, or is no longer there, or when
        `deadline` (of time.monotonic) has passed. With others about it looks twice: one of them may have it in hand.
        """
        is_next = False
        begun = time.monotonic()
        while (now := time.monotonic()) < deadline:
            if (result := self.take_result(name)) is not None:
                return result
            was_next, is_next = is_next, not self._is_served() and self._is_first(name)
            if is_next and (was_next or self._is_only(name)):
                return None
            time.sleep(min(max(_POLL_S, (now - begun) * _LATER), _MOST_POLL_S))
        return self.take_result(name)

    def serve(self) -> None:
        """Say that this process has the store open and takes in what others wait for; holds for some seconds."""
        with contextlib.suppress(OSError):  # then the others open it as well
            make_folder(self._results)
            self._own_mark.touch(mode=0o600)  # which also says when

    def end_serving(self) -> None:
        """Say that it does no more."""
        with contextlib.suppress(OSError):
            self._own_mark.unlink(missing_ok=True)

    @property
    def _own_mark(self) -> Path:
        return self._results / f"{_SERVING}{os.getpid()}"

    def _is_served(self) -> bool:
        """Tell whether another process says that it takes in what waits: so nobody else has to open the store."""
        try:
            marks = [name for name in os.listdir(self._results) if name.startswith(_SERVING)]  # noqa: PTH208 - as above
            told = [(name, (self._results / name).stat().st_mtime) for name in marks]
        except FileNotFoundError:
            return False
        return any(
            abs(time.time() - since) < _SERVES_S and is_alive(int(name.removeprefix(_SERVING)))
            for name, since in told
            if name.removeprefix(_SERVING).isdecimal()
        )

    def is_awaited(self) -> bool:
        """Tell whether a living process waits for a command that nobody has taken in yet."""
        return any((waiter := _waiter(name)) and is_alive(waiter) for name in self._names())

    def _is_first(self, own: str) -> bool:
        for name in sorted(self._names()):
            waiter = _waiter(name)
            if name == own:
                return True
            if waiter and is_alive(waiter):
                return False
        return True

    def _is_only(self, own: str) -> bool:
        """Tell whether the command waits, and no living process waits for another."""
        awaited = [name for name in self._names() if (waiter := _waiter(name)) and is_alive(waiter)]
        return awaited == [own]

    def reject(self, path: Path, reason: str) -> Path:
        """Set aside a file that is no envelope, with the reason beside it; it is never deleted."""
        make_folder(self._rejected)
        target = self._rejected / path.name
        path.replace(target)
        told = target.with_suffix(".reason.txt")
        write_atomically(told, self._cipher.encrypt_file(reason.encode(), told.name), mode=0o600)
        return target

    def leave_alone(self, path: Path) -> None:
        """Put a command that a newer Engram spooled where it waits for that one; it keeps its name and its place."""
        make_folder(self._newer)
        path.replace(self._newer / path.name)
        fsync_folder(self._newer)

    def newer(self) -> list[Path]:
        """Return the files of commands that wait for a newer Engram, oldest first."""
        return sorted(self._newer.glob("*.json")) if self._newer.is_dir() else []

    def take_back(self, path: Path) -> None:
        """Let a command that was left alone wait with the others again: this Engram is new enough."""
        path.replace(self._folder / path.name)

    def rejected(self) -> list[Path]:
        """Return the files that were set aside, oldest first."""
        return sorted(self._rejected.glob("*.json")) if self._rejected.is_dir() else []

    def leave_result(self, name: str, result: str) -> None:
        """Leave a result (JSON text) for the process that waits for it, under the name of the command's file."""
        make_folder(self._results)
        path = self._results / name
        write_atomically(path, self._cipher.encrypt_file(result.encode(), path.name), mode=0o600)

    def take_result(self, name: str) -> str | None:
        """Return and remove the result left for the command of a file, or None when it is not there yet."""
        path = self._results / name
        try:
            if not os.path.exists(path):  # noqa: PTH110 - those who wait look fifty times a second
                return None
            result = self._cipher.decrypt_file(read_own(path), path.name)
        except (FileNotFoundError, UndecryptableError):
            return None
        path.unlink(missing_ok=True)
        return result.decode()

    def clear_results(self, older_than_s: float) -> int:
        """Remove results that nobody fetched for that many seconds; return how many. They are copies."""
        if not self._results.is_dir():
            return 0
        limit, cleared = time.time() - older_than_s, 0
        for path in self._results.iterdir():
            with contextlib.suppress(FileNotFoundError):  # fetched meanwhile, or a process has ended that served others
                if path.stat().st_mtime < limit:
                    path.unlink()
                    cleared += 1
        return cleared


def _has_time(name: str) -> bool:
    return name.partition("-")[0].isdecimal()


def is_as_written(data: bytes) -> bool:
    """Tell whether an envelope has the checksum that was written with it; those of before 0.8 have none."""
    body, mark, stated = data.rpartition(_CRC_MARK)
    return not mark or stated == f'{binascii.crc32(body + b"}"):08x}"}}'.encode()


def _with_crc(body: str) -> bytes:
    """Return the JSON of an envelope with its CRC-32 as the last field."""
    data = body.encode()
    return data[:-1] + _CRC_MARK + f'{binascii.crc32(data):08x}"}}'.encode()


def _id_in(name: str) -> str:
    """Return the id in the name of a command's file; "" when the file is no command."""
    parts = name.removesuffix(".json").split("-", 2)
    return parts[2] if len(parts) > 2 else ""


def _waiter(name: str) -> int:
    """Return the pid in the name of a command's file; 0 when nobody waits or the file is no command."""
    parts = name.split("-", 2)
    return int(parts[1]) if len(parts) > 2 and parts[1].isdigit() else 0
