"""The plugin of Claude Code in plugins/engram: what it calls, and that it says what the rest of the project says."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from engram import __version__
from engram.hooks.hosts.claude_code import HOST

ROOT = Path(__file__).resolve().parent.parent
PLUGIN = ROOT / "plugins" / "engram"


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
