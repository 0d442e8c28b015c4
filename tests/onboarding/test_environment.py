"""What is found on a machine before anything is set up."""

import json
from pathlib import Path

import pytest

from engram.config.paths import Paths
from engram.hooks.hosts import load_host
from engram.hooks.installation.installer import Target
from engram.hooks.installation.installer import apply_edits
from engram.hooks.installation.installer import plan_install
from engram.onboarding.environment import HostPlan
from engram.onboarding.environment import find_hosts


def found(home: Path, root: Path | None = None, **environment: str) -> list[HostPlan]:
    variables = {"PATH": "", **environment}
    paths = Paths(root or home / "engram")
    return find_hosts(paths, home=home, environment=variables, folder=home, instructions=False)


def states(hosts: list[HostPlan]) -> dict[str, str]:
    return {one.name: one.state for one in hosts}


def test_on_a_bare_machine_there_is_nobody_to_connect(tmp_path: Path) -> None:
    assert found(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("claude-code", ".claude"),
        ("codex", ".codex"),
        ("gemini", ".gemini"),
        ("cursor", ".cursor"),
        ("openclaw", ".openclaw"),
    ],
)
def test_an_agent_is_known_by_its_folder(tmp_path: Path, name: str, folder: str) -> None:
    (tmp_path / folder).mkdir()

    assert states(found(tmp_path)) == {name: "install"}


def test_an_agent_is_known_by_its_program(tmp_path: Path) -> None:
    program = tmp_path / "bin/claude"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)

    assert states(found(tmp_path, PATH=str(program.parent))) == {"claude-code": "install"}


def test_folders_that_the_environment_names_are_looked_at(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()

    hosts = found(tmp_path, CLAUDE_CONFIG_DIR=str(tmp_path / "elsewhere"))

    assert hosts[0].edits[0].path.parent == tmp_path / "elsewhere"


def test_who_calls_another_workspace_is_said_to_be_moved(tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    target = Target(load_host("claude-code"), "user", tmp_path, tmp_path, {})
    other = Paths(tmp_path / "other")
    apply_edits(other, plan_install(other, target, instructions=False), installs=True)

    assert states(found(tmp_path)) == {"claude-code": "move"}
    assert states(found(tmp_path, other.root)) == {"claude-code": "there"}


@pytest.mark.parametrize(("is_on", "state"), [(True, "by_plugin"), (False, "install")])
def test_the_plugin_needs_no_hooks_besides(tmp_path: Path, is_on: bool, state: str) -> None:
    settings = tmp_path / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"enabledPlugins": {"engram@engram-heartbeat": is_on, "other@shop": True}}))

    assert states(found(tmp_path)) == {"claude-code": state}


def test_a_configuration_that_cannot_be_read_is_left_alone_and_said(tmp_path: Path) -> None:
    settings = tmp_path / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text("{")

    (host,) = found(tmp_path)

    assert (host.state, host.edits) == ("refused", ())
    assert str(settings) in host.why
