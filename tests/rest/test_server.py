"""`engram serve` as a process: who it answers, under which names, and how it ends."""

import contextlib
import http.client
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest

from engram.loopback.token import read_token
from engram.workspace import Workspace


class Server(NamedTuple):
    """A server that listens."""

    said: dict[str, Any]
    process: subprocess.Popen[str]

    def ask(self, path: str, method: str = "GET", body: Any = None, **headers: str) -> tuple[int, bytes]:
        """Send one request, and return status and body."""
        at = urlsplit(self.said["url"])
        connection = http.client.HTTPConnection(at.hostname or "", at.port, timeout=60)
        with contextlib.closing(connection):
            sent = None if body is None else json.dumps(body)
            kind = {"Content-Type": "application/json"} if body is not None else {}
            connection.request(method, path, sent, {**kind, **headers})
            answer = connection.getresponse()
            return answer.status, answer.read()


@contextlib.contextmanager
def serving(workspace: Workspace, *options: str) -> Iterator[Server]:
    """Serve for a block; at its end the server is ended, and has to have said nothing."""
    command = [sys.executable, "-m", "engram", "--workspace", str(workspace.paths.root), "serve", "--json", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield Server(json.loads(process.stdout.readline()), process)
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=30)
    assert (said, process.returncode) == ("", 0)


@pytest.fixture
def token(workspace: Workspace) -> dict[str, str]:
    return {"Authorization": f"Bearer {read_token(workspace.paths.mcp_token)}"}


def test_who_shows_the_token_is_answered_and_nobody_else_is_told_anything(
    workspace: Workspace, token: dict[str, str]
) -> None:
    with serving(workspace) as server:
        made = {"entity": "people/anna", "fact": "Anna prefers tea", "create": True}
        assert server.ask("/v1/facts", "POST", made, **token)[0] == 200
        assert b"Anna prefers tea" in server.ask("/v1/facts", **token)[1]
        assert json.loads(server.ask("/openapi.json", **token)[1])["openapi"] == "3.1.0"
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic " + "a" * 40}):
            for path in ("/v1/facts", "/openapi.json", "/", "/v1/nothing"):
                status, said = server.ask(path, **headers)
                assert status == 401
                assert b"Anna" not in said


def test_a_page_of_another_site_is_refused_also_with_the_token(workspace: Workspace, token: dict[str, str]) -> None:
    with serving(workspace, "--host", "memory") as server:
        port = urlsplit(server.said["url"]).port
        assert server.ask("/v1/status", **token, Host="rebound.example")[0] == 403
        assert server.ask("/v1/status", **token, Origin="http://rebound.example")[0] == 403
        assert server.ask("/v1/status", **token, Host=f"memory:{port}")[0] == 200
        assert server.ask("/v1/status", **token, Host=f"other:{port}")[0] == 403


def test_the_page_is_served_only_where_it_is_asked_for(workspace: Workspace, token: dict[str, str]) -> None:
    with serving(workspace) as server:
        assert server.said["page"] is None
        assert server.ask("/today", **token)[0] == 404
    with serving(workspace, "--page") as server:
        link = urlsplit(server.said["page"])
        assert server.ask("/today")[0] == 403
        assert server.ask(f"{link.path}?{link.query}")[0] == 303
        assert server.ask("/v1/status", **token)[0] == 200


def test_the_token_is_that_of_the_workspace_and_can_be_printed(workspace: Workspace, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "engram", "--workspace", str(workspace.paths.root), "serve", "--show-token"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    assert printed == read_token(workspace.paths.mcp_token)


def test_a_refusal_tells_a_token_that_is_wrong_from_one_that_is_missing_and_names_the_other_site(
    workspace: Workspace, token: dict[str, str]
) -> None:
    with serving(workspace) as server:
        missing, wrong, foreign = (
            json.loads(server.ask("/v1/status", **headers)[1])["detail"]
            for headers in ({}, {"Authorization": "Bearer wrong"}, {**token, "Origin": "http://other.example"})
        )
    assert missing == "the token is missing"
    assert "not that of this workspace" in wrong
    assert "another site" in foreign
