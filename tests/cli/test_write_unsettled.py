"""Settings that cannot be read lose no fact: it waits, what was applied can be read, and the mistake is named."""

import pytest

from engram.workspace import Workspace
from tests.conftest import Engram


@pytest.fixture
def unsettled(engram: Engram, workspace: Workspace) -> Workspace:
    """A workspace with one fact, and then settings of which one is wrong."""
    engram("write", "--entity", "people/anna", "--create", "--fact", "Anna likes tea")
    with workspace.paths.settings.open("a") as settings:
        settings.write('\n[decay]\nhot_days = "soon"\n')
    return workspace


def test_a_fact_is_kept_and_said_to_be(engram: Engram, unsettled: Workspace) -> None:
    answer = engram("write", "--entity", "people/anna", "--fact", "Anna has a cat", "--json")

    assert answer.code == 2
    assert "decay.hot_days" in answer.error["message"]
    assert "the fact is kept as command " in answer.error["message"]
    assert unsettled.spool.find(answer.error["details"]["command_id"]) is not None


def test_it_is_applied_once_the_settings_are_mended(engram: Engram, unsettled: Workspace) -> None:
    engram("write", "--entity", "people/anna", "--fact", "Anna has a cat")
    text = unsettled.paths.settings.read_text()
    unsettled.paths.settings.write_text(text.replace('"soon"', "7"))

    facts = engram("facts", "--json").json["facts"]

    assert sorted(fact["text"] for fact in facts) == ["Anna has a cat", "Anna likes tea"]
