"""What both ends of the warm door agree on: one JSON object in one line each way.

Light: hooks load this. A request carries a handshake; what has to be equal in it for which request, `likeness` says, so
that a server of another release, with other settings or another model, never speaks for a command.
"""

import os
import sys
from pathlib import Path
from typing import Any

import engram
from engram import __version__
from engram.config.paths import Paths

PROTOCOL = 1  # of the handshake, and of requests and replies of `prompt` and `ping`, which other releases understand
MOST_REQUEST_BYTES = 1 << 20  # of one line
MOST_REPLY_BYTES = 16 << 20
HANDSHAKE = "handshake"  # key of a request
PROMPT = "prompt"  # the request of a hook
PING = "ping"  # the request that only looks whether somebody answers, and who
YIELDS = "yields"  # key of a reply: the process gives the door up to the newer release that asked
CALLER, SERVER = "caller", "server"  # the two ends, in what they prove on a port
ANSWERED_BY = ("ENGRAM_EMBEDDINGS", "FASTEMBED_CACHE_PATH", "XDG_DATA_HOME")
"""Environment variables on which an answer depends: which model there is, and where it lies."""


def handshake(paths: Paths) -> dict[str, Any]:
    """Return what one end says of itself: release, workspace, settings, and what chooses the model.

    Raises OSError when there is no settings file.
    """
    return {
        "protocol": PROTOCOL,
        "root": str(paths.root),
        "settings": stamp(paths.settings),
        "process": process_words(),
    }


def process_words() -> dict[str, Any]:
    """Return what is settled when a process starts: the release, what is installed, and what chooses the model."""
    # Sorted: who starts a process puts the folder of its own package before the others.
    packages = sorted({path for path in sys.path if path.endswith(("site-packages", "dist-packages"))})
    return {
        "version": __version__,
        "installed": [[path, os.stat(path).st_mtime_ns] for path in packages if os.path.isdir(path)],  # noqa: PTH112, PTH116 - light
        "package": _stamp_or_none(engram.__file__),
        "environment": {name: os.environ[name] for name in ANSWERED_BY if os.environ.get(name)},
    }


def proof(token: str, end: str, nonce: str) -> str:
    """Return what proves at one end of a port that it knows the token, for this nonce alone."""
    import hmac  # noqa: PLC0415 - a Unix socket needs none of it

    return hmac.new(token.encode(), f"{end} {nonce}".encode(), "sha256").hexdigest()


def stamp(path: Path) -> list[int]:
    """Return what changes when a file does; raise OSError when there is none."""
    found = path.stat()
    return [found.st_ino, found.st_mtime_ns, found.st_size]


def paths_of(root: Path) -> Paths:
    """Return the layout of a workspace under the name that both ends use."""
    return Paths(root.resolve())


def _stamp_or_none(file: str | None) -> list[int]:
    try:
        return stamp(Path(str(file)))
    except OSError:  # the package is being put in anew
        return []
