"""`engram heartbeat`."""

import json
import os
import sys
from pathlib import Path

import pytest

from engram.cli.maintenance import heartbeat_watch
from engram.heartbeat.watch.watcher import Ended
from engram.heartbeat.watch.watcher import Tell
from engram.hooks.background.deferred_requests import has_requests
from engram.hooks.background.deferred_requests import leave_transcript
from engram.workspace import Workspace
from tests.conftest import Engram
from tests.heartbeat.child.program import put_program
from tests.heartbeat.notes import put_note

AGENT = Path(__file__).parents[1] / "heartbeat" / "agent.py"


def test_the_last_line_is_what_agents_look_for(engram: Engram) -> None:
    answer = engram("heartbeat", "run")

    assert answer.code == 0
    assert answer.out.splitlines()[-1] == "HEARTBEAT_OK"


@pytest.mark.usefixtures("children_here")
def test_the_json_has_the_keys_of_the_contract(engram: Engram, workspace: Workspace) -> None:
    put_note(workspace, "main/main/a.md", "**Project:** Comet\n\n- We decided to launch Comet in May.\n")
    result = engram("heartbeat", "run", "--json").json

    assert set(result) == {"status", "run_id", "phases", "alerts", "notices"}
    keys = {"phase", "status", "summary", "stats", "alerts", "duration_s"}
    assert all(set(phase) == keys for phase in result["phases"])
    assert {"extraction", "maintenance"} <= {phase["phase"] for phase in result["phases"]}
    assert engram("heartbeat", "status", "--json").json["last"]["run_id"] == result["run_id"]
    assert engram("heartbeat", "log", result["run_id"], "--json").json["phases"] == result["phases"]
    assert [run["run_id"] for run in engram("heartbeat", "log", "--json").json["runs"]] == [result["run_id"]]


@pytest.mark.usefixtures("children_here")
def test_a_transcript_that_a_hook_left_is_taken_in_first(engram: Engram, workspace: Workspace, tmp_path: Path) -> None:
    said = {"type": "user", "uuid": "u1", "sessionId": "5b1c", "cwd": "/a/shop", "timestamp": "2026-02-24T10:00:00Z"}
    transcript = tmp_path / "session.jsonl"
    transcript.write_text(json.dumps({**said, "message": {"role": "user", "content": "Billing moved to Rust"}}) + "\n")
    leave_transcript(workspace.paths, host="claude-code", transcript=str(transcript), session="claude-code/shop-5b1c")

    engram("heartbeat", "run")

    with workspace.reading() as database:
        assert [turn.text for turn in database.list_turns("claude-code/shop-5b1c")] == ["Billing moved to Rust"]
    assert not has_requests(workspace.paths)


def test_what_a_model_took_stands_in_status_and_log(
    engram: Engram, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_program(tmp_path / "bin", "claude", "good")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    put_note(workspace, "main/main/a.md", "- We decided to use PostgreSQL 16 for billing.\n")
    assert engram("heartbeat", "status", "--json").json["agent"] is None

    assert engram("config", "heartbeat.agent", "claude").code == 0
    run = engram("heartbeat", "run", "--phase", "extraction")
    status = engram("heartbeat", "status")
    run_id = engram("heartbeat", "log", "--json").json["runs"][0]["run_id"]
    engram("config", "heartbeat.agent_daily_tokens", "1000")

    took = "claude asked once, 1,200 tokens, $0.0125"
    assert f"  extraction: {took}" in run.out.splitlines()
    assert f"  extraction: {took}" in engram("heartbeat", "log", run_id).out.splitlines()
    assert f"{took} today of at most 200,000 tokens and $1.00" in status.out
    spent = engram("heartbeat", "status")
    assert "the 1,000 tokens of heartbeat.agent_daily_tokens are spent for today" in spent.out
    assert engram("heartbeat", "status", "--json").json["agent"]["calls"] == 1


def test_an_agent_that_fails_is_a_warning_and_exit_0(engram: Engram, workspace: Workspace) -> None:
    put_note(workspace, "main/main/a.md", "- Billing moved\n")
    answer = engram("heartbeat", "run", "--agent-command", f"{sys.executable} '{AGENT}' garbage", "--json")

    assert (answer.code, answer.json["status"]) == (0, "ok_with_warnings")
    assert "HEARTBEAT_OK" in engram("heartbeat", "run", "--agent-command", f"{sys.executable} '{AGENT}' good").out


def test_no_shell_runs_the_agent_command(engram: Engram, workspace: Workspace, tmp_path: Path) -> None:
    put_note(workspace, "main/main/a.md", "- Billing moved\n")
    engram("heartbeat", "run", "--agent-command", f"true; touch {tmp_path / 'owned'}")

    assert not (tmp_path / "owned").exists()


def test_a_dry_run_reads_nothing(engram: Engram, workspace: Workspace) -> None:
    put_note(workspace, "main/main/a.md", "- one\n- two\n")

    assert engram("heartbeat", "run", "--dry-run", "--json").json["note_entries"] == 2
    assert engram("heartbeat", "log", "--json").json == {"runs": []}


@pytest.mark.usefixtures("children_here")
def test_a_damaged_store_is_a_failed_run_and_exit_1(engram: Engram, workspace: Workspace) -> None:
    engram("note", "add", "hello")
    engram("heartbeat", "run")
    for file in workspace.paths.journal.iterdir():
        file.unlink()
    answer = engram("heartbeat", "run", "--json")

    assert (answer.code, answer.json["status"]) == (1, "failed")
    assert "HEARTBEAT_OK" not in engram("heartbeat", "run").out


def test_a_store_that_somebody_holds_is_exit_5_and_says_who(engram: Engram, workspace: Workspace) -> None:
    workspace.paths.settings.write_text(f"{workspace.paths.settings.read_text()}\n[store]\nwait_s = 0.05\n")
    with workspace.locks.named("store", "rebuild").hold(wait_s=1):
        said = engram("heartbeat", "run", "--json")
        shown = engram("heartbeat", "run")
    log = engram("heartbeat", "log", "--json").json["runs"]

    assert (said.code, said.error["error"], said.json["status"]) == (5, "StoreBusy", "failed")
    assert said.error["details"]["pid"] == os.getpid()
    assert "store is held by rebuild" in said.json["alerts"][0]
    assert shown.code == 5
    assert "HEARTBEAT_OK" not in shown.out
    assert "the heartbeat has read nothing" in shown.err
    assert [run["status"] for run in log] == ["failed", "failed"]
    assert engram("heartbeat", "status", "--check").code == 10


def test_wrong_usage(engram: Engram) -> None:
    assert engram("heartbeat", "run", "--phase", "gossip").code == 2
    assert engram("heartbeat", "run", "--timeout", "0").code == 2
    assert engram("heartbeat", "run", "--agent-command", "").code == 2
    assert engram("heartbeat", "run", "--agent-command", "a 'b").code == 2
    assert engram("heartbeat", "log", "nothing").code == 3
    assert engram("heartbeat", "status").out == "no heartbeat has run here yet\n"


def test_what_a_run_says_does_nothing_to_the_terminal_of_who_watches(
    engram: Engram, monkeypatch: pytest.MonkeyPatch
) -> None:
    def watch(_workspaces: object, _limits: object, _stop: object, tell: Tell) -> Ended:
        tell("heartbeat ok: alert: \x1b]0;mine now\x07")
        return Ended("for", 1, ())

    monkeypatch.setattr(heartbeat_watch, "watch", watch)

    said = engram("heartbeat", "watch", "--for", "1s").err

    assert "mine now" in said
    assert not {"\x1b", "\x07"} & {*said}
