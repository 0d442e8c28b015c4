"""`engram hooks run`: silent, light, and it never fails its host."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from engram.heartbeat.child.phases import child_environment
from engram.workspace import Workspace
from tests.conftest import Engram

HEAVY = (
    "duckdb",
    "qdrant_edge",
    "qdrant_client",
    "fastembed",
    "networkx",
    "pydantic",
    "portalocker",
    "numpy",
    "dateutil",
)


@pytest.fixture
def engram(engram_process: Engram) -> Engram:
    """A hook is a process that a host starts; it goes a short way past the command line."""
    return engram_process


def prompt(text: object, session: object = "s1") -> str:
    return json.dumps({"prompt": text, "session_id": session, "hook_event_name": "UserPromptSubmit"})


def test_a_prompt_worth_keeping_is_captured_as_the_users_own_turn(engram: Engram, workspace: Workspace) -> None:
    answer = engram("hooks", "run", "user-prompt", stdin=prompt("I prefer tea to coffee.", "Chat 7"))
    with workspace.reading() as database:
        turns = database.list_turns("chat-7")

    assert (answer.code, answer.out, answer.err) == (0, "", "")
    assert [(turn.speaker, turn.text, turn.trust.value) for turn in turns] == [
        ("user", "I prefer tea to coffee.", "trusted")
    ]


def test_a_prompt_without_a_signal_is_not_kept(engram: Engram, workspace: Workspace) -> None:
    engram("hooks", "run", "user-prompt", stdin=prompt("ok"))

    assert workspace.spool.waiting() == []


def test_control_characters_of_a_terminal_do_not_lose_a_prompt(engram: Engram, workspace: Workspace) -> None:
    engram("hooks", "run", "user-prompt", stdin=prompt("I prefer \x1b[1mtea\x1b[0m to coffee."))
    with workspace.reading() as database:
        assert len(database.list_turns("s1")) == 1


@pytest.mark.parametrize("event", ["session-start", "post-tool", "stop", "no-such-event", ""])
def test_other_events_are_accepted_silently(engram: Engram, workspace: Workspace, event: str) -> None:
    answer = engram("hooks", "run", event, stdin=prompt("I prefer tea to coffee."))

    assert (answer.code, answer.out, answer.err) == (0, "", "")
    assert workspace.spool.waiting() == []


@pytest.mark.parametrize(
    "given",
    [
        "",
        "{",
        "[]",
        "null",
        '{"prompt": 5}',
        b"\xff\xfe",
        '{"prompt": ""}',
        "[" * 100_000,
        '{"prompt":"' + "I like tea. " * 20_000 + '"}',
    ],
)
def test_broken_input_exits_0_and_leaves_one_line_in_the_log(
    engram: Engram, workspace: Workspace, given: str | bytes
) -> None:
    answer = engram("hooks", "run", "user-prompt", stdin=given)
    log = (workspace.paths.state / "hooks.log").read_text()

    assert (answer.code, answer.out, answer.err) == (0, "", "")
    assert log.count("\n") == 1
    assert "user-prompt" in log


def test_unknown_options_and_missing_events_exit_0(engram: Engram) -> None:
    assert engram("hooks", "run").code == 0
    assert engram("hooks", "run", "stop", "--matcher", "x", "more").code == 0


def test_outside_of_a_workspace_it_does_nothing(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "engram", "hooks", "run", "user-prompt"],
        input=prompt("I prefer tea.").encode(), capture_output=True, check=False, cwd=tmp_path, env=child_environment(),
    )  # fmt: skip

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_log_is_bounded(engram: Engram, workspace: Workspace) -> None:
    log = workspace.paths.state / "hooks.log"
    log.write_text("x" * 300_000)
    engram("hooks", "run", "user-prompt", stdin="{")

    assert log.stat().st_size < 1000
    assert (workspace.paths.state / "hooks.log.1").stat().st_size == 300_000


def test_none_of_the_engines_is_loaded(workspace: Workspace) -> None:
    code = (
        "import sys\nfrom engram.cli.main import main\n"
        f"code = main(['--workspace', {str(workspace.paths.root)!r}, 'hooks', 'run', 'user-prompt'])\n"
        f"print(code, [name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=prompt("I prefer tea to coffee.").encode(), capture_output=True, check=True
    )

    assert done.stdout.decode().split("\n")[0] == "0 []"
    assert len(workspace.spool.waiting()) == 1
