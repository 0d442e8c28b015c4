"""Installing into a host's own configuration: only our entries, and back to the last byte."""

import json
import shlex
from pathlib import Path

import pytest

from engram.errors import RefusedError
from engram.hooks.hosts import NAMES
from engram.hooks.hosts import load_host
from engram.hooks.installation.installer import BACKUP
from engram.hooks.installation.installer import Target
from engram.hooks.installation.installer import apply_edits
from engram.hooks.installation.installer import describe
from engram.hooks.installation.installer import plan_install
from engram.hooks.installation.installer import plan_uninstall
from engram.hooks.installation.status import installed_commands
from engram.workspace import Workspace

LEVELS = ("project", "user")
EVERYWHERE = pytest.mark.parametrize(("name", "level"), [(name, level) for name in NAMES for level in LEVELS])
WITH_ENTRIES = pytest.mark.parametrize(
    ("name", "level"), [(name, level) for name in NAMES for level in LEVELS if load_host(name).files is None]
)
OTHERS = """{
\t// mine
\t"model": "opus",   "theme":"dark",
\t"hooks": {
\t\t"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}],
\t},
}"""


@pytest.fixture
def target(name: str, level: str, tmp_path: Path) -> Target:
    """A host's configuration, in a home and a project of the test's own."""
    (tmp_path / "home").mkdir()
    (tmp_path / "my project").mkdir()
    return Target(load_host(name), level, tmp_path / "my project", tmp_path / "home", {})


def tree(target: Target) -> dict[str, bytes | None]:
    places = [*target.home.rglob("*"), *target.project.rglob("*")]
    return {str(path): path.read_bytes() if path.is_file() else None for path in places}


def install(workspace: Workspace, target: Target, *, instructions: bool = False) -> int:
    edits = plan_install(workspace.paths, target, instructions=instructions)
    apply_edits(workspace.paths, edits, installs=True)
    return len(edits)


def uninstall(workspace: Workspace, target: Target) -> int:
    edits = plan_uninstall(workspace.paths, target)
    apply_edits(workspace.paths, edits, installs=False)
    return len(edits)


@EVERYWHERE
def test_nothing_is_left_of_what_was_installed_into_nothing(workspace: Workspace, target: Target) -> None:
    before = tree(target)
    assert install(workspace, target, instructions=target.places().instructions is not None)
    commands = installed_commands(target)
    again = install(workspace, target)

    assert commands.keys() == target.host.events.keys()
    assert again == 0
    assert uninstall(workspace, target)
    assert tree(target) == before


@EVERYWHERE
def test_commands_are_whole_and_survive_a_shell(workspace: Workspace, target: Target) -> None:
    install(workspace, target)
    for event, command in installed_commands(target).items():
        words = shlex.split(command)
        assert Path(words[0]).is_absolute()
        assert words[-5:] == ["hooks", "run", event, "--host", target.host.name]
        assert words[words.index("--workspace") + 1] == str(workspace.paths.root)


@EVERYWHERE
def test_a_configuration_gets_its_old_bytes_back(workspace: Workspace, target: Target) -> None:
    places = target.places()
    if target.host.files is None:
        places.config.parent.mkdir(parents=True)
        places.config.write_text(OTHERS)
        places.config.chmod(0o640)
    if places.instructions is not None:
        places.instructions.parent.mkdir(parents=True, exist_ok=True)
        places.instructions.write_text("# Mine\n\nBe brief.")
    before = tree(target)
    install(workspace, target, instructions=places.instructions is not None)

    if target.host.files is None:
        assert places.config.stat().st_mode & 0o777 == 0o640
        assert places.config.with_name(places.config.name + BACKUP).read_text() == OTHERS
        assert "// mine" in places.config.read_text()
        assert '"command": "say done"' in places.config.read_text()
    uninstall(workspace, target)
    assert tree(target) == before


@WITH_ENTRIES
def test_what_changed_since_stays(workspace: Workspace, target: Target) -> None:
    config = target.places().config
    config.parent.mkdir(parents=True)
    config.write_text(OTHERS)
    install(workspace, target)
    config.write_text(config.read_text().replace('"opus"', '"sonnet"'))
    uninstall(workspace, target)

    assert config.read_text() == OTHERS.replace('"opus"', '"sonnet"')
    assert uninstall(workspace, target) == 0


@WITH_ENTRIES
def test_entries_of_an_older_engram_are_replaced(workspace: Workspace, target: Target) -> None:
    config = target.places().config
    install(workspace, target)
    config.write_text(config.read_text().replace("-P -m engram", "-m engram"))
    install(workspace, target)
    text = config.read_text()

    assert {text.count(f"hooks run {event}") for event in target.host.events} == {1}
    assert "-P -m engram" in text
    uninstall(workspace, target)
    assert "hooks run" not in config.read_text()


@pytest.mark.parametrize("text", ["{", "[]", '{"hooks": []}', '{"hooks": {"Stop": {}}, "hooks": {}}', "\xff"])
def test_a_configuration_that_cannot_be_read_is_left_untouched(workspace: Workspace, tmp_path: Path, text: str) -> None:
    target = Target(load_host("claude-code"), "user", tmp_path, tmp_path, {})
    config = target.places().config
    config.parent.mkdir(parents=True)
    config.write_bytes(text.encode("latin-1"))

    with pytest.raises(RefusedError, match="settings"):
        plan_install(workspace.paths, target, instructions=False)
    assert config.read_bytes() == text.encode("latin-1")


def test_a_file_that_changes_between_plan_and_writing_is_left(workspace: Workspace, tmp_path: Path) -> None:
    target = Target(load_host("claude-code"), "user", tmp_path, tmp_path, {})
    edits = plan_install(workspace.paths, target, instructions=False)
    config = target.places().config
    config.parent.mkdir(parents=True)
    config.write_text('{"model": "opus"}')

    with pytest.raises(RefusedError, match="changed meanwhile"):
        apply_edits(workspace.paths, edits, installs=True)
    assert config.read_text() == '{"model": "opus"}'


def test_a_linked_configuration_stays_a_link(workspace: Workspace, tmp_path: Path) -> None:
    target = Target(load_host("claude-code"), "user", tmp_path, tmp_path, {})
    dotfiles = tmp_path / "dotfiles.json"
    dotfiles.write_text('{"model": "opus"}')
    config = target.places().config
    config.parent.mkdir(parents=True)
    config.symlink_to(dotfiles)
    install(workspace, target)

    assert config.is_symlink()
    assert json.loads(dotfiles.read_text())["model"] == "opus"
    uninstall(workspace, target)
    assert config.is_symlink()
    assert dotfiles.read_text() == '{"model": "opus"}'


def test_a_skill_that_a_person_changed_is_not_removed(workspace: Workspace, tmp_path: Path) -> None:
    target = Target(load_host("claude-code"), "user", tmp_path, tmp_path, {})
    install(workspace, target)
    skill = target.places().skill
    assert skill is not None
    skill.write_text(skill.read_text() + "\nMine.\n")
    uninstall(workspace, target)

    assert skill.read_text().endswith("\nMine.\n")


def test_the_change_is_shown_as_a_diff(workspace: Workspace, tmp_path: Path) -> None:
    target = Target(load_host("cursor"), "user", tmp_path, tmp_path, {})
    shown = describe(plan_install(workspace.paths, target, instructions=False))

    assert "--- /dev/null" in shown
    assert '+  "version": 1,' in shown
    assert list(tmp_path.glob(".cursor*")) == []


def test_of_a_file_that_goes_only_that_is_shown(workspace: Workspace, tmp_path: Path) -> None:
    target = Target(load_host("cursor"), "user", tmp_path, tmp_path, {})
    install(workspace, target)
    shown = describe(plan_uninstall(workspace.paths, target)).splitlines()

    assert [line for line in shown if line.startswith("---")] == [
        f"--- {path}" for path in (target.places().skill, target.places().config)
    ]
    assert len(shown) == 6


@EVERYWHERE
def test_what_was_installed_is_removed_without_the_record_of_it(workspace: Workspace, target: Target) -> None:
    install(workspace, target)
    (workspace.paths.hooks / "installed.json").unlink()
    uninstall(workspace, target)

    assert installed_commands(target) == {}
    assert [path for path in tree(target) if path.endswith(("SKILL.md", "handler.js", "HOOK.md"))] == []
