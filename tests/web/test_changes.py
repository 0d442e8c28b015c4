"""Changes from the page: planned, shown, done by the same rules; a stale form is refused with what changed."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from engram.model.fact import Actor
from engram.ports.database import FactFilter
from engram.web.reader import Reader
from engram.workspace import Workspace
from tests.conftest import WorkspaceWith
from tests.web.making import open_page

TEA = "people/anna-001"


def fill(workspace: Workspace) -> None:
    workspace.submit("write", {"entity": "people/anna", "text": "Anna prefers tea", "create": True}, actor=Actor.USER)


@pytest.fixture
def filled(workspace_with: WorkspaceWith) -> Workspace:
    return workspace_with(fill)


def post(client: TestClient, door: str, verb: str, seen: str | None = None, **args: Any) -> tuple[int, dict[str, Any]]:
    answer = client.post(f"/api/{door}", json={"verb": verb, "args": args, "seen": seen})
    return answer.status_code, answer.json()


def texts(workspace: Workspace, status: str = "active") -> set[str]:
    with workspace.reading() as database:
        return {fact.text for fact in database.list_facts(FactFilter(status=status))}


def test_a_plan_says_in_words_what_would_be_done_and_does_nothing(filled: Workspace) -> None:
    with open_page(filled) as client:
        status, planned = post(client, "plan", "correct", id=TEA, text="Anna prefers white tea")
        assert status == 200
        assert planned["lines"][0].startswith("nothing is changed")
        assert any("Anna prefers white tea" in line for line in planned["lines"])
        assert planned["about"][0]["text"] == "Anna prefers tea"
    assert texts(filled) == {"Anna prefers tea"}


def test_what_was_planned_is_applied_and_can_be_undone(filled: Workspace) -> None:
    with open_page(filled) as client:
        args = {"id": TEA, "text": "Anna prefers white tea"}
        _, planned = post(client, "plan", "correct", **args)
        status, done = post(client, "apply", "correct", planned["seen"], **args)
        assert (status, done["result"]["status"]) == (200, "superseded")
        assert texts(filled) == {"Anna prefers white tea"}
        assert post(client, "apply", "undo", id=done["result"]["command_id"])[0] == 200
        assert texts(filled) == {"Anna prefers tea"}


def test_what_was_retracted_or_written_from_the_page_can_be_undone(filled: Workspace) -> None:
    with open_page(filled) as client:
        _, planned = post(client, "plan", "retract", id=TEA, reason="said in jest")
        _, gone = post(client, "apply", "retract", planned["seen"], id=TEA, reason="said in jest")
        _, made = post(client, "apply", "write", entity="people/anna", text="Anna sails on Sundays")
        assert texts(filled) == {"Anna sails on Sundays"}
        for done in (gone, made):
            assert "undoable" in done["result"]["details"]
            assert post(client, "apply", "undo", id=done["result"]["command_id"])[0] == 200
    assert texts(filled) == {"Anna prefers tea"}


def test_a_stale_form_is_refused_with_what_changed_and_nothing_is_done(filled: Workspace) -> None:
    with open_page(filled) as client:
        _, planned = post(client, "plan", "pin", id=TEA)
        filled.submit("retract", {"id": TEA, "reason": "said in jest"})
        status, refused = post(client, "apply", "pin", planned["seen"], id=TEA)
        assert (status, refused["error"]["code"]) == (409, "Changed")
        assert refused["error"]["details"]["about"][0]["status"] == "retracted"
        assert post(client, "plan", "pin", planned["seen"], id=TEA)[0] == 409
    assert texts(filled, "retracted") == {"Anna prefers tea"}


def test_no_change_of_something_shown_goes_without_its_stamp(filled: Workspace) -> None:
    with open_page(filled) as client:
        assert post(client, "apply", "retract", id=TEA, reason="no")[0] == 409
    assert texts(filled) == {"Anna prefers tea"}


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ({"verb": "explode", "args": {}}, "verb"),
        ({"verb": ["pin"], "args": {}}, "verb"),
        ({"args": {"id": TEA}}, "verb"),
        ({"verb": "pin", "args": {}}, "id"),
        ({"verb": "pin", "args": {"id": ""}}, "id"),
        ({"verb": "pin", "args": {"id": TEA, "trust": "trusted"}}, "trust"),
        ({"verb": "pin", "args": [TEA]}, "args"),
        ({"verb": "retract", "args": {"id": TEA}}, "reason"),
    ],
)
def test_what_the_page_does_not_know_is_refused_by_name(filled: Workspace, said: Any, wrong: str) -> None:
    with open_page(filled) as client:
        answer = client.post("/api/plan", json=said)
        assert (answer.status_code, wrong in answer.json()["error"]["message"]) == (400, True)


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"1", b"\xff", b"[" * 100_000, b'"' + b"x" * (2 << 20) + b'"'])
def test_what_is_no_request_is_refused(filled: Workspace, body: bytes) -> None:
    with open_page(filled) as client:
        answer = client.post("/api/apply", content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code == 400


def test_an_unknown_fact_is_not_found_and_a_retired_one_is_refused(filled: Workspace) -> None:
    with open_page(filled) as client:
        assert post(client, "plan", "confirm", id="people/anna-099")[0] == 404
        filled.submit("retract", {"id": TEA, "reason": "said in jest"})
        status, refused = post(client, "plan", "correct", id=TEA, text="Anna prefers coffee")
        assert (status, refused["error"]["hint"] != "") == (422, True)


def test_who_reads_as_a_session_cannot_change_what_another_keeps(filled: Workspace) -> None:
    filled.submit("session-add", {"name": "hers", "kind": "personal"})
    filled.submit("session-add", {"name": "group", "kind": "group"})
    source = {"actor": "user", "session": "hers"}
    made = filled.submit("write", {"entity": "people/anna", "text": "Anna sold the car", "source": source})
    assert made.id is not None
    with open_page(filled, Reader(session="group")) as client:
        assert post(client, "plan", "pin", id=made.id)[0] == 404
        assert post(client, "apply", "retract", "x", id=made.id, reason="no")[0] == 404
    with open_page(filled, Reader(session="hers")) as client:
        assert post(client, "plan", "pin", id=made.id)[0] == 200


def test_what_is_forgotten_from_the_page_is_gone_and_the_receipt_says_so(filled: Workspace) -> None:
    with open_page(filled) as client:
        args = {"id": TEA, "reason": "she asked for it"}
        _, planned = post(client, "plan", "forget", **args)
        assert planned["lines"][:2] == ["would be erased: 1 fact", f"  {TEA}"]
        assert texts(filled) == {"Anna prefers tea"}
        status, done = post(client, "apply", "forget", planned["seen"], **args)
        assert (status, done["result"]["status"], done["result"]["details"]["left"]) == (200, "forgotten", [])
        assert client.get("/api/meta").status_code == 200
    journal = b"".join(path.read_bytes() for path in filled.paths.journal.iterdir() if path.is_file())
    assert b"prefers tea" not in journal


def test_entities_are_merged_from_the_page_and_apart_again_by_undo(filled: Workspace) -> None:
    filled.submit("write", {"entity": "people/ann", "text": "Ann sails", "create": True})
    with open_page(filled) as client:
        args = {"source": "people/ann", "into": "people/anna"}
        _, planned = post(client, "plan", "entity-merge", **args)
        assert [one["path"] for one in planned["about"]] == ["people/ann", "people/anna"]
        status, done = post(client, "apply", "entity-merge", planned["seen"], **args)
        assert status == 200
        names = [path for path, *_ in client.get("/api/names").json()["entities"]]
        assert "people/ann" not in names
        assert post(client, "apply", "undo", id=done["result"]["command_id"])[0] == 200
        assert "people/ann" in [path for path, *_ in client.get("/api/names").json()["entities"]]


def test_facts_of_another_are_split_off_from_the_page_and_put_back_by_undo(filled: Workspace) -> None:
    filled.submit("write", {"entity": "people/anna", "text": "Anna flies gliders"}, actor=Actor.USER)
    with open_page(filled) as client:
        args: dict[str, Any] = {"path": "people/anna", "facts": ["people/anna-002"], "to": "Anna Schmidt"}
        _, planned = post(client, "plan", "entity-split", **args)
        assert any("split people/anna-schmidt off people/anna (1 fact)" in line for line in planned["lines"])
        status, done = post(client, "apply", "entity-split", planned["seen"], **args)
        assert (status, done["result"]["id"]) == (200, "people/anna-schmidt")
        split_off = client.get("/api/entity/people/anna-schmidt").json()
        assert [fact["text"] for fact in split_off["facts"]] == ["Anna flies gliders"]
        assert post(client, "apply", "undo", id=done["result"]["command_id"])[0] == 200
        whole = client.get("/api/entity/people/anna").json()
        assert {fact["text"] for fact in whole["facts"]} == {"Anna flies gliders", "Anna prefers tea"}


def test_an_entity_names_who_was_merged_into_it_and_a_split_lets_them_stand_apart(filled: Workspace) -> None:
    filled.submit("write", {"entity": "people/ann", "text": "Ann sails", "create": True})
    with open_page(filled) as client:
        assert client.get("/api/entity/people/anna").json()["merged"] is None
        filled.submit("entity-merge", {"source": "people/ann", "into": "people/anna"})
        assert client.get("/api/entity/people/anna").json()["merged"] == "people/ann"
        _, planned = post(client, "plan", "entity-split", path="people/anna")
        assert post(client, "apply", "entity-split", planned["seen"], path="people/anna")[0] == 200
        assert client.get("/api/entity/people/anna").json()["merged"] is None


@pytest.mark.parametrize(
    ("verb", "args"),
    [
        ("heartbeat-run", {}),
        ("entity-split", {"path": "people/anna"}),
        ("write", {"entity": "people/anna", "text": "Anna hates tea"}),
        ("undo", {}),
        ("forget", {"id": TEA, "reason": "no"}),
        ("correct", {"id": TEA, "text": "Anna hates tea"}),
        ("retract", {"id": TEA, "reason": "no"}),
        ("confirm", {"id": TEA}),
        ("pin", {"id": TEA}),
        ("entity-rename", {"path": "people/anna", "new": "people/ann"}),
        ("entity-archive", {"path": "people/anna"}),
    ],
)
def test_a_group_changes_nothing_that_others_see_and_reads_no_plan_of_it(
    filled: Workspace, verb: str, args: dict[str, Any]
) -> None:
    filled.submit("session-add", {"name": "group", "kind": "group"})
    before = filled.journal.head()
    with open_page(filled, Reader(session="group")) as client:
        for door in ("plan", "apply"):
            status, refused = post(client, door, verb, **args)
            assert (status, "lines" in refused) == (422, False), refused
    assert filled.journal.head() == before
