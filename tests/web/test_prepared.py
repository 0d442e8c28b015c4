"""What is made ahead of a view: the graph once for each state of the store, and only while nobody waits."""

import json
import threading
import time

import pytest
from starlette.testclient import TestClient

from engram.errors import SettingsError
from engram.services.visibility import Caller
from engram.warm.warm_store import WarmStore
from engram.web.app import make_app
from engram.web.idle import QUIET_S
from engram.web.idle import Requests
from engram.web.prepared import PreparedGraph
from engram.workspace import Workspace


def test_the_graph_is_made_once_for_each_state_of_the_store(workspace: Workspace) -> None:
    workspace.submit("write", {"entity": "people/anna", "text": "Anna prefers tea", "create": True})
    graph = PreparedGraph(WarmStore(workspace.paths.root, now=workspace.now))
    first = graph.answer(None)
    assert json.loads(first)["nodes"]["path"] == ["people/anna"]
    assert graph.answer(None) is first
    workspace.submit("write", {"entity": "people/boris", "text": "Boris lives in Riga", "create": True})
    assert json.loads(graph.answer(None))["nodes"]["path"] == ["people/anna", "people/boris"]


def test_what_is_kept_is_neither_another_readers_nor_of_other_types_of_relations(workspace: Workspace) -> None:
    for path, fields in {
        "people/omar": {"scope": "agent:main"},
        "people/anna": {"attribute": "mentors", "value": "Omar"},
        "people/boris": {"attribute": "works_at", "value": "Acme"},
        "projects/acme": {},
    }.items():
        args = {"entity": path, "text": f"{path} is told of", "title": path.partition("/")[2].title(), "create": True}
        workspace.submit("write", {**args, **fields})
    graph = PreparedGraph(WarmStore(workspace.paths.root, now=workspace.now))
    outsider = Caller("elsewhere/main", "elsewhere", foreign=True)

    assert "people/omar" in json.loads(graph.answer(None))["nodes"]["path"]
    assert b"mar" not in graph.answer(outsider)
    whole = graph.answer(None)
    assert b"people/omar" in whole

    workspace.paths.ontology.parent.mkdir(exist_ok=True)
    workspace.paths.ontology.write_text("[works_at]\nenabled = false\n\n[mentors]\nfrom = 'people'\n", encoding="utf-8")
    after = graph.answer(None)
    assert json.loads(after)["edges"] != json.loads(whole)["edges"]

    workspace.paths.ontology.write_text("[works_at", encoding="utf-8")
    with pytest.raises(SettingsError):
        graph.answer(None)
    workspace.paths.ontology.unlink()
    assert graph.answer(None) == whole


def test_the_index_is_opened_for_who_asks_and_beside_no_other_view(workspace: Workspace) -> None:
    workspace.submit("write", {"entity": "people/anna", "text": "Anna prefers tea", "create": True})
    workspace.index.complete()
    store = WarmStore(workspace.paths.root)
    with TestClient(make_app(store)) as client:
        for place in ("today", "api/meta", "api/graph"):
            assert client.get(f"/{place}").status_code == 200
        assert not store.is_warm()

        assert client.get("/api/ask/ready").json() == {"ready": True}
        assert store.is_warm()
        store.close()
        assert client.get("/ask").status_code == 200
        assert store.is_warm()
    store.close()


def test_nothing_is_done_ahead_before_the_first_answer_and_while_somebody_waits() -> None:
    requests = Requests()
    assert not requests.is_quiet()
    with requests.answering():
        waiter = threading.Thread(target=requests.wait_until_quiet, daemon=True)
        waiter.start()
        time.sleep(QUIET_S)
        assert waiter.is_alive()
        assert not requests.is_quiet()
    waiter.join(60)
    assert requests.is_quiet()
