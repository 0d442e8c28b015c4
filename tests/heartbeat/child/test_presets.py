"""Programs that read for the heartbeat without a person at them: how they are called, and what they are kept from."""

import datetime as dt
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from engram.config.sections.heartbeat import HeartbeatSettings
from engram.errors import SettingsError
from engram.heartbeat.child.environment import EVERYBODY
from engram.heartbeat.child.phases import EXTRACTION
from engram.heartbeat.child.presets import PROGRAMS
from engram.heartbeat.child.presets import choose_agent
from engram.heartbeat.child.presets import find_preset
from engram.heartbeat.child.presets import found_programs
from engram.heartbeat.child.presets import offer
from engram.heartbeat.child.process_tree import MARK
from engram.heartbeat.child.run_records import RunRecords
from engram.heartbeat.run.options import RunOptions
from engram.heartbeat.run.runner import run_heartbeat
from engram.hooks.run import IN_RUN
from engram.hooks.run import run_hook
from engram.model.fact import Fact
from engram.ports.database import FactFilter
from engram.workspace import Workspace
from tests.heartbeat.child.conftest import Put
from tests.heartbeat.child.conftest import extract
from tests.heartbeat.child.conftest import reads_with
from tests.heartbeat.child.program import calls_in
from tests.heartbeat.notes import put_note
from tests.making import NOW

CLI = ["claude", "codex", "gemini"]
EACH = pytest.mark.parametrize("name", CLI)
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
SECRETS = {"GITHUB_TOKEN": "hidden", "AWS_SECRET_ACCESS_KEY": "hidden", "DATABASE_URL": "hidden", "SSH_AUTH_SOCK": "x"}
OWN_KEYS = {"claude": "ANTHROPIC_API_KEY", "codex": "OPENAI_API_KEY", "gemini": "GEMINI_API_KEY"}


def facts(workspace: Workspace) -> list[Fact]:
    with workspace.reading() as database:
        return database.list_facts(FactFilter(status="all"))


def command(**settings: Any) -> tuple[str, ...]:
    preset = find_preset(HeartbeatSettings.model_validate(settings))
    assert preset is not None
    return preset.command


@EACH
def test_the_answer_of_a_program_becomes_facts_and_its_tokens_stand_in_the_record(
    noted: Workspace, put: Put, name: str
) -> None:
    calls = put(name, "good")
    phase = extract(reads_with(noted, agent=name))

    assert (phase.status, phase.alerts) == ("ok", [])
    assert {fact.text for fact in facts(noted)} == {
        "We decided to use PostgreSQL 16 for Billing.",
        "We decided to host Billing in Frankfurt.",
    }
    assert len(calls_in(calls)) == 1
    tokens = {"claude": (1000, 200, 0.0125), "codex": (1000, 200, 0.0), "gemini": (900, 125, 0.0)}[name]
    taken = dict(zip(("input_tokens", "output_tokens", "cost_usd"), tokens, strict=True))
    (record,) = RunRecords(noted.paths.runs).latest(1)
    assert record["phases"][0]["model"] == {"by": name, "calls": 1, **taken}


@EACH
def test_no_variable_of_the_user_reaches_a_program_but_what_it_needs(
    noted: Workspace, put: Put, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable, value in {**SECRETS, **dict.fromkeys(OWN_KEYS.values(), "key"), "WANTED": "yes"}.items():
        monkeypatch.setenv(variable, value)
    calls = put(name, "good")
    workspace = reads_with(noted, agent=name)
    extract(workspace)
    (call,) = calls_in(calls)
    preset = find_preset(workspace.settings.heartbeat)
    assert preset is not None

    assert call["env"].keys() <= EVERYBODY | {*preset.variables, *preset.fixed, MARK}
    assert call["env"].keys() & OWN_KEYS.values() == {OWN_KEYS[name]}
    assert not {*SECRETS, "WANTED"} & call["env"].keys()
    assert "hidden" not in json.dumps(call)


def test_a_variable_that_is_named_in_the_settings_reaches_the_program(
    noted: Workspace, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_PROFILE", "reading")
    calls = put("claude", "good")
    extract(reads_with(noted, agent="claude", agent_environment=["AWS_PROFILE"]))

    assert calls_in(calls)[0]["env"]["AWS_PROFILE"] == "reading"


@EACH
def test_a_program_works_in_an_empty_folder_that_is_gone_afterwards(noted: Workspace, put: Put, name: str) -> None:
    calls = put(name, "good")
    for file in ("CLAUDE.md", "AGENTS.md", "GEMINI.md"):
        (noted.paths.root / file).write_text("instructions")
    extract(reads_with(noted, agent=name))
    (call,) = calls_in(calls)

    assert set(call["files"]) == ({".gemini/settings.json"} if name == "gemini" else set())
    assert not Path(call["cwd"]).exists()
    assert not Path(call["cwd"]).is_relative_to(noted.paths.root)


@EACH
def test_hooks_keep_nothing_of_a_program_that_reads_for_the_heartbeat(
    noted: Workspace, put: Put, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = put(name, "good")
    extract(reads_with(noted, agent=name))
    (call,) = calls_in(calls)
    monkeypatch.setenv(IN_RUN, call["env"][IN_RUN])
    prompt = json.dumps({"prompt": "We decided to use Oracle.", "session_id": "s"}).encode()

    assert run_hook("user-prompt", prompt, str(noted.paths.root)) is None


def test_each_program_is_asked_without_tools_hooks_servers_and_sessions() -> None:
    claude, codex, gemini = (command(agent=name) for name in CLI)

    def after(words: tuple[str, ...], flag: str) -> str:
        return words[words.index(flag) + 1]

    assert claude[:2] == ("claude", "-p")
    assert (after(claude, "--output-format"), after(claude, "--tools"), after(claude, "--setting-sources")) == (
        "json",
        "",
        "",
    )
    assert json.loads(after(claude, "--settings")) == {"disableAllHooks": True}
    assert {"--strict-mcp-config", "--no-session-persistence"} <= set(claude)
    assert codex[:3] == ("codex", "exec", "--json")
    assert (after(codex, "--sandbox"), codex[-1]) == ("read-only", "-")
    assert {"--skip-git-repo-check", "--ephemeral", "--ignore-user-config", "features.hooks=false"} <= set(codex)
    assert {"features.shell_tool=false", "features.unified_exec=false", "project_doc_max_bytes=0"} <= set(codex)
    assert gemini[:3] == ("gemini", "--output-format", "json")
    assert (after(gemini, "--extensions"), after(gemini, "--allowed-mcp-server-names")) == ("none", "none")
    preset = find_preset(HeartbeatSettings(agent="gemini"))
    assert preset is not None
    settings = json.loads(preset.files[".gemini/settings.json"])
    assert (settings["hooksConfig"], settings["tools"]) == ({"enabled": False}, {"core": ["none"]})


@EACH
def test_a_model_is_asked_for_by_name(name: str) -> None:
    words = command(agent=name, agent_model="small-1")

    shorter = command(agent=f"{name}:small-2", agent_model="small-1")
    assert words[words.index("--model") + 1] == "small-1"
    assert shorter[shorter.index("--model") + 1] == "small-2"
    assert "--model" not in command(agent=name)


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("box:9999", "http://box:9999"),
        ("https://box.example/", "https://box.example:11434"),
        (":4711", "http://127.0.0.1:4711"),
    ],
)
def test_ollama_is_asked_where_it_listens(host: str, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", host)

    assert command(agent="ollama:qwen3:8b")[-4:-1] == ("ollama", address, "qwen3:8b")
    assert command(agent="ollama:x", agent_url="http://here:1/")[-3] == "http://here:1"


@pytest.mark.parametrize(
    "wrong",
    [
        {"agent": "gpt"},
        {"agent": "ollama"},
        {"agent": "ollama:"},
        {"agent": "ollama:--help"},
        {"agent": "claude:"},
        {"agent": "claude:--dangerously-skip-permissions"},
        {"agent": "http"},
        {"agent": "claude", "agent_model": "--dangerously-skip-permissions"},
        {"agent_environment": ["A=B"]},
        {"agent_key_variable": ""},
        {"agent_daily_tokens": -1},
        {"agent_url": "ftp://x"},
    ],
)
def test_a_wrong_setting_is_refused_by_name(noted: Workspace, wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingsError) as caught:
        reads_with(noted, **wrong)

    assert "agent" in caught.value.message


def test_the_more_particular_word_decides_who_is_asked() -> None:
    def chosen(asked: tuple[str, ...] = (), **settings: Any) -> tuple[str, str | None]:
        found, preset = choose_agent(EXTRACTION, HeartbeatSettings.model_validate(settings), asked)
        return found[0] if found else "", preset.name if preset else None

    own: Any = {"phases": {"extraction": {"agent_command": ["own"]}}}
    off: Any = {"phases": {"extraction": {"agent_command": []}}}
    named: Any = {"phases": {"extraction": {"agent": "gemini:flash"}}}
    nobody: Any = {"phases": {"extraction": {"agent": ""}}}
    assert chosen() == ("", None)
    assert chosen(**named) == chosen(agent="claude", **named) == ("gemini", "gemini")
    assert chosen(agent="claude", agent_command=["mine"], **named) == ("gemini", "gemini")
    assert chosen(agent="claude", **nobody) == ("", None)
    assert chosen(agent="claude") == ("claude", "claude")
    assert chosen(agent="claude", agent_command=["mine"]) == ("mine", None)
    assert chosen(agent="claude", **own) == ("own", None)
    assert chosen(agent="claude", **off) == ("", None)
    assert chosen(("given",), agent="claude", agent_command=["mine"], **own) == ("given", None)


def test_the_command_of_a_run_wins_over_the_preset(noted: Workspace, put: Put) -> None:
    calls = put("claude", "good")
    agent = (sys.executable, str(Path(__file__).parents[1] / "agent.py"), "good")
    run_heartbeat(reads_with(noted, agent="claude"), RunOptions(phases=("extraction",), agent_command=agent))

    assert calls_in(calls) == []
    assert len(facts(noted)) == 2


def test_programs_are_found_on_the_search_path_and_offered_in_one_line(
    put: Put, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put("gemini", "good")
    put("codex", "good")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))

    assert found_programs() == ["codex", "gemini"]
    assert offer(["codex", "gemini"]) == (
        "codex is here (so is gemini): engram config heartbeat.agent codex lets it read for the heartbeat"
    )
    assert "heartbeat.agent ollama:MODEL" in offer(["ollama"])
    assert offer([]) == ""
    assert set(found_programs()) <= set(PROGRAMS)


def test_a_note_without_anything_to_keep_costs_nothing_and_is_read(noted: Workspace, put: Put) -> None:
    calls = put("claude", "good")
    workspace = reads_with(noted, agent="claude")
    extract(workspace)
    put_note(noted, "main/main/2026-02-25.md", "# 2026-02-25\n\n- hm\n- ok\n")
    phase = extract(workspace)
    third = extract(workspace)

    assert (phase.status, phase.model, phase.stats["entries"]) == ("ok", {}, 2)
    assert third.status == "skipped"
    assert len(calls_in(calls)) == 1


def test_little_text_wakes_no_model_until_there_is_more_or_the_day_is_over(noted: Workspace, put: Put) -> None:
    calls = put("claude", "good")
    note = noted.paths.memory / "main/main/2026-02-24.md"
    os.utime(note, (NOW.timestamp(), NOW.timestamp()))
    settings: dict[str, Any] = {"agent": "claude", "agent_batch": 5000}

    today = extract(reads_with(noted, **settings))
    asked_today = len(calls_in(calls))
    tomorrow = extract(reads_with(noted, now=NOW + dt.timedelta(days=1)))

    assert (today.status, today.stats, asked_today) == ("skipped", {"waiting": 2}, 0)
    assert (tomorrow.status, len(calls_in(calls)), len(facts(noted))) == ("ok", 1, 2)


def test_only_what_may_say_something_is_in_the_prompt(noted: Workspace, put: Put) -> None:
    calls = put("claude", "good")
    note = f"# Day\n\n- We decided to use queue 4 for Billing.\n- We decided that the key is {TOKEN}\n- hm, zebra\n"
    put_note(noted, "main/main/2026-02-25.md", note)
    extract(reads_with(noted, agent="claude"))
    (call,) = calls_in(calls)

    assert "queue 4" in call["given"]
    assert "zebra" not in call["given"]
    assert TOKEN not in call["given"]
