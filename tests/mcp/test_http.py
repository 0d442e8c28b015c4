"""`engram mcp --http`: loopback, a token, and no page of a browser."""

import contextlib
import http.client
import json
import stat
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio
import pytest

from engram.errors import RefusedError
from engram.loopback.token import is_token
from engram.loopback.token import read_token
from engram.model.fact import Actor
from engram.workspace import Workspace
from tests.conftest import Engram
from tests.conftest import WorkspaceWith
from tests.mcp.serving import connect_http
from tests.mcp.serving import http_process
from tests.mcp.serving import run
from tests.mcp.serving import said
from tests.mcp.test_stdio import INITIALIZE

QUESTION = "what does Anna prefer"


def fill(workspace: Workspace) -> None:
    workspace.submit("write", {"entity": "people/anna", "text": "Anna prefers tea", "create": True}, actor=Actor.USER)


@pytest.fixture
def filled(workspace_with: WorkspaceWith) -> Workspace:
    return workspace_with(fill)


def post(address: str, headers: dict[str, str], body: bytes | None = None) -> tuple[int, bytes]:
    """Send one request as it is, and return status and body."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)
    usual = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    with contextlib.closing(connection):
        with contextlib.suppress(BrokenPipeError):  # it may be refused before it is read
            connection.request("POST", parts.path, body or json.dumps(INITIALIZE).encode(), {**usual, **headers})
        answer = connection.getresponse()
        return answer.status, answer.read()


def test_who_shows_the_token_is_answered_also_many_at_once(filled: Workspace) -> None:
    async def test(address: str) -> None:
        async with connect_http(address, read_token(filled.paths.mcp_token)) as client:
            assert len((await client.list_tools()).tools) == 10
            assert (await said(client, "memory_recall", query=QUESTION))["hits"][0]["text"] == "Anna prefers tea"
            wrong = await client.call_tool("memory_recall", {})
            assert wrong.structured_content["error"] == "BadValue"
            found: list[Any] = []

            async def ask() -> None:
                found.append((await said(client, "memory_recall", query=QUESTION))["answer"])

            async with anyio.create_task_group() as group:
                for _ in range(100):
                    group.start_soon(ask)
            assert found == ["found"] * 100

    with http_process(filled) as address:
        run(lambda: test(address))


def test_who_does_not_show_the_token_is_told_nothing(filled: Workspace) -> None:
    with http_process(filled) as address:
        token = read_token(filled.paths.mcp_token)
        shown = {"Authorization": f"Bearer {token}"}
        port = urlsplit(address).port
        assert post(address, shown)[0] == 200
        for headers in (
            {},
            {"Authorization": "Bearer "},
            {"Authorization": f"Bearer {token[:-1]}"},
            {"Authorization": f"Bearer {token}x"},
            {"Authorization": token},
            {"Authorization": f"Basic {token}"},
            {"Authorization": "Bearer \xff"},
        ):
            status, body = post(address, headers)
            assert status == 401, headers
            assert token.encode() not in body
        for headers, status in (
            ({"Host": f"evil.example:{port}"}, 421),
            ({"Host": "127.0.0.1"}, 421),
            ({"Origin": "http://evil.example"}, 403),
            ({"Origin": "null"}, 403),
            ({"Origin": f"http://127.0.0.1:{port}"}, 200),
            ({"Content-Type": "text/plain"}, 400),
        ):
            assert post(address, {**shown, **headers})[0] == status, headers
        assert post(address, shown, b"{not JSON")[0] == 400
        assert post(address, shown, b"x" * (5 << 20))[0] == 413
        assert post(address, shown)[0] == 200


def test_a_client_that_leaves_before_its_answer_harms_nobody(filled: Workspace) -> None:
    with http_process(filled) as address:
        token = read_token(filled.paths.mcp_token)
        parts = urlsplit(address)
        body = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "memory_status", "arguments": {}}}
        for _ in range(20):
            connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)
            headers = {
                "Authorization": f"Bearer {token}",
                "Content-Type": "application/json",
                "Accept": "application/json, text/event-stream",
                "MCP-Protocol-Version": "2025-06-18",
            }
            connection.request("POST", parts.path, json.dumps(body).encode(), headers)
            connection.close()

        async def test() -> None:
            async with connect_http(address, token) as client:
                assert (await said(client, "memory_recall", query=QUESTION))["hits"]

        run(test)


def test_a_port_that_is_taken_is_refused(filled: Workspace, engram: Engram) -> None:
    with http_process(filled) as address:
        answer = engram("mcp", "--http", str(urlsplit(address).port))

    assert answer.code == 4
    assert "cannot be used" in answer.err


# --- the token -------------------------------------------------------------------------------------------------------


def test_the_token_is_made_once_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    file = tmp_path / "mcp-token"
    token = read_token(file)

    assert len(token) >= 40
    assert read_token(file) == token
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_token_that_others_may_read_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "mcp-token"
    read_token(file)
    file.chmod(0o644)
    with pytest.raises(RefusedError, match="others may read"):
        read_token(file)


def test_an_empty_token_lets_nobody_in(tmp_path: Path) -> None:
    file = tmp_path / "mcp-token"
    file.touch(mode=0o600)
    with pytest.raises(RefusedError, match="no token"):
        read_token(file)


def test_only_the_token_itself_is_the_token() -> None:
    assert is_token("abc", b"abc")
    assert not any(is_token("abc", said) for said in (b"", b"ab", b"abcd", b"ABC", b"\xff"))


def test_the_command_shows_the_token(workspace: Workspace, engram: Engram) -> None:
    shown = engram("mcp", "--show-token")

    assert shown.out.strip() == read_token(workspace.paths.mcp_token)
    assert engram("mcp", "--show-token", "--json").json == {"token": shown.out.strip()}
