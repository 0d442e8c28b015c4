"""An engram.toml that lost what it said is noticed: every setting has a default, so it would read as another one."""

import pytest

from engram.config.hook_settings import read_hook_choices
from engram.operations.setup import make_workspace
from engram.workspace import Workspace
from tests.conftest import Engram

pytestmark = pytest.mark.usefixtures("children_here")

EMPTY = ["", "\n", "# Settings of this Engram workspace.\n", "  \n# nothing\n\n"]


@pytest.fixture
def agent(workspace: Workspace, engram: Engram) -> Workspace:
    """A workspace of another agent than the usual one."""
    assert engram("config", "agent", "keeper").code == 0
    return workspace


@pytest.mark.parametrize("left", EMPTY)
def test_an_emptied_file_is_refused_and_the_way_back_is_named(agent: Workspace, engram: Engram, left: str) -> None:
    before = agent.paths.settings.read_bytes()
    agent.paths.settings.write_text(left)

    for command in (("facts",), ("recall", "tea"), ("note", "add", "Anna called"), ("config", "agent")):
        answer = engram(*command)
        assert answer.code == 2, command
        assert "says nothing any more" in answer.err
        assert "cp .engram/settings.toml engram.toml" in answer.err
    assert engram("doctor", "--json").json["findings"][0]["code"] == "settings-invalid"
    assert agent.paths.kept_settings.read_bytes() == before


def test_hooks_go_on_for_the_same_agent(agent: Workspace) -> None:
    agent.paths.settings.write_text("")

    assert read_hook_choices(agent.paths).agent == "keeper"


def test_defaults_count_once_the_copy_is_removed(agent: Workspace, engram: Engram) -> None:
    agent.paths.settings.write_text("")
    agent.paths.kept_settings.unlink()

    assert engram("config", "agent").out.strip() == "agent = main"


def test_a_cut_file_is_told_until_somebody_says_that_it_is_meant(agent: Workspace, engram: Engram) -> None:
    whole = agent.paths.settings.read_text()
    assert engram("config", "recall.log_questions", "true").code == 0
    agent.paths.settings.write_text(whole)

    assert any("goes on with settings" in alert for alert in engram("heartbeat", "run", "--json").json["alerts"])
    engram("doctor", "--fix")
    found = engram("doctor", "--json").json["findings"]
    assert [one["path"] for one in found if one["code"] == "settings-cut"] == ["engram.toml"]

    assert engram("config", "agent", "keeper").code == 0
    assert "settings-cut" not in {one["code"] for one in engram("doctor", "--json").json["findings"]}


def test_what_a_person_wrote_is_the_copy_after_the_next_heartbeat(agent: Workspace, engram: Engram) -> None:
    edited = agent.paths.settings.read_text().replace('"keeper"', '"other"')
    agent.paths.settings.write_text(edited)

    engram("heartbeat", "run")

    assert agent.paths.kept_settings.read_text() == edited


def test_a_new_workspace_has_a_copy(agent: Workspace) -> None:
    root = agent.paths.root.parent / "new"
    made = make_workspace(root, {"owner": "nobody"}, now=agent.now, force=False, dry_run=False)

    assert (made.root / ".engram/settings.toml").read_bytes() == (root / "engram.toml").read_bytes()
