"""A server that was started for one session tells nothing of others, and changes nothing for them."""

from typing import Any

import pytest

from engram.model.domain import DomainType
from engram.model.fact import Actor
from engram.operations.domains.domain_place import domain_files
from engram.rest.door import Door
from engram.services.domains.desk import DomainCommands
from engram.services.domains.desk import NewDomain
from engram.services.visibility import identify
from engram.workspace import Workspace
from tests.conftest import WorkspaceWith
from tests.rest.making import connect

SECRET = "Boris plans a surprise party"


def tell(workspace: Workspace) -> None:
    for name in ("boris", "carol"):
        workspace.submit("session-add", {"name": name, "kind": "personal"}, actor=Actor.USER)
    source = {"source": {"actor": "user", "session": "boris"}}
    fields = {"entity": "people/boris", "text": SECRET, "create": True, "scope": "session:boris", **source}
    workspace.submit("write", fields, actor=Actor.USER, command_id="of-boris")
    workspace.submit("write", {"entity": "people/anna", "text": "Anna prefers tea", "create": True}, actor=Actor.USER)
    employed = {"entity": "people/boris", "text": "Boris works at surprise parties", "scope": "session:boris", **source}
    workspace.submit("write", {**employed, "attribute": "employer", "value": "surprise parties"}, actor=Actor.USER)
    with workspace.reading() as database:
        silo = domain_files(workspace, identify(database, "main", "boris"))
    desk = DomainCommands(silo, now=workspace.now(), role=None)
    desk.add(NewDomain("of-boris", DomainType.TOPIC_THREAD, None, "A surprise party", ()))
    desk.propose("of-boris", "Let the surprise be a cake")


@pytest.fixture
def told(workspace_with: WorkspaceWith) -> Workspace:
    """Two personal sessions: in `boris` something private was said, and something is shared."""
    return workspace_with(tell)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/v1/facts?status=all", None),
        ("GET", "/v1/facts?entity=people/boris", None),
        ("GET", "/v1/facts/people/boris-001", None),
        ("GET", "/v1/facts/people/boris-001/history", None),
        ("GET", "/v1/facts/people/boris-001/why", None),
        ("GET", "/v1/recall/detail?id=people/boris-001", None),
        ("GET", "/v1/entities", None),
        ("GET", "/v1/entities/people/boris", None),
        ("GET", "/v1/timeline?entity=people/boris", None),
        ("GET", "/v1/relations", None),
        ("GET", "/v1/relations?entity=people/boris", None),
        ("POST", "/v1/contradictions", {"entity": "people/boris", "fact": "Boris plans no surprise party"}),
        ("GET", "/v1/domains", None),
        ("GET", "/v1/domains/of-boris", None),
        ("GET", "/v1/domains/of-boris/context", None),
        ("GET", "/v1/proposals", None),
        ("GET", "/v1/review?all=true", None),
        ("GET", "/v1/context", None),
        ("GET", "/v1/status", None),
        ("GET", "/v1/commands/of-boris", None),
        ("POST", "/v1/recall", {"query": "what does Boris plan"}),
    ],
)
def test_another_session_is_told_nothing(told: Workspace, method: str, path: str, body: Any) -> None:
    own = connect(told, Door("boris")).request(method, path, json=body)
    other = connect(told, Door("carol")).request(method, path, json=body)

    assert own.status_code == 200
    assert "surprise" not in other.text
    if "boris" not in f"{path}{body}":  # else the refusal repeats what was asked
        assert "boris" not in other.text.replace(str(told.paths.root), "")


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/facts/people/anna-001/retract", {"reason": "I do not like it"}),
        ("/v1/facts/people/anna-001/correct", {"fact": "Anna prefers coffee"}),
        ("/v1/facts/people/anna-001/pin", {}),
        ("/v1/facts", {"entity": "people/anna", "fact": "Anna sings", "session": "boris"}),
        ("/v1/facts", {"entity": "people/anna", "fact": "Anna sings", "scope": "session:boris"}),
        ("/v1/facts", {"entity": "people/anna", "fact": "Singing failed", "scope": "experience", "category": "lesson"}),
        ("/v1/undo", {}),
        ("/v1/entities", {"path": "people/dora"}),
        ("/v1/turns", {"turns": [{"session": "boris", "text": "hello"}]}),
    ],
)
def test_it_changes_nothing_that_others_see(told: Workspace, path: str, body: Any) -> None:
    before = told.journal.head()[0]
    answer = connect(told, Door("carol")).post(path, json=body)

    assert answer.status_code == 422
    assert told.journal.head()[0] == before


def test_a_session_that_is_none_is_an_error(told: Workspace) -> None:
    answer = connect(told, Door("nobody")).get("/v1/facts")

    assert (answer.status_code, answer.json()["error"]) == (404, "UnknownSession")


def test_what_is_said_in_a_session_that_is_kept_apart_stays_in_it(told: Workspace) -> None:
    made = connect(told, Door("carol")).post("/v1/facts", json={"entity": "people/anna", "fact": "Anna sings"}).json()

    assert made["fact"]["scope"] == "session:carol"
    assert connect(told, Door("boris")).get(f"/v1/facts/{made['id']}").status_code == 404


def test_the_id_of_somebody_elses_change_tells_nothing_of_it(told: Workspace) -> None:
    before = told.journal.head()[0]
    client, said = connect(told, Door("carol")), {"entity": "people/anna", "fact": "Anna sings"}
    answer = client.post("/v1/facts", json=said, headers={"Idempotency-Key": "of-boris"})

    assert (answer.status_code, answer.json()["error"]) == (422, "Refused")
    assert "people/boris" not in answer.text
    assert told.journal.head()[0] == before

    own = [client.post("/v1/facts", json=said, headers={"Idempotency-Key": "of-carol"}) for _ in range(2)]
    assert [one.json()["command_id"] for one in own] == ["of-carol", "of-carol"]
    assert own[0].json()["id"] == own[1].json()["id"]


def test_what_it_may_not_see_it_does_not_replace_either(told: Workspace) -> None:
    """An agent's own notes are unverified, so another agent's word reaches as far."""
    own = {"entity": "people/anna", "fact": "Anna uses Vim", "scope": "agent:one"}
    kept = connect(told, Door(agent="one")).post("/v1/facts", json=own).json()["id"]
    said = {"entity": "people/anna", "fact": "Anna dances", "supersedes": [kept]}

    answer = connect(told, Door(agent="two")).post("/v1/facts", json=said)

    assert (answer.status_code, answer.json()["error"]) == (404, "UnknownFact")
    with told.reading() as database:
        [found] = database.find_facts(kept)
    assert found.status == "active"
