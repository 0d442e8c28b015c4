"""What goes wrong beside a warm store: a door that fails, and settings that change while somebody writes."""

import contextlib
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from engram.warm import server
from engram.warm.server import WarmServer
from engram.warm.warm_store import WarmStore
from engram.workspace import Workspace
from tests.warm.serving import ping
from tests.warm.serving import until


def test_a_door_that_fails_is_opened_again(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    listening = server._listening
    broken: list[socket.socket] = []

    @contextlib.contextmanager
    def broken_at_first(address: Path, root: str) -> Iterator[socket.socket]:
        with listening(address, root) as door:
            if not broken:
                broken.append(door)
                door.close()  # the next accept fails, as it does when there are no more file descriptors
            yield door

    monkeypatch.setattr(server, "_listening", broken_at_first)
    monkeypatch.setattr(server, "_RETRY_S", 0.01)
    with contextlib.closing(WarmStore(workspace.paths.root)) as store, contextlib.closing(WarmServer(store)) as door:
        door.start()
        assert until(lambda: ping(workspace))["pid"] == os.getpid()
    assert broken


def test_without_a_folder_for_a_socket_nothing_is_tried_again(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(server, "_is_private", lambda _folder: False)
    with contextlib.closing(WarmStore(workspace.paths.root)) as store:
        WarmServer(store)._run()

    assert capsys.readouterr().err.count("no folder for a socket") == 1


def test_a_writer_lets_go_of_its_own_index_when_the_settings_change_meanwhile(workspace: Workspace) -> None:
    workspace.submit("write", {"entity": "people/anna", "text": "Anna lives in Riga", "create": True})
    with contextlib.closing(WarmStore(workspace.paths.root)) as store:
        with store.writing() as writer:
            with writer.searching():
                assert writer.is_warm()
            with workspace.paths.settings.open("a") as settings:
                settings.write("\n[recall]\nlimit = 1\n")
            with store.reading() as reader:
                assert reader.settings.recall.limit == 1

        assert not writer.is_warm()
