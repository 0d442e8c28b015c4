"""The warm door's server: a process that keeps the index open answers others of the same user.

One process of a workspace has the door; a second waits until the first is gone, or gives up. One that a newer release
asks for a prompt answers it and gives the door up. A socket that a killed server left behind is replaced by the next
one, and clients take it for no server.
"""

import hmac
import json
import socket
import threading
import time
from collections.abc import Callable
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from contextlib import suppress
from typing import Any

from engram import __version__
from engram.base.json_values import load_json
from engram.base.log import warn
from engram.base.machine.user import user_id
from engram.errors import EngramError
from engram.errors import StoreBusyError
from engram.store.locks import FileLock
from engram.warm.door import Door
from engram.warm.door import listening
from engram.warm.door import peer_uid
from engram.warm.likeness import differences
from engram.warm.likeness import is_answered
from engram.warm.likeness import is_newer
from engram.warm.protocol import CALLER
from engram.warm.protocol import HANDSHAKE
from engram.warm.protocol import MOST_REQUEST_BYTES
from engram.warm.protocol import PING
from engram.warm.protocol import PROMPT
from engram.warm.protocol import SERVER
from engram.warm.protocol import YIELDS
from engram.warm.protocol import process_words
from engram.warm.protocol import proof
from engram.warm.statistics import Tally
from engram.warm.verbs import VERBS
from engram.warm.verbs import Refused
from engram.warm.verbs import error_words
from engram.warm.warm_store import WarmStore

WARM_SERVER = "warm server"  # who holds the lock: a process that serves something else, too, such as `engram mcp`

_TALK_S = 5.0  # that a client may take to send its line, and to take ours
_AT_ONCE = 16  # clients that are listened to; others wait in the queue of the socket
_UNLIKE = "of another release, or with other settings"
_MOST_WORD_BYTES = 200  # of a nonce or a proof
_LOOK_S = 0.2  # between two looks whether we shall end
_PATIENCE_S = 0.5  # with somebody who only looks who has the door, for a server that does not wait
_RETRY_S = 2.0  # between two looks whether the door is free
_YIELDS_S = 30.0  # for which a server that waits leaves the door to a newer release, which has to start


class WarmServer:
    """Answers at the warm door of a store from threads of its own, from `start` until `close`."""

    def __init__(self, store: WarmStore, *, owner: str = WARM_SERVER, waits: bool = True) -> None:
        """Take the store; nothing is opened.

        Args:
            store: what is asked.
            owner: what others read in the door's lock.
            waits: for the door while another process has it; else the server ends there.
        """
        self._store = store
        self._owner = owner
        self._waits = waits
        self.tally = Tally(owner)
        self._process = process_words()  # as it was when this process started
        self._closing = threading.Event()
        self._open = threading.Event()
        self._yielding = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="warm-door")

    def start(self) -> None:
        """Begin to answer, as soon as no other process has the door."""
        self._thread.start()

    def wait_open(self, timeout_s: float) -> bool:
        """Wait until the door is ours; tell whether it is."""
        return self._open.wait(timeout_s)

    def is_alive(self) -> bool:
        """Tell whether it answers, or waits to."""
        return self._thread.is_alive()

    def has_yielded(self) -> bool:
        """Tell whether a newer release asked for the door."""
        return self._yielding.is_set()

    def is_outdated(self) -> bool:
        """Tell whether another release, or other packages, were installed since this process started."""
        return process_words() != self._process

    def close(self) -> None:
        """Stop listening and remove the socket; answers that are being made are given up."""
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join(_TALK_S)

    def _run(self) -> None:
        lock = FileLock(self._store.paths.locks / "warm.lock", self._owner)
        told = ""
        while not self._closing.is_set():
            try:
                with lock.hold(wait_s=0 if self._waits else _PATIENCE_S):
                    self._serve()
                if self.has_yielded():
                    if not self._waits:
                        return
                    self._closing.wait(_YIELDS_S)
                    self._yielding.clear()
            except StoreBusyError:
                if not self._waits:
                    return
                self._closing.wait(_RETRY_S)
            except OSError as problem:  # such as no more file descriptors, which passes
                why = problem.strerror or str(problem)
                if why != told:
                    warn(f"other processes are not answered from this one: {why}")
                told = why
                if not self._waits:
                    return
                self._closing.wait(_RETRY_S)

    def _serve(self) -> None:
        with ExitStack() as stack:
            door = stack.enter_context(listening(self._store.paths.warm_address, str(self._store.paths.root)))
            callers = ThreadPoolExecutor(_AT_ONCE, "warm-door")
            stack.callback(callers.shutdown, wait=False, cancel_futures=True)
            door.listener.settimeout(_LOOK_S)
            self._open.set()
            while not (self._closing.is_set() or self._yielding.is_set()):
                with suppress(TimeoutError):
                    caller, _ = door.listener.accept()
                    callers.submit(self._answer, _Caller(caller), door)

    def _answer(self, caller: "_Caller", door: Door) -> None:
        with caller.socket:
            try:
                request = _read_request(caller, door)
            except (OSError, ValueError, TypeError):
                return  # it never spoke our language
            try:
                reply, after = self._reply(request, caller.socket)
                line = json.dumps(reply, ensure_ascii=False, default=str).encode() + b"\n"
            except Exception as problem:  # noqa: BLE001 - the boundary of a thread; the client answers by itself
                warn(f"the warm door: {type(problem).__name__}: {problem}")
                return
            with suppress(OSError):  # the client has gone
                caller.socket.settimeout(_TALK_S)
                caller.socket.sendall(line)
                after()
            if YIELDS in reply:  # also when the client has gone: it is the newer release that counts
                self._yielding.set()

    def _reply(self, request: dict[str, Any], caller: socket.socket) -> tuple[dict[str, Any], Callable[[], None]]:
        """Return the reply, and what is to be done once it is sent."""
        said = request.pop(HANDSHAKE, None)
        name = str(request.pop("do", ""))
        if name == PING:  # answered while others work
            differing = self._differing(said)
            return {"answer": self._state(differing)} if is_answered(PING, differing) else {
                "refused": _UNLIKE
            }, _nothing
        if name not in VERBS:
            return {"refused": "no such request"}, _nothing
        reply, after = self._answered(name, request, said, caller)
        yields = name == PROMPT and is_newer(said, __version__) and is_answered(name, self._differing(said))
        return {**reply, YIELDS: True} if yields else reply, after

    def _answered(
        self, name: str, request: dict[str, Any], said: object, caller: socket.socket
    ) -> tuple[dict[str, Any], Callable[[], None]]:
        try:
            with self._store.reading() as workspace:
                self._check(name, said, caller)
                self.tally.count()
                return VERBS[name](workspace, request)
        except Refused as refusal:
            return {"refused": str(refusal)}, _nothing
        except EngramError as problem:
            return {"error": error_words(problem)}, _nothing

    def _state(self, differing: Iterable[str]) -> dict[str, Any]:
        """Return what is said to somebody who only looks; see `hooks.serving.warm_state`."""
        answers = sorted(name for name in VERBS if is_answered(name, frozenset(differing)))
        return {**self.tally.as_json(), "warm": self._store.is_warm(), "answers": answers, "differs": sorted(differing)}

    def _check(self, name: str, said: object, caller: socket.socket) -> None:
        """Raise Refused for a client that this process does not speak for, or that does not wait any more."""
        if not is_answered(name, self._differing(said)):
            raise Refused(_UNLIKE)
        if _has_gone(caller):
            raise Refused("gone")

    def _differing(self, said: object) -> frozenset[str]:
        """Return in what a client's handshake is not ours; raises OSError when the settings are gone."""
        return differences({**self._store.handshake(), "process": self._process}, said)


class _Caller:
    """One connection, read line by line."""

    def __init__(self, connected: socket.socket) -> None:
        self.socket = connected
        self._read = bytearray()
        self._deadline = time.monotonic() + _TALK_S

    def line(self, most_bytes: int) -> bytes:
        """Return the next line without its end; raise ValueError when there is none, TimeoutError when not in time."""
        while b"\n" not in self._read:
            self.socket.settimeout(max(self._deadline - time.monotonic(), 0.001))
            piece = self.socket.recv(1 << 16)
            if not piece or len(self._read) + len(piece) > most_bytes + MOST_REQUEST_BYTES:
                raise ValueError("no line")
            self._read += piece
        line, _, rest = bytes(self._read).partition(b"\n")
        if len(line) > most_bytes:
            raise ValueError("the line is too long")
        self._read = bytearray(rest)
        return line


def _read_request(caller: _Caller, door: Door) -> dict[str, Any]:
    """Read one line of JSON of this user's; raise ValueError, TypeError or OSError when there is none."""
    if door.token:
        nonce = caller.line(_MOST_WORD_BYTES).decode("ascii")
        caller.socket.sendall(proof(door.token, SERVER, nonce).encode() + b"\n")
        if not hmac.compare_digest(caller.line(_MOST_WORD_BYTES), proof(door.token, CALLER, nonce).encode()):
            raise ValueError("it does not know the token")
    elif peer_uid(caller.socket) not in {None, user_id()}:
        raise ValueError("of another user")
    request = load_json(caller.line(MOST_REQUEST_BYTES))
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
