"""Asking a warm process, if one runs. Light: hooks load this, so only the standard library and the settings' paths."""

import json
import os
import socket
import time
from pathlib import Path
from typing import Any

from engram import errors
from engram.warm.protocol import CALLER
from engram.warm.protocol import HANDSHAKE
from engram.warm.protocol import MOST_REPLY_BYTES
from engram.warm.protocol import MOST_REQUEST_BYTES
from engram.warm.protocol import SERVER
from engram.warm.protocol import handshake
from engram.warm.protocol import paths_of
from engram.warm.protocol import proof

ABSENT = "absent"  # nobody listens
LATE = "late"  # somebody does, and did not answer in time
REFUSED = "refused"  # it is of another release, has other settings or another model, or does not answer such a thing
ANSWERED = "answered"

_PIECE = 1 << 16  # bytes read at a time
_NONCE_BYTES = 16


class Talk:
    """One request that is under way: made and sent by `begin`, answered by `reply`."""

    def __init__(self, outcome: str, door: socket.socket | None = None, deadline: float = 0.0) -> None:
        """Take what is known of it so far, the connection, and until when (of time.monotonic) an answer counts."""
        self.outcome = outcome  # ABSENT, LATE, REFUSED or ANSWERED; LATE as long as nothing was read
        self._door = door
        self._deadline = deadline

    def reply(self) -> dict[str, Any] | None:
        """Wait for the answer until the deadline; return it, or None for any outcome but ANSWERED. Call it once."""
        if self._door is None:
            return None
        with self._door as door:
            try:
                reply = json.loads(_read_line(door, self._deadline))
            except (OSError, ValueError):
                return None
        if not isinstance(reply, dict) or "refused" in reply:
            self.outcome = REFUSED
            return None
        self.outcome = ANSWERED
        return reply


def begin(root: Path, request: dict[str, Any], timeout_s: float) -> Talk:
    """Send a request to the warm process of a workspace; its answer counts for `timeout_s` seconds from now on."""
    deadline = time.monotonic() + timeout_s
    try:
        paths = paths_of(root)
        place = json.loads(paths.warm_address.read_bytes())
        line = json.dumps({**request, HANDSHAKE: handshake(paths)}).encode() + b"\n"
        door = _connect(place, timeout_s)
    except TimeoutError:
        return Talk(LATE)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):  # AttributeError: a system without Unix sockets
        return Talk(ABSENT)
    if len(line) > MOST_REQUEST_BYTES:
        door.close()
        return Talk(REFUSED)
    try:
        if "port" in place:
            _introduce(door, str(place["token"]), deadline)
        door.settimeout(max(deadline - time.monotonic(), 0.001))
        door.sendall(line)
    except (OSError, ValueError, KeyError) as problem:
        door.close()
        return Talk(LATE if isinstance(problem, TimeoutError) else ABSENT)
    return Talk(LATE, door, deadline)


def ask(root: Path, request: dict[str, Any], timeout_s: float) -> dict[str, Any] | None:
    """Ask the warm server of a workspace; return its reply, or None when there is none to be had in time.

    None: no server, a socket that a dead one left, a server of another release or with other settings or model, no
    reply within `timeout_s` seconds in all. Then nothing was written, and the caller answers by itself.

    Requests: {"do": "recall", "query": TEXT, ...options as `engram recall --jsonl` takes them}; {"do": "prompt", ...},
    see `engram.warm.prompt_recall`; {"do": "ping"}.
    Replies: {"answer": the JSON of the command, "text": what it prints, "impaired": whether --strict would refuse it},
    or {"error": {"code", "message", "hint", "details"}} for what the command would refuse; see `raise_error`.
    """
    return begin(root, request, timeout_s).reply()


def raise_error(reply: dict[str, Any]) -> None:
    """Raise the error that a reply holds, as the process would have raised it by itself; else do nothing."""
    if (words := reply.get("error")) is None:
        return
    kind = getattr(errors, f"{words['code']}Error", errors.EngramError)
    raise kind(words["message"], hint=words["hint"], **words["details"])


def _connect(place: dict[str, Any], timeout_s: float) -> socket.socket:
    """Connect to where the address file says; raise OSError, and PermissionError for a socket of somebody else."""
    if "port" in place:
        return socket.create_connection(("127.0.0.1", int(place["port"])), timeout_s)
    if os.lstat(place["socket"]).st_uid != getattr(os, "geteuid", lambda: -1)():
        raise PermissionError
    door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        door.settimeout(timeout_s)
        door.connect(place["socket"])
    except BaseException:
        door.close()
        raise
    return door


def _introduce(door: socket.socket, token: str, deadline: float) -> None:
    """Let a port prove that it is the server of this workspace, then prove ourselves; raise ValueError for another."""
    nonce = os.urandom(_NONCE_BYTES).hex()
    door.sendall(nonce.encode() + b"\n")
    if _read_line(door, deadline).decode("ascii").strip() != proof(token, SERVER, nonce):
        raise ValueError("somebody else listens at the port")
    door.sendall(proof(token, CALLER, nonce).encode() + b"\n")


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
