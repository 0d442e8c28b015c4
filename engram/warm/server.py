"""The warm door: a Unix socket on which a process that keeps the index open answers others of the same user.

One process of a workspace has the door; a second waits until the first is gone. Where the socket lies stands in the
workspace (`.engram/warm.json`), because a path to it may be too long to bind (about 104 bytes), and because the
processes of one user need not have the same environment. A socket that a killed server left behind is replaced by the
next one, and clients take it for no server.
"""

import hashlib
import json
import os
import socket
import stat
import struct
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from contextlib import contextmanager
from contextlib import suppress
from pathlib import Path
from typing import Any

from engram.base.files import write_atomically
from engram.base.log import warn
from engram.errors import EngramError
from engram.errors import StoreBusyError
from engram.store.locks import FileLock
from engram.warm.protocol import HANDSHAKE
from engram.warm.protocol import MOST_REQUEST_BYTES
from engram.warm.protocol import process_words
from engram.warm.verbs import VERBS
from engram.warm.verbs import Refused
from engram.warm.verbs import error_words
from engram.warm.warm_store import WarmStore

_MOST_PATH_BYTES = 100  # of a socket: macOS takes 103, Linux 107
_TALK_S = 5.0  # that a client may take to send its line, and to take ours
_AT_ONCE = 16  # clients that are listened to; others wait in the queue of the socket
_QUEUE = 128
_LOOK_S = 0.2  # between two looks whether we shall end
_RETRY_S = 2.0  # between two looks whether the door is free


class _NoFolderError(OSError):
    """There is no folder for a socket, and there will be none while this process lives."""


class WarmServer:
    """Answers at the warm door of a store from threads of its own, from `start` until `close`."""

    def __init__(self, store: WarmStore) -> None:
        """Take the store; nothing is opened."""
        self._store = store
        self._process = process_words()  # as it was when this process started
        self._closing = threading.Event()
        self._open = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="warm-door")

    def start(self) -> None:
        """Begin to answer, as soon as no other process has the door. Without Unix sockets nothing is done."""
        if hasattr(socket, "AF_UNIX"):
            self._thread.start()

    def wait_open(self, timeout_s: float) -> bool:
        """Wait until the door is ours; tell whether it is."""
        return self._open.wait(timeout_s)

    def close(self) -> None:
        """Stop listening and remove the socket; answers that are being made are given up."""
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join(_TALK_S)

    def _run(self) -> None:
        lock = FileLock(self._store.paths.locks / "warm.lock", "warm server")
        told = ""
        while not self._closing.is_set():
            try:
                with lock.hold(wait_s=0):
                    self._serve()
            except StoreBusyError:
                self._closing.wait(_RETRY_S)
            except OSError as problem:  # such as no more file descriptors, which passes
                why = problem.strerror or str(problem)
                if why != told:
                    warn(f"other processes are not answered from this one: {why}")
                told = why
                if isinstance(problem, _NoFolderError):
                    return
                self._closing.wait(_RETRY_S)

    def _serve(self) -> None:
        with ExitStack() as stack:
            door = stack.enter_context(_listening(self._store.paths.warm_address, str(self._store.paths.root)))
            callers = ThreadPoolExecutor(_AT_ONCE, "warm-door")
            stack.callback(callers.shutdown, wait=False, cancel_futures=True)
            self._open.set()
            while not self._closing.is_set():
                with suppress(TimeoutError):
                    caller, _ = door.accept()
                    callers.submit(self._answer, caller)

    def _answer(self, caller: socket.socket) -> None:
        with caller:
            try:
                request = _read_request(caller)
            except (OSError, ValueError, TypeError):
                return  # it never spoke our language
            try:
                reply, after = self._reply(request, caller)
                line = json.dumps(reply, ensure_ascii=False, default=str).encode() + b"\n"
            except Exception as problem:  # noqa: BLE001 - the boundary of a thread; the client answers by itself
                warn(f"the warm door: {type(problem).__name__}: {problem}")
                return
            with suppress(OSError):  # the client has gone
                caller.settimeout(_TALK_S)
                caller.sendall(line)
                after()

    def _reply(self, request: dict[str, Any], caller: socket.socket) -> tuple[dict[str, Any], Callable[[], None]]:
        """Return the reply, and what is to be done once it is sent."""
        said = request.pop(HANDSHAKE, None)
        verb = VERBS.get(str(request.pop("do", "")))
        if verb is None:
            return {"refused": "no such request"}, _nothing
        try:
            with self._store.reading() as workspace:
                if said != {**self._store.handshake(), "process": self._process}:
                    return {"refused": "of another release, or with other settings"}, _nothing
                if _has_gone(caller):
                    return {"refused": "gone"}, _nothing
                return verb(workspace, request)
        except Refused as refusal:
            return {"refused": str(refusal)}, _nothing
        except EngramError as problem:
            return {"error": error_words(problem)}, _nothing


@contextmanager
def _listening(address: Path, root: str) -> Iterator[socket.socket]:
    """Listen on a socket that only this user reaches, and say in the address file where it is."""
    path = _socket_path(root)
    path.unlink(missing_ok=True)  # the lock is ours: whoever made it is dead
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as door:
        door.bind(str(path))
        try:
            path.chmod(0o600)
            door.listen(_QUEUE)
            door.settimeout(_LOOK_S)
            write_atomically(address, json.dumps({"socket": str(path), "pid": os.getpid()}).encode(), mode=0o600)
            yield door
        finally:
            address.unlink(missing_ok=True)
            path.unlink(missing_ok=True)


def _socket_path(root: str) -> Path:
    """Return where the socket of a workspace lies; raise _NoFolderError when no folder is ours alone."""
    name = hashlib.sha256(root.encode("utf-8", "surrogateescape")).hexdigest()[:20] + ".sock"
    for folder in _runtime_folders():
        path = folder / name
        if len(os.fsencode(path)) <= _MOST_PATH_BYTES and _is_private(folder):
            return path
    raise _NoFolderError("no folder for a socket that only this user can use")


def _runtime_folders() -> Iterator[Path]:
    if runtime := os.environ.get("XDG_RUNTIME_DIR"):
        yield Path(runtime) / "engram"
    for temporary in dict.fromkeys((tempfile.gettempdir(), "/tmp")):  # noqa: S108 - checked to be ours alone
        yield Path(temporary) / f"engram-{os.geteuid()}"


def _is_private(folder: Path) -> bool:
    """Make the folder unless it is there; tell whether it is a folder of ours that nobody else can look into."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077


def _peer_uid(caller: socket.socket) -> int | None:
    """Return the user at the other end, as the system tells it; None when it cannot."""
    if hasattr(socket, "SO_PEERCRED"):
        found = caller.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return int(struct.unpack("3i", found)[1])
    if sys.platform == "darwin":  # LOCAL_PEERCRED of sys/un.h: struct xucred {u_int version; uid_t uid; ...}
        return int(struct.unpack_from("2I", caller.getsockopt(0, 1, 76))[1])
    return None


def _read_request(caller: socket.socket) -> dict[str, Any]:
    """Read one line of JSON of this user's; raise ValueError, TypeError or OSError when there is none."""
    if _peer_uid(caller) not in {None, os.geteuid()}:
        raise ValueError("of another user")
    deadline = time.monotonic() + _TALK_S
    line = bytearray()
    while not line.endswith(b"\n"):
        caller.settimeout(max(deadline - time.monotonic(), 0.001))
        piece = caller.recv(1 << 16)
        if not piece or len(line) + len(piece) > MOST_REQUEST_BYTES:
            raise ValueError("no line")
        line += piece
    request = json.loads(line)
    if not isinstance(request, dict):
        raise TypeError("no object")
    return request


def _has_gone(caller: socket.socket) -> bool:
    caller.settimeout(0)
    try:
        return caller.recv(1, socket.MSG_PEEK) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def _nothing() -> None:
    """Do nothing."""
