"""The owner hears that other agents wrote about a question, and nobody else does."""

import json
from pathlib import Path
from typing import Any

import pytest

from engram.workspace import Workspace
from tests.conftest import Engram

QUESTION = "where does the harbour pilot board"


@pytest.fixture
def _notes(workspace: Workspace) -> None:
    _note(workspace, "helper/main/2026-02-24.md", "- The harbour pilot boards at buoy seven\n")
    _note(workspace, "helper/main/2026-02-25.md", "- The harbour pilot boards from a launch\n- The canteen has soup\n")


def _note(workspace: Workspace, path: str, text: str) -> None:
    file: Path = workspace.paths.memory / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"# Tuesday\n\n{text}")


def _asked(engram: Engram, *options: str) -> dict[str, Any]:
    answer: dict[str, Any] = engram("--json", "recall", QUESTION, *options).json
    return answer


@pytest.mark.usefixtures("_notes")
def test_the_owner_hears_that_another_agent_wrote_about_it_and_how_to_ask(engram: Engram) -> None:
    answer = _asked(engram)

    assert answer["hits"] == []
    assert answer["other_agents"] == {"texts": 2, "sessions": ["helper/main"]}
    line = "note: 2 texts of other agents are about this, too; ask for them with --agent helper"
    assert line in engram("recall", QUESTION).out.splitlines()
    assert len(_asked(engram, "--agent", "helper")["hits"]) == 2


@pytest.mark.usefixtures("_notes")
def test_it_is_said_beside_hits_as_well(engram: Engram) -> None:
    engram("note", "add", "The harbour pilot boards at the north pier")

    answer = _asked(engram)

    assert [hit["text"].endswith("north pier") for hit in answer["hits"]] == [True]
    assert answer["other_agents"]["texts"] == 2


@pytest.mark.usefixtures("_notes")
@pytest.mark.parametrize("options", [("--session", "chat"), ("--session", "apart"), ("--agent", "somebody")])
def test_nobody_but_the_owner_hears_of_it(engram: Engram, options: tuple[str, ...]) -> None:
    engram("session", "add", "chat")
    engram("session", "add", "apart", "--kind", "personal")

    answer = _asked(engram, *options)

    assert "other_agents" not in answer
    assert "helper" not in json.dumps(answer) + engram("recall", QUESTION, *options).out


@pytest.mark.usefixtures("_notes")
def test_what_is_not_about_the_question_is_not_told(engram: Engram) -> None:
    engram("note", "add", "The dentist moved to Park Lane")

    assert "other_agents" not in engram("--json", "recall", "when did the dentist move").json


def test_what_a_session_of_another_agent_keeps_apart_is_not_told(workspace: Workspace, engram: Engram) -> None:
    engram("session", "add", "helper/secret", "--kind", "personal")
    _note(workspace, "helper/secret/2026-02-24.md", "- The harbour pilot boards at buoy seven\n")

    assert "other_agents" not in _asked(engram)


def test_a_note_of_another_session_than_the_main_one_is_asked_for_by_its_session(
    workspace: Workspace, engram: Engram
) -> None:
    _note(workspace, "helper/chat/2026-02-24.md", "- The harbour pilot boards at buoy seven\n")

    line = "note: 1 text of other agents is about this, too; ask for it with --session helper/chat"
    assert line in engram("recall", QUESTION).out.splitlines()
