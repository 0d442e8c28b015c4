"""Asking a warm process, if one runs. Light: hooks load this, so only the standard library and the settings' paths."""

import json
import os
import socket
import time
from pathlib import Path
from typing import Any

from engram import errors
from engram.warm.protocol import HANDSHAKE
from engram.warm.protocol import MOST_REPLY_BYTES
from engram.warm.protocol import MOST_REQUEST_BYTES
from engram.warm.protocol import handshake
from engram.warm.protocol import paths_of

_PIECE = 1 << 16  # bytes read at a time


def ask(root: Path, request: dict[str, Any], timeout_s: float) -> dict[str, Any] | None:
    """Ask the warm server of a workspace; return its reply, or None when there is none to be had in time.

    None: no server, a socket that a dead one left, a server of another release or with other settings or model, no
    reply within `timeout_s` seconds in all. Then nothing was written, and the caller answers by itself.

    Requests: {"do": "recall", "query": TEXT, ...options as `engram recall --jsonl` takes them}; {"do": "ping"}.
    Replies: {"answer": the JSON of the command, "text": what it prints, "impaired": whether --strict would refuse it},
    or {"error": {"code", "message", "hint", "details"}} for what the command would refuse; see `raise_error`.
    """
    deadline = time.monotonic() + timeout_s
    try:
        paths = paths_of(root)
        address = json.loads(paths.warm_address.read_bytes())["socket"]
        line = json.dumps({**request, HANDSHAKE: handshake(paths)}).encode() + b"\n"
        if len(line) > MOST_REQUEST_BYTES or os.lstat(address).st_uid != os.geteuid():
            return None
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as door:
            door.settimeout(timeout_s)
            door.connect(address)
            door.sendall(line)
            reply = json.loads(_read_line(door, deadline))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):  # AttributeError: a system without Unix sockets
        return None
    return reply if isinstance(reply, dict) and "refused" not in reply else None


def _read_line(door: socket.socket, deadline: float) -> bytes:
    """Read up to the first line feed; raise TimeoutError after the deadline, ValueError for an end or too much."""
    pieces: list[bytes] = []
    size = 0
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        door.settimeout(left)
        piece = door.recv(_PIECE)
        size += len(piece)
        if not piece or size > MOST_REPLY_BYTES:
            raise ValueError("no whole reply")
        pieces.append(piece)
        if piece.endswith(b"\n"):
            return b"".join(pieces)


def raise_error(reply: dict[str, Any]) -> None:
    """Raise the error that a reply holds, as the process would have raised it by itself; else do nothing."""
    if (words := reply.get("error")) is None:
        return
    kind = getattr(errors, f"{words['code']}Error", errors.EngramError)
    raise kind(words["message"], hint=words["hint"], **words["details"])
