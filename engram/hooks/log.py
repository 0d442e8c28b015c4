"""Where hooks leave word: errors in .engram/hooks.log, and when each hook fired last. Light."""

import os
from pathlib import Path

from engram.base.clock import to_iso
from engram.base.clock import utc_now
from engram.base.disk.files import make_folder
from engram.base.disk.open_flags import NOFOLLOW
from engram.base.disk.own_files import open_own
from engram.config.paths import Paths
from engram.errors import RefusedError

_LOG_BYTES = 256 * 1024  # size from which hooks.log becomes hooks.log.1
_MOST_CHARS = 500  # of one line


def log(paths: Paths, line: str) -> None:
    """Append a line without secrets; what cannot be written is dropped: a full disk must not stop the host."""
    file = paths.hooks_log
    try:
        if file.exists() and file.stat().st_size > _LOG_BYTES:
            file.replace(file.with_name("hooks.log.1"))
        handle = open_own(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | NOFOLLOW)
        with os.fdopen(handle, "a", encoding="utf-8", errors="backslashreplace") as out:
            # Cut first, a secret at the cut would not be known for one.
            out.write(f"{to_iso(utc_now())} {without_secrets(' '.join(line.split()))[:_MOST_CHARS]}\n")
    except OSError:
        return


def without_secrets(text: str) -> str:
    """Return words without the secrets in them."""
    from engram.language.screen.secrets import redact  # noqa: PLC0415 - 3 ms, and most events have nothing to say

    return redact(text).text


def note_firing(paths: Paths, host: str, event: str) -> None:
    """Remember that an event has come, as the time of an empty file."""
    place = _place(paths, host, event)
    try:
        os.utime(place)
    except FileNotFoundError:
        try:
            make_folder(place.parent)
            place.touch(mode=0o600)
        except (OSError, RefusedError):
            return
    except OSError:
        return


def last_firing(paths: Paths, host: str, event: str) -> float | None:
    """Return when an event came last, in seconds since 1970; None when it never did."""
    try:
        return _place(paths, host, event).stat().st_mtime
    except OSError:
        return None


def _place(paths: Paths, host: str, event: str) -> Path:
    return paths.hooks / "fired" / f"{host}.{event}"
