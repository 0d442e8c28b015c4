"""What a scope may not see stands in no view of a page that is opened for another scope."""

import re

import pytest

from engram.web.app import VIEWS
from engram.web.reader import Reader
from engram.workspace import Workspace
from tests.cases import for_each
from tests.conftest import WorkspaceWith
from tests.web.making import open_page

SECRET = "zanzibar"
RESTS = {
    "entity": ["people/anna"],
    "fact": ["people/anna-001", "people/anna-002"],
    "domains": ["", "release"],
    "sessions": ["", "group"],
}
PARAMETERS = [
    {},
    {"q": "what does Anna plan"},
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
    said = told(filled, Reader(session="group"), view).casefold()
    assert SECRET not in said
    assert "heist" not in said
    assert "hers" not in re.findall(r"\w+", said)


@for_each("view", ("names", "entity", "fact", "ask", "graph"))
def test_who_said_it_does_read_it(filled: Workspace, view: str) -> None:
    said = told(filled, Reader(session="hers"), view).casefold()
    assert "heist" in said if view == "graph" else SECRET in said


@pytest.mark.parametrize(
    ("hidden", "nowhere"),
    [
        ("fact/projects/heist-001", "fact/projects/nobody-001"),
        ("fact/people/anna-002", "fact/people/anna-099"),
        ("entity/projects/heist", "entity/projects/nobody"),
        ("sessions/hers", "sessions/nobody"),
    ],
)
def test_what_is_hidden_answers_as_what_is_not_there(filled: Workspace, hidden: str, nowhere: str) -> None:
    with open_page(filled, Reader(session="group")) as client:
        answers = [(client.get(f"/api/{place}"), place.partition("/")[2]) for place in (hidden, nowhere)]
    (one, other) = [(answer.status_code, answer.text.replace(name, "IT")) for answer, name in answers]
    assert one == other
    assert one[0] == 404
