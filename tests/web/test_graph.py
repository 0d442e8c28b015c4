"""The graph of the page: every day in columns, a card for one entity, and nothing of another session's."""

import datetime as dt
from typing import Any

import pytest

from engram.base.clock import utc_now
from engram.web.reader import Reader
from engram.workspace import Workspace
from tests.web.making import open_page


def day(number: int) -> str:
    return (dt.date(1970, 1, 1) + dt.timedelta(days=number)).isoformat()


@pytest.fixture
def known(workspace: Workspace) -> Workspace:
    """Anna and billing since January; cora only in a group, and joined to anna there."""
    workspace.now = utc_now
    workspace.submit("session-add", {"name": "club", "kind": "group"})
    workspace.submit("session-add", {"name": "work", "kind": "group"})
    for args in (
        {"entity": "people/anna", "text": "Anna prefers tea", "tags": ["home"]},
        {
            "entity": "projects/billing",
            "text": "Anna runs billing",
            "related": ["people/anna"],
            "valid_from": "2026-01-05",
        },
        {"entity": "people/cora", "text": "Cora knows Anna", "related": ["people/anna"], "scope": "session:club"},
    ):
        workspace.submit("write", {**args, "create": True})
    return workspace


def test_the_graph_tells_who_is_known_from_which_day(known: Workspace) -> None:
    found = open_page(known).get("/api/graph").json()

    nodes, spans = found["nodes"], found["spans"]
    assert nodes["path"] == ["people/anna", "people/cora", "projects/billing"]
    assert [found["tags"][place] for place in nodes["tags"][0]] == ["home"]
    begins = {nodes["path"][node]: day(at) for node, at in zip(spans["node"], spans["from"], strict=True)}
    assert begins["projects/billing"] == "2026-01-05"
    assert set(spans["to"]) == {-1}
    pairs = {
        (nodes["path"][a], nodes["path"][b]) for a, b in zip(found["edges"]["a"], found["edges"]["b"], strict=True)
    }
    assert pairs == {("people/anna", "people/cora"), ("people/anna", "projects/billing")}


def test_the_graph_of_an_earlier_knowledge_has_what_was_known(known: Workspace) -> None:
    yesterday = (utc_now() - dt.timedelta(days=2)).date().isoformat()

    assert open_page(known).get("/api/graph", params={"as_known": yesterday}).json()["spans"]["node"] == []


def test_a_card_has_the_facts_of_a_day(known: Workspace) -> None:
    page = open_page(known)

    now = page.get("/api/graph/projects/billing").json()
    then = page.get("/api/graph/projects/billing", params={"as_of": "2026-01-04"}).json()
    that_day = page.get("/api/graph/projects/billing", params={"as_of": "2026-01-05"}).json()

    assert (now["title"], now["counts"], [one["text"] for one in now["facts"]]) == (
        "Billing",
        {"hot": 1, "warm": 0, "cold": 0},
        ["Anna runs billing"],
    )
    assert (then["facts"], len(that_day["facts"])) == ([], 1)


@pytest.mark.parametrize("path", ["/api/graph", "/api/graph/people/anna"])
def test_a_reader_sees_nothing_of_another_session(known: Workspace, path: str) -> None:
    own: Any = open_page(known, Reader(session="club")).get(path)
    others = open_page(known, Reader(session="work")).get(path)

    assert own.status_code == others.status_code == 200
    assert "cora" not in others.text.casefold()
    if path == "/api/graph":
        assert "cora" in own.text.casefold()


def test_a_card_of_somebody_hidden_is_of_nobody(known: Workspace) -> None:
    hidden = open_page(known, Reader(session="work")).get("/api/graph/people/cora")
    nobody = open_page(known, Reader(session="work")).get("/api/graph/people/dora")

    assert hidden.status_code == nobody.status_code == 404
    assert hidden.text.replace("cora", "dora") == nobody.text
