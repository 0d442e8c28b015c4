"""`engram capture` of what other programs write: exactly once through every door, from where it left off."""

import contextlib
import datetime as dt
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engram.importers.transcripts.remembered import CONSUMER
from engram.workspace import Workspace
from tests.conftest import Engram
from tests.importers.transcripts import DATA
from tests.importers.transcripts import as_lines
from tests.importers.transcripts import lines_of

CLAUDE = "claude-code/billing-5b1c9f0e-3a77-4d52-9c1e-7f2a8d4b6c10"


def stored(workspace: Workspace, session: str | None = None) -> list[tuple[str | None, str]]:
    with workspace.reading() as database:
        return [(turn.speaker, turn.text) for turn in database.list_turns(session)]


def copy(name: str, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy(DATA / name, folder / name))


def test_a_transcript_becomes_turns_of_its_session_with_speaker_time_and_id(
    engram: Engram, workspace: Workspace, tmp_path: Path
) -> None:
    file = copy("claude-code.jsonl", tmp_path)
    answer = engram("capture", str(file), "--json").json
    with workspace.reading() as database:
        turn = database.list_turns(CLAUDE)[0]

    assert (answer["captured"], answer["sessions"]) == (6, [CLAUDE])
    assert answer["left_out"] == answer["files"][0]["left_out"]
    assert answer["left_out"]["tool_output"] == 1
    assert turn.at == dt.datetime(2026, 2, 24, 9, 4, 0, 125000, tzinfo=dt.UTC)
    assert (turn.speaker, turn.ref, turn.path) == ("user", "00000000-0000-4000-8000-000000000004", str(file))


@pytest.mark.parametrize(
    "name", ["claude-code.jsonl", "codex.jsonl", "openclaw.jsonl", "chatgpt.json", "claude-ai.json", "gemini.json"]
)
def test_every_format_twice_is_the_same_as_once(
    name: str, engram: Engram, workspace: Workspace, tmp_path: Path
) -> None:
    file = copy(name, tmp_path)
    first = engram("capture", str(file), "--json").json
    before = stored(workspace)
    head = workspace.journal.head()
    again = engram("capture", str(file), "--json").json
    moved = engram("capture", str(file.rename(tmp_path / "moved")), "--json").json

    assert (again["captured"], again["known"], again["files"][0]["unchanged"]) == (0, first["captured"], True)
    assert (moved["captured"], moved["known"]) == (0, first["captured"])
    assert stored(workspace) == before
    assert workspace.journal.head()[0] == head[0] + 1  # for the mark of the file's new place


def test_a_growing_transcript_is_read_from_where_it_was_left(
    engram: Engram, workspace: Workspace, tmp_path: Path
) -> None:
    rows = lines_of("claude-code.jsonl")
    file = tmp_path / "session.jsonl"
    file.write_text(as_lines(rows[:8])[:-20])
    first = engram("capture", str(file), "--json").json
    file.write_text(as_lines(rows))
    second = engram("capture", str(file), "--json").json

    assert (first["captured"], first["files"][0]["torn"]) == (1, True)
    assert (second["captured"], second["known"]) == (5, 1)
    assert (first["left_out"]["meta"], second["left_out"]["meta"]) == (1, 1)  # the snapshot, and the progress
    assert len(stored(workspace, CLAUDE)) == 6


def test_what_a_dry_run_or_since_leaves_out_is_found_the_next_time(
    engram: Engram, workspace: Workspace, tmp_path: Path
) -> None:
    file = copy("openclaw.jsonl", tmp_path)
    planned = engram("capture", str(file), "--dry-run", "--json").json
    recent = engram("capture", str(file), "--since", "2026-02-24T11:05:00Z", "--json").json
    rest = engram("capture", str(file), "--json").json

    assert (planned["captured"], planned["dry_run"]) == (3, True)
    assert (recent["captured"], recent["files"][0]["too_old"]) == (2, 1)
    assert (rest["captured"], rest["known"]) == (1, 2)
    assert len(stored(workspace)) == 3


def test_a_resumed_session_in_another_file_adds_only_what_is_new(
    engram: Engram, workspace: Workspace, tmp_path: Path
) -> None:
    rows = lines_of("claude-code.jsonl")
    more = {
        **rows[5],
        "uuid": "new",
        "timestamp": "2026-02-25T08:00:00Z",
        "message": {"role": "user", "content": "On."},
    }
    (tmp_path / "old.jsonl").write_text(as_lines(rows))
    (tmp_path / "new.jsonl").write_text(as_lines([{**row, "sessionId": "resumed"} for row in [*rows, more]]))
    answer = engram("capture", str(tmp_path / "old.jsonl"), str(tmp_path / "new.jsonl"), "--json").json

    assert (answer["captured"], answer["known"]) == (7, 6)
    assert stored(workspace, "claude-code/billing-resumed") == [("user", "On.")]


def test_a_prompt_that_a_hook_kept_is_not_kept_again(engram: Engram, workspace: Workspace, tmp_path: Path) -> None:
    session = "5b1c9f0e-3a77-4d52-9c1e-7f2a8d4b6c10"
    prompt = {"prompt": "We decided to move the invoices to PostgreSQL 16.", "session_id": session}
    engram("hooks", "run", "user-prompt", stdin=json.dumps(prompt))
    (kept,) = stored(workspace, session)
    now = dt.datetime.now(dt.UTC).isoformat()
    row = {**lines_of("claude-code.jsonl")[5], "timestamp": now}
    rows = [{**row, "message": {"role": "user", "content": kept[1]}}, {**row, "uuid": "later", "timestamp": now}]
    file = tmp_path / "session.jsonl"
    file.write_text(as_lines(rows))
    answer = engram("capture", str(file), "--json").json
    file.write_text(as_lines([{"type": "summary", "leafUuid": "x"}, *rows]))
    again = engram("capture", str(file), "--json").json

    assert (answer["captured"], answer["known"], answer["sessions"]) == (1, 1, [session])
    assert (again["captured"], again["known"]) == (0, 2)
    assert len(stored(workspace, session)) == 2


def test_a_crash_between_two_lots_repeats_work_and_doubles_nothing(
    engram: Engram, workspace: Workspace, tmp_path: Path
) -> None:
    rows = [
        {
            "type": "user",
            "sessionId": "s",
            "uuid": str(number),
            "message": {"role": "user", "content": f"turn {number}"},
        }
        for number in range(4500)
    ]
    file = tmp_path / "session.jsonl"
    file.write_text(as_lines(rows[:2600]))
    engram("capture", str(file))
    with workspace.reading() as database:
        (mark,) = database.watermarks(CONSUMER).values()
    file.write_text(as_lines(rows))
    answer = engram("capture", str(file), "--json").json

    assert json.loads(mark)["turns"] == 2600
    assert (answer["captured"], answer["known"]) == (1900, 2600)
    assert [text for _, text in stored(workspace)] == [f"turn {number}" for number in range(4500)]


def homes(tmp_path: Path) -> dict[str, str]:
    """Lay transcripts where their programs would, and return the environment that says so."""
    copy("claude-code.jsonl", tmp_path / "claude/projects/-srv-anna-code-billing")
    copy("claude-code.jsonl", tmp_path / "claude/projects/-srv-anna-code-billing/5b1c/subagents")
    copy("codex.jsonl", tmp_path / "codex/sessions/2026/02/24").rename(
        tmp_path / "codex/sessions/2026/02/24/rollout-2026-02-24T10-00-00-0199a0b1.jsonl"
    )
    copy("openclaw.jsonl", tmp_path / "home/.openclaw/agents/main/sessions")
    copy("gemini.json", tmp_path / "home/.gemini/tmp/8876/chats").rename(
        tmp_path / "home/.gemini/tmp/8876/chats/session-2026-02-24T12-00-477739d0.json"
    )
    return {
        "HOME": str(tmp_path / "home"),
        "CLAUDE_CONFIG_DIR": str(tmp_path / "claude"),
        "CODEX_HOME": str(tmp_path / "codex"),
    }


def test_discover_finds_what_lies_in_the_usual_places_and_captures_it_into_silos(
    engram: Engram, workspace: Workspace, tmp_path: Path
) -> None:
    env = homes(tmp_path)
    looked = engram("capture", "--discover", "--dry-run", "--json", env=env).json
    assert stored(workspace) == []
    answer = engram("capture", "--discover", "--yes", "--json", env=env)
    again = engram("capture", "--discover", "--yes", "--json", env=env).json

    found = {one["tool"]: one["files"] for one in looked["found"]}
    assert found == {"claude-code": 1, "codex": 1, "gemini": 1, "openclaw": 1}
    assert looked["captured"] == answer.json["captured"] == 15
    assert "codex" in answer.err
    assert again["captured"] == 0
    assert answer.json["sessions"] == [
        CLAUDE,
        "codex/shop-0199a0b1-c2d3-7e4f-8a5b-6c7d8e9f0a1b",
        "gemini/477739d0-1b78-4aa7-9116-02d08c952344",
        "openclaw/main-c0ffee00-1111-4222-8333-444455556666",
    ]


def test_discover_asks_first_and_refuses_where_nobody_can_answer(
    engram: Engram, workspace: Workspace, tmp_path: Path
) -> None:
    answer = engram("capture", "--discover", "--json", env=homes(tmp_path))

    assert answer.code == 2
    assert answer.error["hint"] == "engram capture --discover --yes"
    assert stored(workspace) == []


def test_discover_asks_on_a_terminal_and_does_as_it_is_told(workspace: Workspace, tmp_path: Path) -> None:
    environment = {**os.environ, **homes(tmp_path)}
    command = [sys.executable, "-m", "engram", "--workspace", str(workspace.paths.root), "capture", "--discover"]
    counts = []
    for answer in (b"n\n", b"y\n"):
        ours, theirs = os.openpty()
        done = subprocess.Popen(
            [*command, "--format", "codex"], stdin=theirs, stdout=subprocess.PIPE, stderr=theirs, env=environment
        )
        os.write(ours, answer)
        assert done.communicate(timeout=60)[0]
        os.close(theirs)
        os.close(ours)
        counts.append(len(stored(workspace)))

    assert counts == [0, 3]  # of Codex, the one program that was chosen


def test_discover_on_a_machine_without_agents_says_so(engram: Engram, tmp_path: Path) -> None:
    answer = engram("capture", "--discover", "--json", env={"HOME": str(tmp_path)})

    assert (answer.code, answer.json) == (0, {"found": [], "captured": 0})


def test_a_watch_captures_what_is_added_and_ends_well(workspace: Workspace, tmp_path: Path) -> None:
    whole = as_lines(lines_of("codex.jsonl"))
    begun = as_lines(lines_of("codex.jsonl")[:6])
    assert whole.startswith(begun)
    file = tmp_path / "rollout.jsonl"
    file.write_text(begun)
    command = [sys.executable, "-m", "engram", "--workspace", str(workspace.paths.root), "capture", str(file)]
    with watching([*command, "--watch", "--json"]) as watch:
        assert watch.stdout is not None
        first = json.loads(watch.stdout.readline())["captured"]
        with file.open("a") as added:  # as hosts do; a file that is written anew is empty for a moment
            added.write(whole[len(begun) :])
        captured = 0
        while captured < 2:  # a look may fall between two lines
            captured += json.loads(watch.stdout.readline())["captured"]
        watch.send_signal(signal.SIGINT)
        _, errors = watch.communicate(timeout=60)

    assert (first, captured) == (1, 2)
    assert watch.returncode == 0
    assert errors == "stopped watching\n"
    assert len(stored(workspace)) == 3


@contextlib.contextmanager
def watching(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    """Start a process that ends with the block also when the test fails: one that is left fails some later test.

    It hears Ctrl-C also when the tests run in the background, where a shell lets its children ignore it.
    """
    piped = subprocess.PIPE
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        started = subprocess.Popen(command, stdout=piped, stderr=piped, text=True)
    finally:
        signal.signal(signal.SIGINT, before)
    with started as process:
        try:
            yield process
        finally:
            process.kill()


def test_a_watch_plans_nothing(engram: Engram) -> None:
    assert engram("capture", "chat.jsonl", "--watch", "--dry-run").code == 2
