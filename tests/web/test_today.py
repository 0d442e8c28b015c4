"""The views Today, Entity, Fact and Ask as a browser is answered: what they show, and to whom."""

import datetime as dt
from typing import Any
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from engram.base.clock import to_iso
from engram.heartbeat.child.run_records import RunRecords
from engram.web.reader import Reader
from engram.workspace import Workspace
from tests.conftest import WorkspaceWith
from tests.making import NOW
from tests.web.making import open_page

ANNA = "people/anna"
HIDDEN = "Zebedee"  # what only the session `kept` is told


def fill(workspace: Workspace) -> None:
    said = {"entity": ANNA, "create": True}
    workspace.submit("write", {**said, "text": "Anna prefers tea", "category": "preference"})
    workspace.submit("correct", {"id": f"{ANNA}-001", "text": "Anna prefers white tea"})
    workspace.submit("session-add", {"name": "kept", "kind": "personal"})
    workspace.submit("session-add", {"name": "other"})
    workspace.submit("write", {**said, "text": f"Anna fears {HIDDEN}", "scope": "session:kept"})


@pytest.fixture
def filled(workspace_with: WorkspaceWith) -> Workspace:
    return workspace_with(fill)


def get(client: TestClient, path: str, **params: str) -> Any:
    answer = client.get(f"/api/{path}", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_today_tells_what_is_new_with_what_a_form_needs(filled: Workspace) -> None:
    with open_page(filled) as client:
        (group,) = get(client, "today", since="2026-03-01")["learnt"]["groups"]
        shown = {one["text"]: one for one in group["shown"]}
        tea = shown["Anna prefers white tea"]
        planned = client.post("/api/plan", json={"verb": "confirm", "args": {"id": tea["id"]}, "seen": tea["stamp"]})

    assert (tea["was"], tea["said"]["origin"]) == ("Anna prefers tea", "person")
    assert planned.status_code == 200


def test_without_a_last_look_the_last_week_is_news(filled: Workspace) -> None:
    with open_page(filled) as client:
        since = get(client, "today")["learnt"]["since"]

    now = dt.datetime.now(dt.UTC)
    assert abs(dt.datetime.fromisoformat(since) - (now - dt.timedelta(days=7))) < dt.timedelta(minutes=5)


def test_today_tells_what_the_last_heartbeat_did(filled: Workspace) -> None:
    phases = [{"phase": "extraction", "status": "ok", "summary": "3 facts", "alerts": [], "stats": {}}]
    run = {"run_id": "01", "status": "ok", "started_at": to_iso(NOW), "alerts": [f"alert {n}" for n in range(7)]}
    RunRecords(filled.paths.runs).save({**run, "phases": phases})

    with open_page(filled) as client:
        told = get(client, "today")["heartbeat"]
    with open_page(filled, Reader(session="other")) as client:
        assert get(client, "today")["heartbeat"] is None

    assert (told["status"], told["running"], len(told["alerts"]), told["more_alerts"]) == ("ok", False, 5, 2)
    assert told["phases"] == [{"phase": "extraction", "status": "ok", "summary": "3 facts"}]


def test_the_start_block_is_told_part_by_part(filled: Workspace) -> None:
    with open_page(filled) as client:
        block = get(client, "start")

    lines = [line for part in block["parts"] for item in part["items"] for line in item["lines"]]
    assert any("white tea" in line for line in lines)
    assert all(line in block["text"] for line in lines)


def test_a_name_of_an_entity_leads_to_it_and_an_unknown_one_is_told(filled: Workspace) -> None:
    with open_page(filled) as client:
        assert get(client, f"entity/{quote('Anna')}")["entity"]["path"] == ANNA
        assert client.get("/api/entity/people/nobody").status_code == 404
        assert client.get("/api/fact/people/anna-999").status_code == 404


def test_a_fact_is_told_with_its_versions(filled: Workspace) -> None:
    with open_page(filled) as client:
        versions = get(client, f"fact/{ANNA}-001")["versions"]

    assert [one["text"] for one in versions] == ["Anna prefers tea", "Anna prefers white tea"]
    assert all(one["stamp"] for one in versions)


def test_a_question_is_answered_with_its_candidates(filled: Workspace) -> None:
    with open_page(filled) as client:
        found = get(client, "ask", q="What does Anna prefer?", k="1")
        assert client.get("/api/ask", params={"q": " "}).status_code == 400
        assert client.get("/api/ask", params={"q": "tea", "as_of": "someday"}).status_code == 400

    assert found["hits"][0]["text"] == "Anna prefers white tea"
    assert found["explain"]["weights"]


@pytest.mark.parametrize("path", ["today", f"entity/{ANNA}", f"fact/{ANNA}-002", "start", "ask"])
def test_a_reader_of_one_session_sees_nothing_of_anothers(filled: Workspace, path: str) -> None:
    params = {"q": f"What does Anna fear, {HIDDEN[:3]}?", "since": "2026-01-01"}
    with open_page(filled, Reader(session="other")) as client:
        theirs = client.get(f"/api/{path}", params=params)
    with open_page(filled, Reader(session="kept")) as client:
        own = client.get(f"/api/{path}", params=params)

    assert theirs.status_code == own.status_code == 200
    assert HIDDEN not in theirs.text
    assert f"{ANNA}-003" not in theirs.text
    assert path.startswith("fact") or HIDDEN in own.text
