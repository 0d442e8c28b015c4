"""The plugin of Claude Code in plugins/engram: what it calls, and that it says what the rest of the project says."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from pydantic import BaseModel
from pydantic import ConfigDict
from pydantic import Field
from pydantic import TypeAdapter

from engram import __version__
from engram.hooks.hosts.claude_code import HOST

ROOT = Path(__file__).resolve().parent.parent
PLUGIN = ROOT / "plugins" / "engram"


# The format as the plugin and marketplace references of code.claude.com describe it: what is not documented is refused,
# as `claude plugin validate` warns of it. Of the fields for components only those stand here that a plugin may need.
KEBAB = r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$"
INSIDE = r"^\.(/[A-Za-z0-9_-]+)+$"  # paths begin with ./ and stay inside
RESERVED = {"claude-code-marketplace", "claude-code-plugins", "claude-plugins-official", "agent-skills"}
EVENTS = {
    *("SessionStart", "Setup", "SessionEnd", "UserPromptSubmit", "Stop", "StopFailure", "Notification"),
    *("PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionDenied"),
    *("SubagentStart", "SubagentStop", "PreCompact", "PostCompact", "TeammateIdle", "TaskCreated", "TaskCompleted"),
}


class Documented(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Person(Documented):
    name: str = Field(min_length=1)
    email: str | None = None
    url: str | None = None


class Manifest(Documented):
    name: str = Field(pattern=KEBAB)
    version: str = Field(pattern=r"^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$")
    description: str
    author: Person
    homepage: str | None = None
    repository: str | None = None
    license: str
    keywords: list[str]


class Listed(Documented):
    name: str = Field(pattern=KEBAB)
    source: str = Field(pattern=INSIDE)
    description: str
    category: str | None = None
    tags: list[str] = []


class Marketplace(Documented):
    name: str = Field(pattern=KEBAB)
    description: str = Field(min_length=1)
    owner: Person
    plugins: list[Listed] = Field(min_length=1)


class Command(Documented):
    type: str = Field(pattern="^command$")
    command: str = Field(min_length=1)
    timeout: int = Field(gt=0, le=600)  # seconds


class Group(Documented):
    matcher: str | None = None
    hooks: list[Command] = Field(min_length=1)


class Hooks(Documented):
    description: str
    hooks: dict[str, list[Group]]


class Front(Documented):
    """What stands above the text of a command."""

    description: str = Field(min_length=1)
    argument_hint: str | None = Field(None, alias="argument-hint")
    allowed_tools: str | list[str] | None = Field(None, alias="allowed-tools")


class SkillFront(Documented):
    name: str = Field(pattern=KEBAB, max_length=64)
    description: str = Field(min_length=1, max_length=1024)


def front_of(path: Path) -> object:
    _, front, body = path.read_text(encoding="utf-8").split("---\n", 2)
    assert body.strip()
    return yaml.safe_load(front)


def test_the_plugin_is_as_its_host_documents_plugins() -> None:
    shop = Marketplace.model_validate(read(ROOT / ".claude-plugin/marketplace.json"))
    hooks = Hooks.model_validate(read(PLUGIN / "hooks/hooks.json"))
    Manifest.model_validate(read(PLUGIN / ".claude-plugin/plugin.json"))

    assert shop.name not in RESERVED
    assert set(hooks.hooks) <= EVENTS
    for groups in hooks.hooks.values():
        assert all("${CLAUDE_PLUGIN_ROOT}" in command.command for group in groups for command in group.hooks)
    for path in (PLUGIN / "commands").iterdir():
        TypeAdapter(Front).validate_python(front_of(path))
    for folder in (PLUGIN / "skills").iterdir():
        assert folder.name == SkillFront.model_validate(front_of(folder / "SKILL.md")).name


def test_only_the_manifest_lies_in_the_folder_of_the_manifest() -> None:
    assert [path.name for path in (PLUGIN / ".claude-plugin").iterdir()] == ["plugin.json"]


def read(path: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads(path.read_text(encoding="utf-8"))
    return found


def test_the_marketplace_lists_the_plugin_at_its_place() -> None:
    shop = read(ROOT / ".claude-plugin/marketplace.json")
    plugins = shop["plugins"]
    assert isinstance(plugins, list)
    (listed,) = plugins
    manifest = read(PLUGIN / ".claude-plugin/plugin.json")

    assert (ROOT / listed["source"]).resolve() == PLUGIN
    assert (manifest["name"], manifest["version"]) == (listed["name"], __version__)
    assert manifest["description"] == listed["description"]


def test_it_calls_engram_at_the_events_that_hooks_install_does() -> None:
    script = '"${CLAUDE_PLUGIN_ROOT}/hooks/engram.sh"'

    wanted = {name: [HOST.entry(event, f"{script} {event}")] for event, name in HOST.events.items()}

    assert read(PLUGIN / "hooks/hooks.json")["hooks"] == wanted


def test_its_skill_is_the_one_that_hooks_install_gives() -> None:
    skill = (ROOT / "references/SKILL.md").read_text(encoding="utf-8")

    assert (PLUGIN / "skills/engram/SKILL.md").read_text(encoding="utf-8") == skill.replace("{{workspace}}", "~/engram")


def call(event: str, folder: Path, *, stdin: str = "{}") -> str:
    done = subprocess.run(
        [str(PLUGIN / "hooks/engram.sh"), event],
        input=stdin,
        env={"PATH": f"{folder}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_where_engram_is_installed_it_gets_the_event(tmp_path: Path) -> None:
    program = tmp_path / "engram"
    program.write_text(f'#!/bin/sh\n{sys.executable} -c "import sys; print(sys.argv[1:], sys.stdin.read())" "$@"\n')
    program.chmod(0o755)

    assert call("stop", tmp_path, stdin='{"a": 1}') == "['hooks', 'run', 'stop', '--host', 'claude-code'] {\"a\": 1}\n"


def test_where_it_is_not_a_session_is_told_once_and_nothing_fails(tmp_path: Path) -> None:
    said = json.loads(call("session-start", tmp_path))["hookSpecificOutput"]

    assert said["hookEventName"] == "SessionStart"
    assert "uv tool install engram-heartbeat" in said["additionalContext"]
    assert call("user-prompt", tmp_path) == ""


@pytest.mark.parametrize("command", ["setup", "recall", "remember"])
def test_each_command_says_what_it_is_for(command: str) -> None:
    text = (PLUGIN / "commands" / f"{command}.md").read_text(encoding="utf-8")

    assert text.startswith("---\ndescription: ")
    assert f"engram {'write' if command == 'remember' else command}" in text


def test_its_script_may_be_run() -> None:
    assert os.access(PLUGIN / "hooks/engram.sh", os.X_OK)
