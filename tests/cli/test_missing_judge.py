"""A model that was moved away stops no reading, loses no fact, and is named in one sentence."""

import pytest

from engram.workspace import Workspace
from tests.conftest import Engram

FACT = ("--entity", "people/anna", "--create", "--fact", "Anna likes tea")


@pytest.fixture
def without_model(engram: Engram, workspace: Workspace) -> Workspace:
    """A workspace with one fact, whose settings name a folder that is not there."""
    engram("write", *FACT)
    with (workspace.paths.root / "engram.toml").open("a") as settings:
        settings.write('\n[contradiction]\njudge = "entailment"\nfolder = "/nowhere"\n')
    return workspace


def test_a_fact_is_kept_and_said_to_be(engram: Engram, without_model: Workspace) -> None:
    answer = engram("write", "--entity", "people/anna", "--fact", "Anna has a cat", "--json")

    assert answer.code == 2
    assert "no model.onnx; the fact is kept as command " in answer.error["message"]
    assert without_model.spool.find(answer.error["details"]["command_id"]) is not None


def test_another_command_is_refused_before_it_is_kept(engram: Engram, without_model: Workspace) -> None:
    answer = engram("correct", "anna-001", "--fact", "Anna likes coffee", "--json")

    assert (answer.code, answer.error["message"]) == (2, "the model folder /nowhere has no model.onnx")
    assert without_model.spool.waiting() == []


def test_what_was_applied_can_be_read(engram: Engram, without_model: Workspace) -> None:
    engram("write", "--entity", "people/anna", "--fact", "Anna has a cat")
    assert without_model.spool.waiting()

    answer = engram("facts", "--json")

    assert [fact["text"] for fact in answer.json["facts"]] == ["Anna likes tea"]
    assert "warning: the model folder /nowhere has no model.onnx: reading what was applied so far" in answer.err
