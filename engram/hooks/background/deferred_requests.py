"""What hooks leave for later: one small file per transcript or status line, and a process that takes them in. Light.

A request for a transcript stands for all of it that is not captured yet, so a later one for the same file takes the
place of an earlier. At most one process works and one waits to be the next; whoever leaves a request while one waits
need not start another. (Measured: what is new in a transcript costs 1 s of processor time, mostly of loading; a host
waits for none of it.)
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engram.base.clock import to_iso
from engram.base.clock import utc_now
from engram.base.disk.files import write_atomically
from engram.base.disk.handle_locks import lock_handle
from engram.base.disk.home import at_home
from engram.base.disk.own_files import open_own
from engram.base.text import sha256_hex
from engram.config.paths import Paths
from engram.hooks.background.subprocesses import start_engram
from engram.hooks.log import without_secrets

WORKING, NEXT = "hooks", "hooks-next"  # names of the locks
_MOST_SAID_CHARS = 300  # of a status line


def requests_folder(paths: Paths) -> Path:
    """Return the folder of the requests."""
    return paths.hooks / "waiting"


def leave_transcript(paths: Paths, *, host: str, transcript: str, session: str) -> bool:
    """Ask for what is new in a transcript; False when there is no such file, ValueError for what can be none."""
    path = at_home(transcript)
    if not path.is_absolute() or ".json" not in path.name or "\0" in transcript:
        raise ValueError(f"{transcript!r} is no transcript")
    if not path.is_file():
        return False
    request = {"do": "capture", "host": host, "path": str(path), "session": session, "at": to_iso(utc_now())}
    _leave(paths, sha256_hex(str(path)), request)
    return True


def leave_transcripts(paths: Paths, transcripts: Sequence[Path]) -> None:
    """Ask for what is new in many transcripts, each of the session that it names itself."""
    names = [str(path) for path in transcripts]
    _leave(paths, sha256_hex("\n".join(names)), {"do": "capture-all", "paths": names, "at": to_iso(utc_now())})


def leave_status(paths: Paths, *, domain: str, subagent: str, said: str, session: str | None = None) -> None:
    """Ask for a line in a domain's changelog: what its subagent said last; `session` is a chat that it is bound to."""
    first = next((line.strip() for line in said.splitlines() if line.strip()), "")
    stated = next((line.strip() for line in said.splitlines() if line.strip().lower().startswith("status:")), first)
    shown = without_secrets(stated)[:_MOST_SAID_CHARS]  # a secret that was cut would not be known for one
    line = f"subagent {subagent} stopped: {shown or '(it said nothing)'}"
    request = {"do": "log", "domain": domain, "text": line, **({"session": session} if session else {})}
    _leave(paths, sha256_hex(f"{session} {domain} {line}" if session else f"{domain} {line}"), request)


def start_taking_in(paths: Paths) -> None:
    """Start what takes the requests in, unless somebody waits to do that already."""
    if requests_folder(paths).is_dir() and not _somebody_waits(paths):
        start_engram(paths, "hooks", "flush")


def has_requests(paths: Paths) -> bool:
    """Tell whether something was left."""
    try:
        return any(name.endswith(".json") for name in os.listdir(requests_folder(paths)))  # noqa: PTH208 - names only
    except FileNotFoundError:
        return False


def _leave(paths: Paths, name: str, request: dict[str, Any]) -> None:
    folder = requests_folder(paths)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomically(folder / f"{name[:32]}.json", json.dumps(request).encode(), mode=0o600)


def _somebody_waits(paths: Paths) -> bool:
    try:
        handle = open_own(paths.locks / f"{NEXT}.lock", os.O_RDWR)
    except OSError:
        return False
    try:
        lock_handle(handle, wait=False)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False
