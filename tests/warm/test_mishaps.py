"""What goes wrong beside a warm store: a door that fails, and settings that change while somebody writes."""

import contextlib
import json
import os
import socket
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engram.warm import door as doors
from engram.warm import server
from engram.warm.client import ABSENT
from engram.warm.client import begin
from engram.warm.door import Door
from engram.warm.protocol import HANDSHAKE
from engram.warm.protocol import SERVER
from engram.warm.protocol import handshake
from engram.warm.protocol import proof
from engram.warm.server import WarmServer
from engram.warm.warm_store import WarmStore
from engram.workspace import Workspace
from tests.warm.serving import LONG_S
from tests.warm.serving import address
from tests.warm.serving import ping
from tests.warm.serving import until


def test_a_door_that_fails_is_opened_again(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    listening = doors.listening
    broken: list[socket.socket] = []

    @contextlib.contextmanager
    def broken_at_first(address: Path, root: str) -> Iterator[Door]:
        with listening(address, root) as door:
            if not broken:
                broken.append(door.listener)
                door.listener.close()  # the next accept fails, as it does when there are no more file descriptors
            yield door

    monkeypatch.setattr(server, "listening", broken_at_first)
    monkeypatch.setattr(server, "_RETRY_S", 0.01)
    with contextlib.closing(WarmStore(workspace.paths.root)) as store, contextlib.closing(WarmServer(store)) as door:
        door.start()
        assert until(lambda: ping(workspace))["pid"] == os.getpid()
    assert broken


@contextlib.contextmanager
def served_at_a_port(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """Serve where no folder for a socket is ours alone; give what the address file says."""
    monkeypatch.setattr(doors, "_is_private", lambda _folder: False)
    with contextlib.closing(WarmStore(workspace.paths.root)) as store, contextlib.closing(WarmServer(store)) as door:
        door.start()
        assert door.wait_open(LONG_S)
        yield json.loads(address(workspace).read_bytes())


def test_without_a_folder_for_a_socket_a_port_answers_who_knows_the_token(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served_at_a_port(workspace, monkeypatch) as place:
        assert "socket" not in place
        assert stat.S_IMODE(address(workspace).stat().st_mode) == 0o600
        assert (ping(workspace) or {})["pid"] == os.getpid()

        address(workspace).write_text(json.dumps({**place, "token": "0" * 64}))
        assert ping(workspace) is None


def test_a_port_tells_nothing_to_who_does_not_know_the_token(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = json.dumps({"do": "ping", HANDSHAKE: handshake(workspace.paths)}).encode()
    with (
        served_at_a_port(workspace, monkeypatch) as place,
        socket.create_connection(("127.0.0.1", place["port"]), LONG_S) as caller,
    ):
        caller.sendall(b"nonce\nno proof\n" + request + b"\n")
        heard = b"".join(iter(lambda: caller.recv(1000), b""))

    assert heard == proof(place["token"], SERVER, "nonce").encode() + b"\n"


def test_a_stranger_at_the_port_of_a_dead_server_is_not_told_the_question(workspace: Workspace) -> None:
    heard: list[bytes] = []

    def listen(listener: socket.socket) -> None:
        caller, _ = listener.accept()
        with caller:
            heard.append(caller.recv(1000))
            caller.sendall(b"0" * 64 + b"\n")
            heard.extend(iter(lambda: caller.recv(1000), b""))

    with socket.create_server(("127.0.0.1", 0)) as listener:
        place = {"port": listener.getsockname()[1], "token": "ab" * 32, "pid": 1}
        address(workspace).write_text(json.dumps(place))
        stranger = threading.Thread(target=listen, args=(listener,))
        stranger.start()
        talk = begin(workspace.paths.root, {"do": "recall", "query": "where is the key"}, LONG_S)
        assert talk.reply() is None
        stranger.join()

    assert talk.outcome == ABSENT
    assert b"key" not in b"".join(heard)


def test_a_writer_lets_go_of_its_own_index_when_the_settings_change_meanwhile(workspace: Workspace) -> None:
    workspace.submit("write", {"entity": "people/anna", "text": "Anna lives in Riga", "create": True})
    with contextlib.closing(WarmStore(workspace.paths.root)) as store:
        with store.writing() as writer:
            with writer.index.searching():
                assert writer.index.is_warm()
            with workspace.paths.settings.open("a") as settings:
                settings.write("\n[recall]\nlimit = 1\n")
            with store.reading() as reader:
                assert reader.settings.recall.limit == 1

        assert not writer.index.is_warm()
