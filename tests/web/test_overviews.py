"""The views Heartbeat, Domains, Sessions and Health over a real workspace: what they tell, and to whom."""

import datetime as dt
import json
import time
from typing import Any

import pytest
from starlette.testclient import TestClient

from engram.heartbeat.run.runner import run_heartbeat
from engram.model.domain import DomainType
from engram.services.domains.desk import DomainCommands
from engram.services.domains.desk import NewDomain
from engram.web.app import STATIC
from engram.web.reader import Reader
from engram.workspace import Workspace
from tests.heartbeat.in_process import answer_in_process
from tests.making import NOW
from tests.web.making import open_page

WAIT_S = 60.0
FIGURES = STATIC.parent / "figures"


@pytest.fixture
def run(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A store with two sessions that are kept apart from each other, a domain, and one heartbeat behind it."""
    answer_in_process(monkeypatch)
    workspace.submit("entity-add", {"path": "people/anna"})
    for number, (session, text) in enumerate(
        (("demo", "Anna prefers green tea"), ("diary", "Anna prefers to sleep late"))
    ):
        if session == "diary":
            workspace.submit("session-add", {"name": "diary", "kind": "personal"})
        turn = {"id": f"turn/{number:032x}", "session": session, "text": text, "speaker": "user"}
        workspace.submit("capture", {"session": session, "turns": [turn]})
    workspace.submit("session-add", {"name": "choir", "kind": "group"})
    desk = DomainCommands(workspace.files, now=NOW, role=None)
    desk.add(NewDomain("backup", DomainType.CRON_TASK))
    desk.log("backup", "Copied 4 GB")
    run_heartbeat(workspace)
    return workspace


def get(client: TestClient, path: str, **params: str) -> dict[str, Any]:
    answer = client.get(f"/api/{path}", params=params)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_a_run_opens_with_what_it_wrote(run: Workspace) -> None:
    with open_page(run) as client:
        found = get(client, "heartbeat")
        opened = get(client, f"heartbeat/{found['runs'][0]['run_id']}")

    assert {fact["text"] for fact in opened["facts"]} == {"Anna prefers green tea", "Anna prefers to sleep late"}
    assert [one["consumer"] for one in found["marks"]][:1] == ["extraction"]
    assert found["now"] is None


def test_domains_are_listed_and_opened(run: Workspace) -> None:
    with open_page(run) as client:
        assert [one["name"] for one in get(client, "domains")["domains"]] == ["backup"]
        assert get(client, "domains/backup")["changelog"][0]["text"] == "Copied 4 GB"
        assert client.get("/api/domains/nothing").status_code == 404


def test_sessions_are_listed_and_opened(run: Workspace) -> None:
    with open_page(run) as client:
        assert {one["name"]: one["facts"] for one in get(client, "sessions")["sessions"]}["demo"] == 1
        (turn,) = get(client, "sessions/demo")["turns"]
        assert (turn["outcome"], turn["facts"][0]["text"]) == ("facts", "Anna prefers green tea")
        assert get(client, "sessions/demo", outcome="nothing")["turns"] == []
        assert client.get("/api/sessions/demo", params={"outcome": "lost"}).status_code == 400


def test_health_tells_lag_growth_and_the_figures_of_this_version(run: Workspace) -> None:
    with open_page(run) as client:
        found = get(client, "health")

    assert sum(week["facts"] for week in found["weeks"]) == 2
    assert found["standing"]["index_lag"] == 0
    assert found["doctor"] == {"running": False, "began_at": None, "plan": []}
    assert set(found["figures"]) == {"crash", "attack"}


def test_doctor_looks_when_asked_tells_what_mending_would_do_and_mends(run: Workspace) -> None:
    run.paths.database.unlink()
    with open_page(run) as client:
        refused = client.post("/api/plan", json={"verb": "doctor-fix", "args": {}})
        assert refused.status_code == 422

        assert get(client, "health/doctor", begin="1")["running"]
        found = wait_for_doctor(client)
        assert "database-missing" in [one["code"] for one in found["findings"]]
        planned = client.post("/api/plan", json={"verb": "doctor-fix", "args": {}}).json()
        assert "make the database anew from the journal" in "\n".join(planned["lines"])
        assert not run.paths.database.exists()

        done = client.post("/api/apply", json={"verb": "doctor-fix", "args": {}, "seen": planned["seen"]})
        assert done.status_code == 200, done.text
        mended = wait_for_doctor(client)
    assert "database-missing" in [one["code"] for one in mended["findings"] if one["fixed"]]
    assert run.paths.database.exists()


def wait_for_doctor(client: TestClient) -> dict[str, Any]:
    until = time.monotonic() + WAIT_S
    while (found := get(client, "health/doctor"))["running"]:
        assert time.monotonic() < until, found
        time.sleep(0.1)
    return found


@pytest.mark.parametrize("view", ["heartbeat", "domains", "domains/backup", "health", "health/doctor"])
def test_what_tells_of_the_whole_store_is_the_owners_alone(run: Workspace, view: str) -> None:
    with open_page(run, Reader(session="choir")) as client:
        answer = client.get(f"/api/{view}")

    assert answer.status_code == 422
    assert "owner" in answer.json()["error"]["message"]


def test_a_reader_of_one_session_sees_no_other_session(run: Workspace) -> None:
    with open_page(run, Reader(session="choir")) as client:
        assert [one["name"] for one in get(client, "sessions")["sessions"]] == ["choir"]
        for name in ("demo", "diary"):
            hidden = client.get(f"/api/sessions/{name}")
            assert hidden.status_code == 404
            assert "Anna" not in hidden.text


def test_figures_in_the_package_say_with_which_version_and_command_they_were_counted() -> None:
    rows = {
        "crash": {"fault", "work", "trials", "broken"},
        "attack": {"half", "is_attack", "door", "by_person", "texts"},
    }
    kept = {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in FIGURES.glob("*.json")}

    assert kept.keys() <= rows.keys()
    for name, figures in kept.items():
        assert figures["command"].startswith(f"scripts/bench {name}")
        assert figures["engram"].count(".") == 2
        assert dt.date.fromisoformat(figures["measured_on"])
        assert figures["rows"]
        assert all(row.keys() >= rows[name] for row in figures["rows"])
