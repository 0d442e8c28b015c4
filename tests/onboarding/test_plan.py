"""Which folder is set up, and what the plan leaves out."""

from pathlib import Path

import pytest

from engram.config.paths import find_workspace
from engram.errors import NoWorkspaceError
from engram.errors import RefusedError
from engram.onboarding.plan import Wishes
from engram.onboarding.plan import choose_root
from engram.onboarding.plan import make_plan
from engram.operations.setup import make_workspace
from tests.making import NOW
from tests.newcomer.history import write_past


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Somebody's home, and a folder in it in which they are."""
    (tmp_path / "here").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path


def make(root: Path) -> None:
    make_workspace(root, {"owner": "people/anna"}, now=lambda: NOW, force=False, dry_run=False)


def test_the_folder_is_that_which_is_named_else_what_stands_here_else_that_at_home(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert choose_root(None, None, home) == home / "engram"

    make(home / "here")

    assert choose_root(None, None, home) == home / "here"
    monkeypatch.setenv("ENGRAM_WORKSPACE", str(home / "third"))
    assert choose_root(None, None, home) == home / "third"
    assert choose_root(None, str(home / "second"), home) == home / "second"
    assert choose_root(".", str(home / "second"), home) == home / "here"


def test_a_folder_of_that_name_which_is_something_else_is_left_alone(home: Path) -> None:
    (home / "engram").mkdir()
    assert choose_root(None, None, home) == home / "engram"
    (home / "engram/README.md").write_text("a checkout")

    with pytest.raises(RefusedError, match="something else"):
        choose_root(None, None, home)


def test_commands_find_the_workspace_at_home_from_anywhere_but_a_nearer_one_first(home: Path) -> None:
    with pytest.raises(NoWorkspaceError):
        find_workspace(None)

    make(home / "engram")
    assert find_workspace(None).root == home / "engram"

    make(home / "here")
    assert find_workspace(None).root == home / "here"


def test_what_is_not_wanted_is_not_in_the_plan(home: Path) -> None:
    write_past(home)
    (home / ".gemini").mkdir()
    root = home / "engram"

    bare = make_plan(root, Wishes(hooks=False, capture=False, schedule=False), now=lambda: NOW, home=home)
    one = make_plan(root, Wishes(hosts=("gemini",)), now=lambda: NOW, home=home)

    assert (bare.hosts, bare.found, bare.schedule) == ([], [], None)
    assert [host.name for host in one.hosts] == ["gemini"]
    assert len(one.found) == 11
    assert not root.exists()
