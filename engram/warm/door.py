"""Where a warm process listens: a Unix socket of this user, else a loopback port that asks for a token.

Where the door is stands in the workspace (`.engram/warm.json`, mode 0600), because a path to a socket may be too long
to bind (about 104 bytes), and because the processes of one user need not have the same environment. On a port both
sides prove that they could read that file, the server first, so that nobody else is told a question.
"""

import hashlib
import json
import os
import secrets
import socket
import stat
import struct
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from typing import NamedTuple

from engram.base.disk.files import write_atomically
from engram.base.disk.own_files import read_own
from engram.base.machine.user import user_id

_MOST_PATH_BYTES = 100  # of a socket: macOS takes 103, Linux 107
_QUEUE = 128
_LOOPBACK = "127.0.0.1"
_TOKEN_BYTES = 32


class Door(NamedTuple):
    """One open door."""

    listener: socket.socket
    token: str  # what callers of a port prove to know; empty for a Unix socket, whose other end the system names


@contextmanager
def listening(address: Path, root: str) -> Iterator[Door]:
    """Listen where only this user is answered, and say in the address file where that is.

    The caller holds the lock of the door: whoever made a socket that lies there is dead. Raises OSError when neither a
    socket nor a port can be had, or the file cannot be written.
    """
    path = socket_path(root) if hasattr(socket, "AF_UNIX") else None
    listener, place = _port() if path is None else _socket(path)
    token = str(place.get("token", ""))
    with listener:
        try:
            listener.listen(_QUEUE)
            write_atomically(address, json.dumps({**place, "pid": os.getpid()}).encode(), mode=0o600)
            yield Door(listener, token)
        finally:
            if _is_own(address):
                address.unlink(missing_ok=True)
            if path is not None:
                path.unlink(missing_ok=True)


def socket_path(root: str) -> Path | None:
    """Return where the socket of a workspace lies; None when no folder is ours alone."""
    name = hashlib.sha256(root.encode("utf-8", "surrogateescape")).hexdigest()[:20] + ".sock"
    for folder in _runtime_folders():
        path = folder / name
        if len(os.fsencode(path)) <= _MOST_PATH_BYTES and _is_private(folder):
            return path
    return None


def peer_uid(caller: socket.socket) -> int | None:
    """Return the user at the other end of a Unix socket, as the system tells it; None when it cannot."""
    if hasattr(socket, "SO_PEERCRED"):
        found = caller.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return int(struct.unpack("3i", found)[1])
    if sys.platform == "darwin":  # LOCAL_PEERCRED of sys/un.h: struct xucred {u_int version; uid_t uid; ...}
        return int(struct.unpack_from("2I", caller.getsockopt(0, 1, 76))[1])
    return None


def _socket(path: Path) -> tuple[socket.socket, dict[str, Any]]:
    """Bind a Unix socket in the place of a dead one; a port where the file system knows no sockets."""
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.bind(str(path))
        path.chmod(0o600)
    except OSError:
        listener.close()
        return _port()
    return listener, {"socket": str(path)}


def _port() -> tuple[socket.socket, dict[str, Any]]:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.bind((_LOOPBACK, 0))
    except OSError:
        listener.close()
        raise
    return listener, {"port": listener.getsockname()[1], "token": secrets.token_hex(_TOKEN_BYTES)}


def _is_own(address: Path) -> bool:
    """Tell whether the address file names this process: in a folder that was moved here meanwhile it does not."""
    try:
        return bool(json.loads(read_own(address))["pid"] == os.getpid())
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _runtime_folders() -> Iterator[Path]:
    if runtime := os.environ.get("XDG_RUNTIME_DIR"):
        yield Path(runtime) / "engram"
    for temporary in dict.fromkeys((tempfile.gettempdir(), "/tmp")):  # noqa: S108 - checked to be ours alone
        yield Path(temporary) / f"engram-{user_id()}"


def _is_private(folder: Path) -> bool:
    """Make the folder unless it is there; tell whether it is a folder of ours that nobody else can look into."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == user_id() and not found.st_mode & 0o077
