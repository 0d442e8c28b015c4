"""What every door says of a fact whose file is not there any more."""

import errno
from pathlib import Path

import pytest

from engram.base.project import Project
from engram.config import project_folders
from engram.config.project_folders import note_project_folder
from engram.config.project_folders import read_project_folders
from engram.hooks.events.prompts import take_prompt
from engram.hooks.host import Event
from engram.mcp.answers import Caller
from engram.mcp.arguments import RecallArguments
from engram.mcp.arguments import ShowArguments
from engram.mcp.read_tools import recall
from engram.mcp.read_tools import show
from engram.operations.examine import examine_workspace
from engram.workspace import Workspace
from tests.conftest import Engram

QUESTION = "how is parcels deployed"
GONE = {"names": "scripts/deploy.sh", "kind": "path", "state": "gone"}
WORDS = "stale: scripts/deploy.sh is not there any more"


@pytest.fixture
def project(workspace: Workspace, tmp_path: Path) -> Path:
    """A project that is worked on, and a fact of it that names a file which is gone."""
    folder = tmp_path / "parcels"
    (folder / "scripts").mkdir(parents=True)
    turn = {"id": f"turn/{0:>32}", "text": "Parcels is deployed by hand", "speaker": "user"}
    place = Project("projects/parcels", "Parcels").as_args()
    workspace.submit("capture", {"session": "codex/parcels", "turns": [turn], **place})
    text = "Parcels is deployed by scripts/deploy.sh"
    workspace.submit("write", {"entity": "projects/parcels", "text": text, "create": True})
    return folder


def test_recall_marks_it_where_the_project_is_worked_on(
    project: Path, engram: Engram, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)

    found = engram("recall", QUESTION, "--json").json["hits"]

    assert [hit.get("freshness") for hit in found if hit["kind"] == "fact"] == [GONE]
    assert [hit for hit in found if hit["kind"] == "turn" and "freshness" in hit] == []
    assert WORDS in engram("recall", QUESTION).out


def test_elsewhere_it_is_marked_where_a_hook_noted_the_folder(
    workspace: Workspace, project: Path, engram: Engram
) -> None:
    assert WORDS not in engram("recall", QUESTION).out

    note_project_folder(workspace.paths, str(project))

    assert WORDS in engram("recall", QUESTION).out
    assert engram("show", "projects/parcels-001", "--json").json["freshness"] == GONE
    assert "scripts/deploy.sh is not there any more" in engram("show", "projects/parcels-001").out
    stale = [one for one in examine_workspace(workspace) if one.code == "fact-stale"]
    assert [(one.level, one.message) for one in stale] == [
        ("info", "projects/parcels-001: scripts/deploy.sh is not there any more")
    ]


def test_others_than_the_owner_are_told_nothing_of_folders(workspace: Workspace, project: Path, engram: Engram) -> None:
    note_project_folder(workspace.paths, str(project))

    chat = {"id": f"turn/{1:>32}", "text": "hello", "speaker": "user"}
    workspace.submit("capture", {"session": "chat", "kind": "group", "turns": [chat]})

    assert WORDS in engram("recall", QUESTION, "--session", "codex/parcels").out
    for whom in (["--session", "chat"], ["--agent", "helper"]):
        hits = engram("recall", QUESTION, *whom, "--json").json["hits"]
        assert hits
        assert not [hit for hit in hits if "freshness" in hit]


def test_the_past_is_not_compared_with_today(workspace: Workspace, project: Path, engram: Engram) -> None:
    note_project_folder(workspace.paths, str(project))

    found = engram("recall", QUESTION, "--as-of", "2026-03-03").out

    assert "scripts/deploy.sh" in found
    assert "stale" not in found


def test_a_hook_notes_the_folder_of_a_prompt_that_is_kept(workspace: Workspace, project: Path) -> None:
    event = Event(session="codex/parcels", prompt="I prefer tea to coffee", folder=str(project))

    take_prompt(workspace.paths, event)

    assert read_project_folders(workspace.paths) == {"projects/parcels": str(project)}


def test_a_damaged_note_of_folders_is_passed_over(workspace: Workspace) -> None:
    workspace.paths.project_folders.write_text('["x"')

    assert read_project_folders(workspace.paths) == {}


def test_folders_that_cannot_be_read_just_now_are_not_replaced(
    workspace: Workspace, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note_project_folder(workspace.paths, str(project))
    (tmp_path / "invoices").mkdir()

    def refuse(_: Path) -> bytes:
        raise OSError(errno.EMFILE, "too many open files")

    with monkeypatch.context() as busy:
        busy.setattr(project_folders, "read_own", refuse)
        with pytest.raises(OSError, match="too many"):
            note_project_folder(workspace.paths, str(tmp_path / "invoices"))

    assert read_project_folders(workspace.paths) == {"projects/parcels": str(project)}


def test_over_mcp_a_host_that_works_there_is_told(workspace: Workspace, project: Path) -> None:
    here = Caller(folder=str(project))

    recalled = recall(workspace, here, RecallArguments(query=QUESTION))
    shown = show(workspace, here, ShowArguments(id="projects/parcels-001"))

    assert WORDS in recalled.text
    assert shown.value["freshness"] == GONE


def test_over_mcp_both_memories_answer(workspace: Workspace, project: Path) -> None:
    said = RecallArguments(query=QUESTION, combined=True)

    found = recall(workspace, Caller(session="codex/parcels"), said).value

    assert [turn["text"] for turn in found["short_term"]["turns"]] == ["Parcels is deployed by hand"]
    assert [hit["kind"] for hit in found["long_term"]["hits"]] == ["fact"]
