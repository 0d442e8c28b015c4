"""What `rewrite` has written, put into place: only when it is what was written, and all of it.

`complete` names every segment with its SHA-256. Engram 0.16.0 and before left it empty: then the segments, with those
that already have their place, must form a whole chain.
"""

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final
from typing import Literal

from pydantic import ValidationError

from engram.base.disk.faults import fault_point
from engram.base.disk.files import fsync_folder
from engram.base.disk.own_files import read_own
from engram.base.text import sha256_hex
from engram.errors import DamagedJournalError
from engram.errors import UnreadableJournalError
from engram.model.changes.record import GENESIS
from engram.model.value import Value
from engram.store.encryption.cipher import UndecryptableError
from engram.store.encryption.store_cipher import StoreCipher
from engram.store.journal.line import place_of

FOLDER: Final = "rewriting"
COMPLETE: Final = "complete"
_SEGMENT: Final = re.compile(r"[0-9]{12,}\.jsonl(\.gz)?")
_WAY_OUT: Final = (
    "move .engram/journal/rewriting out of .engram, then run engram doctor, and engram forget --resume if something was"
    " being forgotten"
)

Contents = Callable[[Path], bytes]


class Written(Value):
    """What `complete` says."""

    v: Literal[1] = 1
    segments: dict[str, str]  # name -> SHA-256 of the file


def finish_rewriting(folder: Path, content: Contents) -> None:
    """Put rewritten segments into place; safe to do twice, and by two processes at once.

    `content` gives the lines of a segment. Raises DamagedJournalError, with nothing moved, for other segments.
    """
    fresh = folder / FOLDER
    said = _said(fresh)
    while said is not None and (problem := _difference(folder, said, content)):
        if (now := _said(fresh)) == said:
            raise DamagedJournalError(
                f"journal/{FOLDER} does not hold what was written there: {problem}", hint=_WAY_OUT, path=FOLDER
            )
        said = now  # another process was first, and appended to what it had put into place
    if said is None:
        return
    for path in _waiting(fresh):
        try:
            path.replace(folder / path.name)
        except FileNotFoundError:  # another process was first
            continue
        fault_point("segment-replaced")
    fsync_folder(folder)
    (fresh / COMPLETE).unlink(missing_ok=True)
    shutil.rmtree(fresh, ignore_errors=True)
    fsync_folder(folder)  # what is appended from now on must not meet the hashes again after a crash


def _said(fresh: Path) -> bytes | None:
    """Return what stands in `complete`; None when it is gone."""
    try:
        return read_own(fresh / COMPLETE)
    except FileNotFoundError:
        return None
    except OSError as problem:
        message = f"journal/{FOLDER}/{COMPLETE} cannot be read"
        raise DamagedJournalError(message, hint=_WAY_OUT, path=FOLDER) from problem


def _waiting(fresh: Path) -> list[Path]:
    return sorted(fresh.glob("[0-9]*"))


def _difference(folder: Path, said: bytes, content: Contents) -> str:
    """Return in what the segments are not those that were written; "" when they are."""
    if not said:
        return _break_in_chain(folder, content)
    try:
        written = Written.model_validate_json(said).segments
    except ValidationError:
        return f"{COMPLETE} does not read"
    for name in sorted({*written, *(path.name for path in _waiting(folder / FOLDER))}):
        if name not in written or not _SEGMENT.fullmatch(name):
            return f"{name} is none of its segments"
        if _digest(folder / FOLDER / name, folder / name) != written[name]:
            return f"{name} is another"
    return ""


def _digest(*places: Path) -> str:
    """Return the SHA-256 of a segment in the first place where it is; "" where it is in none, or no file."""
    for path in places:
        try:
            return sha256_hex(read_own(path))
        except FileNotFoundError:
            continue
        except OSError:
            return ""
    return ""


def _break_in_chain(folder: Path, content: Contents) -> str:
    """Return where the journal would break that the segments form with those in place; "" for nowhere."""
    found: dict[int, Path] = {}
    for path in [*_waiting(folder / FOLDER), *sorted(folder.glob("[0-9]*"))]:
        if not _SEGMENT.fullmatch(path.name):
            return f"{path.name} is no segment"
        found.setdefault(int(path.name.partition(".")[0]), path)
    cipher = StoreCipher.beside(folder)
    expected = (1, GENESIS)
    for first, path in sorted(found.items()):
        try:
            lines = content(path).split(b"\n")
            if first != expected[0] or lines.pop():
                return f"{path.name} does not continue what comes before it"
            for line in map(cipher.decrypt_line, lines):
                if place_of(line, path.name) != expected:
                    return f"{path.name} does not continue what comes before it"
                expected = expected[0] + 1, sha256_hex(line)
        except (UnreadableJournalError, UndecryptableError, OSError):
            return f"{path.name} does not read"
    return ""
