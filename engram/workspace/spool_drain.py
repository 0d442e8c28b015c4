"""Taking commands out of the spool: each file is applied, set aside, or left to the newer Engram that wrote it.

Invariant: what one file is never keeps another from being applied, and no file is deleted before its effect is in the
journal.
"""

import errno
from collections.abc import Callable
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from engram.base.json_values import load_json
from engram.base.log import warn
from engram.errors import MalformedInputError
from engram.errors import NewerFormatError
from engram.model.commands.command import CommandResult
from engram.model.commands.command import Envelope
from engram.services.commands.deciders import DECIDERS
from engram.services.commands.recorder import Recorder
from engram.store.spool import Spool
from engram.store.spool import is_as_written

_BATCH = 2000  # commands taken in at a time
_OURS = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)  # errors of this process, whatever file it wanted to read


def drain(spool: Spool, recorder: Recorder, acknowledged: Callable[[CommandResult], CommandResult]) -> None:
    """Apply the commands that wait now; those that come meanwhile are the next holder's.

    `acknowledged` makes of a result what whoever waits for it is told. So a store is never held for longer
    than what stood there takes.
    """
    for path in spool.newer():
        if _read(spool, path) is not None:
            spool.take_back(path)
    waiting = spool.waiting()
    for first in range(0, len(waiting), _BATCH):
        _apply(spool, recorder, waiting[first : first + _BATCH], acknowledged)


def _apply(
    spool: Spool,
    recorder: Recorder,
    paths: Sequence[Path],
    acknowledged: Callable[[CommandResult], CommandResult],
) -> None:
    read = [(path, envelope) for path in paths if (envelope := _take(spool, path)) is not None]
    results = recorder.record([envelope for _, envelope in read])
    for (path, envelope), result in zip(read, results, strict=True):
        if envelope.wants_result:
            _leave(spool, path, acknowledged(result))
        spool.remove(path)


def _leave(spool: Spool, path: Path, result: CommandResult) -> None:
    """Leave a result for whoever waits for it; where the disk takes none, they find it in the database themselves."""
    try:
        spool.leave_result(path.name, result.model_dump_json())
    except OSError as problem:
        warn(f"the result of a command could not be left for whoever waits for it: {problem.strerror}")


def _take(spool: Spool, path: Path) -> Envelope | None:
    """Return the command of a file; None when it was put where it keeps nobody waiting."""
    try:
        return read_envelope(spool.read(path))
    except FileNotFoundError:
        return None  # somebody took it away
    except NewerFormatError as newer:
        warn(f"{path.name} in the spool was {newer.message}; it waits for that one")
        spool.leave_alone(path)
    except (MalformedInputError, OSError) as problem:
        if isinstance(problem, OSError) and problem.errno in _OURS:
            raise
        _set_aside(spool, path, str(problem))
    return None


def _set_aside(spool: Spool, path: Path, why: str) -> None:
    try:
        kept = spool.reject(path, why)
    except OSError as problem:
        warn(f"{path.name} in the spool is no command and cannot be set aside: {problem.strerror}")
    else:
        warn(f"{path.name} in the spool is no command; kept as .engram/spool/rejected/{kept.name}")


def _read(spool: Spool, path: Path) -> Envelope | None:
    try:
        return read_envelope(spool.read(path))
    except (MalformedInputError, NewerFormatError, OSError):
        return None


def read_envelope(data: bytes) -> Envelope:
    """Return the command that a file of the spool holds.

    Raises NewerFormatError for one that a newer Engram wrote, MalformedInputError for what is no command, or is not as
    it was written.
    """
    found = _object(data)
    unknown = sorted(set(found) - set(Envelope.model_fields))
    version = found.get("v")
    if unknown or (isinstance(version, int) and version > 1):
        what = f"the field {unknown[0]}" if unknown else f"version {version}"
        raise NewerFormatError(f"written by a newer Engram ({what})")
    if found.get("crc") and not is_as_written(data):
        raise MalformedInputError("its checksum is wrong: it is not as it was written")
    try:
        envelope = Envelope.model_validate_json(data)
    except ValidationError as problem:
        raise MalformedInputError(str(problem)) from problem
    if envelope.kind not in DECIDERS:
        raise NewerFormatError(f"written by a newer Engram (the command {envelope.kind})")
    return envelope


def _object(data: bytes) -> dict[str, Any]:
    try:
        found = load_json(data)
    except ValueError as problem:
        raise MalformedInputError(f"it is no JSON: {problem}") from problem
    if not isinstance(found, dict):
        raise MalformedInputError("it is no JSON object")
    return found
