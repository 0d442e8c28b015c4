"""`engram hooks install`, `uninstall`, `status` and `flush` as a person calls them."""

import json
import shlex
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from engram.workspace import Workspace
from tests.conftest import Engram
from tests.conftest import call_here


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own: no test may touch the configuration of whoever runs it."""
    place = tmp_path / "home"
    place.mkdir()
    monkeypatch.setenv("HOME", str(place))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "OPENCLAW_STATE_DIR"):
        monkeypatch.delenv(name, raising=False)
    return place


def test_a_dry_run_shows_the_change_and_makes_none(engram: Engram, home: Path) -> None:
    answer = engram("hooks", "install", "claude-code", "--dry-run", "--json")

    assert answer.code == 0
    assert answer.json["dry_run"] is True
    assert "+" in answer.json["diff"]
    assert "hooks run user-prompt --host claude-code" in answer.json["diff"]
    assert list(home.iterdir()) == []


def test_without_a_terminal_somebody_has_to_say_yes(engram: Engram, home: Path) -> None:
    answer = engram("hooks", "install", "codex")

    assert answer.code == 2
    assert "hooks run" in answer.err
    assert "--yes" in answer.err
    assert list(home.iterdir()) == []


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("host", "setting", "said"),
    [
        ("claude-code", "warm", "each prompt gets what is known about it"),
        ("claude-code", "off", "recall for prompts stays off: engram config hooks.recall warm"),
        ("cursor", "warm", ""),
    ],
)
def test_it_says_whether_prompts_get_what_is_known(engram: Engram, host: str, setting: str, said: str) -> None:
    engram("config", "hooks.recall", setting)
    out = engram("hooks", "install", host, "--yes").out

    assert (said in out) if said else "recall" not in out


@pytest.fixture
def hosts_call_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `status` call what is installed in this process; as a host does it, in processes, is told where it is not."""

    def run(command: list[str], *, input: bytes, env: dict[str, str], **_: Any) -> Any:  # noqa: A002 - as subprocess
        words = shlex.split(command[-1])
        at = words.index("--workspace")
        assert words[at - 4 : at] == [sys.executable, "-P", "-m", "engram"]
        return call_here(words[at:], input, env)

    stands_for = types.SimpleNamespace(run=run, TimeoutExpired=subprocess.TimeoutExpired)
    monkeypatch.setattr("engram.hooks.installation.status.subprocess", stands_for)


IN_PROCESSES = {"claude-code", "openclaw"}  # of each kind of configuration one


@pytest.mark.parametrize("host", ["claude-code", "codex", "gemini", "cursor", "openclaw"])
def test_what_is_installed_fires_and_goes_again(
    engram: Engram, workspace: Workspace, home: Path, host: str, request: pytest.FixtureRequest
) -> None:
    if host not in IN_PROCESSES:
        request.getfixturevalue("hosts_call_here")
    installed = engram("hooks", "install", host, "--yes", "--json")
    again = engram("hooks", "install", host, "--yes", "--json")
    status = engram("hooks", "status", host, "--json").json["hooks"]
    removed = engram("hooks", "uninstall", host, "--yes", "--json")

    assert installed.code == again.code == removed.code == 0
    assert installed.json["changed"]
    assert again.json["changed"] == []
    assert [(one["level"], one["installed"], one["fires"]) for one in status] == [
        ("project", False, False),
        ("user", True, True),
    ]
    assert [(event["event"], event["why"]) for event in status[1]["events"] if not event["fires"]] == []
    assert list(home.iterdir()) == []
    assert workspace.spool.waiting() == []


@pytest.mark.usefixtures("hosts_call_here")
def test_the_status_says_when_a_host_called_last(engram: Engram, home: Path) -> None:
    engram("hooks", "install", "claude-code", "--yes")
    before = engram("hooks", "status", "claude-code").out
    sent = {"session_id": "s", "transcript_path": "/t.jsonl", "cwd": "/p", "hook_event_name": "PreCompact"}
    engram("hooks", "run", "pre-compact", "--host", "claude-code", stdin=json.dumps(sent))
    after = engram("hooks", "status", "claude-code").out

    assert home.exists()
    assert before.count("never called yet") == 7
    assert after.count("never called yet") == 6
    assert after.count("last called 20") == 1


@pytest.mark.usefixtures("hosts_call_here")
@pytest.mark.parametrize("program", ["touch {trap} && {python}", "{trap}", "{python} -S", "'{python}"])
def test_a_program_that_this_engram_would_not_install_is_not_run(engram: Engram, home: Path, program: str) -> None:
    engram("hooks", "install", "cursor", "--yes")
    config = home / ".cursor/hooks.json"
    trap = home / "trap"
    other = program.format(trap=trap, python=sys.executable)
    config.write_text(config.read_text().replace(sys.executable, other, 1))
    one = engram("hooks", "status", "cursor", "--json").json["hooks"][1]

    assert (one["installed"], one["fires"]) == (True, False)
    [why] = [event["why"] for event in one["events"] if not event["tried"]]
    assert why.startswith("another program was installed: ")
    assert f"{other} -P -m engram" in why
    assert why.endswith("; engram hooks install cursor puts this one there")
    shown = engram("hooks", "status", "cursor").out
    assert why in shown
    assert "DOES NOT FIRE" not in shown
    assert not trap.exists()


@pytest.mark.usefixtures("hosts_call_here")
def test_a_hook_that_is_missing_is_named(engram: Engram, home: Path) -> None:
    engram("hooks", "install", "cursor", "--yes")
    config = home / ".cursor/hooks.json"
    held = json.loads(config.read_text())
    held["hooks"] = {name: entries for name, entries in held["hooks"].items() if name == "stop"}
    config.write_text(json.dumps(held))
    one = engram("hooks", "status", "cursor", "--json").json["hooks"][1]

    assert one["fires"] is False
    assert one["missing"] == ["pre-compact", "session-end", "session-start", "subagent-stop", "user-prompt"]


def test_a_broken_configuration_is_refused_untouched(engram: Engram, home: Path) -> None:
    config = home / ".claude/settings.json"
    config.parent.mkdir()
    config.write_text('{"hooks": ')
    answer = engram("hooks", "install", "claude-code", "--yes", "--json")

    assert (answer.code, answer.error["error"]) == (4, "Refused")
    assert config.read_text() == '{"hooks": '


def test_instructions_are_refused_where_the_host_has_no_place_for_them(engram: Engram, home: Path) -> None:
    answer = engram("hooks", "install", "cursor", "--instructions", "--yes")

    assert (answer.code, "hint:" in answer.err) == (4, True)
    assert list(home.iterdir()) == []


def test_nothing_was_left_to_take_in(engram: Engram) -> None:
    assert engram("hooks", "flush", "--json").json == {"captured": 0, "logged": 0, "failed": 0}
