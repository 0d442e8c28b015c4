"""A heartbeat that is started from the page: planned, run in a process of its own, and told of while it runs."""

import time
from typing import Any

import pytest
from starlette.testclient import TestClient

from engram.heartbeat.run.runner import heartbeat_lease
from engram.web.heartbeat_process import HeartbeatProcess
from engram.web.heartbeat_process import heartbeat_of
from engram.workspace import Workspace
from tests.conftest import WorkspaceWith
from tests.web.making import open_page

WAIT_S = 120.0


def fill(workspace: Workspace) -> None:
    turn = {"id": f"turn/{1:032x}", "session": "demo", "text": "I prefer green tea", "speaker": "user"}
    workspace.submit("capture", {"session": "demo", "turns": [turn]})


@pytest.fixture
def filled(workspace_with: WorkspaceWith) -> Workspace:
    return workspace_with(fill)


def post(client: TestClient, door: str) -> tuple[int, dict[str, Any]]:
    answer = client.post(f"/api/{door}", json={"verb": "heartbeat-run", "args": {}})
    return answer.status_code, answer.json()


def test_a_heartbeat_runs_when_it_is_asked_for_and_leaves_its_record(filled: Workspace) -> None:
    with open_page(filled) as client:
        status, planned = post(client, "plan")
        assert status == 200
        assert any("extraction" in line for line in planned["lines"])
        assert any("1 turn" in line for line in planned["lines"])
        assert client.get("/api/heartbeat").json()["runs"] == []

        assert post(client, "apply")[0] == 200
        heartbeat_of(filled.paths.root).wait()
        found = client.get("/api/heartbeat").json()
        assert ([one["status"] for one in found["runs"]], found["trouble"]) == (["ok"], "")


def test_a_second_one_is_refused_while_one_runs(filled: Workspace) -> None:
    with open_page(filled) as client, heartbeat_lease(filled).hold():
        for door in ("plan", "apply"):
            status, refused = post(client, door)
            assert (status, refused["error"]["message"]) == (422, "a heartbeat runs already")


def test_why_a_heartbeat_failed_is_told(filled: Workspace) -> None:
    (filled.paths.root / "engram.toml").write_text("[heartbeat]\nlease_s = 'soon'\n", encoding="utf-8")
    started = HeartbeatProcess(filled.paths.root)
    started.begin()
    started.wait()
    until = time.monotonic() + WAIT_S
    while not started.trouble() and time.monotonic() < until:
        time.sleep(0.05)
    assert "lease_s" in started.trouble()
