"""`--project`: work on one thing brings nothing that belongs to another."""

from pathlib import Path

import pytest

from engram.base.project import Project
from engram.errors import UnknownEntityError
from engram.workspace import Workspace
from tests.conftest import Engram
from tests.conftest import WorkspaceWith
from tests.services.test_recall import Memory

QUESTION = "which port does the server listen on"


@pytest.fixture
def memory(workspace_with: WorkspaceWith) -> Memory:
    return Memory(workspace_with(fill))


def fill(workspace: Workspace) -> None:
    """Write two projects that are worked on, each with its port, and a habit of the owner's."""
    memory = Memory(workspace)
    for name, port in (("parcels", 8080), ("library", 9090)):
        place = Project(f"projects/{name}", name).as_args()
        turn = {"id": f"turn/{port:0>32}", "text": f"The {name} server listens on port {port}", "speaker": "user"}
        workspace.submit("capture", {"session": f"codex/{name}", "turns": [turn], **place})
        memory.write(f"The {name} server listens on port {port}", entity=f"projects/{name}")
    memory.write("Anna opens every server on a high port")


@pytest.mark.parametrize("named", ["projects/parcels", "parcels", "/srv/parcels"])
def test_what_belongs_to_another_project_is_left_out(memory: Memory, named: str) -> None:
    found = memory.texts(QUESTION, project=named)

    assert "The parcels server listens on port 8080" in found
    assert not [text for text in found if "library" in text]


def test_what_belongs_to_no_project_stays(memory: Memory) -> None:
    assert "Anna opens every server on a high port" in memory.texts(
        "who opens a server on a high port", project="parcels"
    )


def test_without_it_both_are_there(memory: Memory) -> None:
    found = " ".join(memory.texts(QUESTION))

    assert ("8080" in found, "9090" in found) == (True, True)


def test_a_project_that_nobody_knows_is_an_error(memory: Memory) -> None:
    with pytest.raises(UnknownEntityError):
        memory.ask(QUESTION, project="nowhere")


def test_a_point_is_the_working_directory(
    memory: Memory, engram: Engram, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "library"
    here.mkdir()
    monkeypatch.chdir(here)

    found = engram("recall", QUESTION, "--project", ".", "--json").json["hits"]

    assert any("9090" in hit["text"] for hit in found)
    assert not any("8080" in hit["text"] for hit in found)
