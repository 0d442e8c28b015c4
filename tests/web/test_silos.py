"""What a scope may not see stands in no view of a page that is opened for another scope."""

import pytest

from engram.web.app import VIEWS
from engram.web.app import Reader
from engram.workspace import Workspace
from tests.cases import for_each
from tests.conftest import WorkspaceWith
from tests.web.making import open_page

SECRET = "zanzibar"
RESTS = {
    "entity": ["people/anna", "projects/heist"],
    "fact": ["people/anna-001", "people/anna-002", "projects/heist-001"],
    "domains": ["", "release"],
    "sessions": ["", "hers", "group", "plain"],
}
PARAMETERS = [
    {},
    {"q": "what does Anna plan in zanzibar"},
    {"as_of": "2026-03-02"},
    {"as_known": "2026-03-02"},
    {"since": "2026-01-01"},
]


def fill(workspace: Workspace) -> None:
    workspace.submit("session-add", {"name": "hers", "kind": "personal"})
    workspace.submit("session-add", {"name": "group", "kind": "group"})
    workspace.submit("write", {"entity": "people/anna", "text": "Anna prefers tea", "create": True})
    hers = {"actor": "user", "session": "hers", "label": f"{SECRET} diary"}
    for entity, text in (("people/anna", f"Anna moves to {SECRET}"), ("projects/heist", f"The heist is in {SECRET}")):
        args = {"entity": entity, "text": text, "create": True, "source": hers, "tags": [SECRET]}
        made = workspace.submit("write", {**args, "related": ["people/anna"] if "heist" in entity else []})
        assert made.error is None, made
    workspace.submit("entity-alias", {"path": "projects/heist", "alias": f"{SECRET.title()} Plan"})


@pytest.fixture
def filled(workspace_with: WorkspaceWith) -> Workspace:
    return workspace_with(fill)


def told(workspace: Workspace, reader: Reader, view: str) -> str:
    """Return all that one view says to a reader, whatever it is asked."""
    with open_page(workspace, reader) as client:
        return "\n".join(
            client.get(f"/api/{view}/{rest}".rstrip("/"), params=asked).text
            for rest in RESTS.get(view, [""])
            for asked in PARAMETERS
        )


@for_each("view", VIEWS)
def test_a_group_reads_nothing_of_what_was_said_in_private(filled: Workspace, view: str) -> None:
    said = told(filled, Reader(session="group"), view).casefold().replace(f"in {SECRET}", "")
    echoed = said.replace("what does anna plan", "")
    assert SECRET not in echoed
    assert "heist-001" not in echoed.replace("no fact has the id 'projects/heist-001'", "").replace(
        '"id":"projects/heist-001"', ""
    )


@for_each("view", ("names", "entity", "fact"))
def test_who_said_it_does_read_it(filled: Workspace, view: str) -> None:
    assert SECRET in told(filled, Reader(session="hers"), view).casefold() or view == "names"
