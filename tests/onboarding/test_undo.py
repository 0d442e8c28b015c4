"""What `engram setup --undo` takes back: what setup put there, and nothing that a person did by hand."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from engram.errors import BadValueError
from engram.hooks.hosts import load_host
from engram.hooks.installation.installer import Target
from engram.hooks.installation.installer import apply_edits
from engram.hooks.installation.installer import plan_install
from engram.hooks.installation.status import installed_commands
from engram.onboarding.execution import carry_out
from engram.onboarding.plan import Wishes
from engram.onboarding.plan import make_plan
from engram.onboarding.undo import undo
from engram.workspace import Workspace
from engram.workspace import open_workspace
from tests.making import NOW
from tests.newcomer.stand_ins import put_crontab


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Somebody's home with Claude Code and Codex, whom nothing is installed for."""
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".codex").mkdir()
    put_crontab(tmp_path / "bin", tmp_path / "kept-crontab")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}/usr/bin:/bin")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / ".config"))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def set_up(home: Path) -> Callable[[], Workspace]:
    """Set up what is missing in ~/engram, without reading anything; returns the workspace."""

    def run() -> Workspace:
        wishes = Wishes(capture=False, settings={"owner": "people/anna"})
        plan = make_plan(home / "engram", wishes, now=lambda: NOW, home=home)
        carry_out(plan, opened, lambda _: None, now=lambda: NOW)
        return opened(plan.root)

    return run


def opened(root: Path) -> Workspace:
    return open_workspace(str(root), now=lambda: NOW)


def target(home: Path, name: str) -> Target:
    return Target(load_host(name), "user", home, home, {})


def connected(home: Path) -> list[str]:
    return [name for name in ("claude-code", "codex") if installed_commands(target(home, name))]


def test_hooks_that_somebody_installed_by_hand_stay(home: Path, set_up: Callable[[], Workspace]) -> None:
    workspace = set_up()
    undo(workspace, home=home, remove=None, dry_run=False)
    apply_edits(
        workspace.paths,
        plan_install(workspace.paths, target(home, "claude-code"), instructions=False),
        installs=True,
    )
    set_up()
    assert connected(home) == ["claude-code", "codex"]

    report = undo(workspace, home=home, remove=None, dry_run=False)

    assert report.hosts == ["Codex"]
    assert connected(home) == ["claude-code"]


def test_the_block_in_agents_md_goes_again_and_the_rest_of_the_file_stays(home: Path) -> None:
    mine = "# Mine\n\nUse tabs.\n"
    (home / ".codex/AGENTS.md").write_text(mine)
    wishes = Wishes(capture=False, instructions=True, settings={"owner": "people/anna"})
    plan = make_plan(home / "engram", wishes, now=lambda: NOW, home=home)

    carry_out(plan, opened, lambda _: None, now=lambda: NOW)

    written = (home / ".codex/AGENTS.md").read_text()
    assert written.startswith(mine)
    assert "engram recall" in written
    assert "engram recall" in (home / ".claude/CLAUDE.md").read_text()

    undo(opened(plan.root), home=home, remove=None, dry_run=False)

    assert (home / ".codex/AGENTS.md").read_text() == mine
    assert not (home / ".claude/CLAUDE.md").exists()


def test_a_schedule_that_was_there_stays(home: Path, set_up: Callable[[], Workspace]) -> None:
    workspace = set_up()
    kept = (home / "kept-crontab").read_text()
    workspace.paths.setup.unlink()
    set_up()

    report = undo(workspace, home=home, remove=None, dry_run=False)

    assert report.schedule == []
    assert (home / "kept-crontab").read_text() == kept


def test_a_dry_run_takes_nothing_back(home: Path, set_up: Callable[[], Workspace]) -> None:
    workspace = set_up()

    report = undo(workspace, home=home, remove=workspace.paths.root, dry_run=True)

    assert report.hosts == ["Claude Code", "Codex"]
    assert len(report.schedule) == 1
    assert str(workspace.paths.life) in report.removed
    assert connected(home) == ["claude-code", "codex"]
    assert "heartbeat run" in (home / "kept-crontab").read_text()
    assert workspace.paths.life.is_dir()


def test_only_the_path_of_the_workspace_removes_it(home: Path, set_up: Callable[[], Workspace]) -> None:
    workspace = set_up()

    with pytest.raises(BadValueError, match="is not the workspace"):
        undo(workspace, home=home, remove=home, dry_run=False)
    assert connected(home) == ["claude-code", "codex"]

    undo(workspace, home=home, remove=Path("engram"), dry_run=False)

    assert not (home / "engram").exists()


def test_what_calls_a_workspace_that_is_removed_goes_by_whomever_it_was_installed(
    home: Path, set_up: Callable[[], Workspace]
) -> None:
    workspace = set_up()
    workspace.paths.setup.unlink()

    undo(workspace, home=home, remove=workspace.paths.root, dry_run=False)

    assert connected(home) == []
    assert "heartbeat run" not in (home / "kept-crontab").read_text()
