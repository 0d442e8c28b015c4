"""Where transcripts are looked for, and what conversations are called."""

import datetime as dt
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.importers.transcripts.places import find_openclaw_notes
from engram.importers.transcripts.places import find_transcripts
from engram.importers.transcripts.places import holdings
from engram.importers.transcripts.session_names import project_of
from engram.importers.transcripts.session_names import session_name
from engram.services.commands.entities.entity import check_session_name


def lay(path: Path, at: int = 1_771_900_000, text: str = "{}\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (at, at))
    return path


def test_the_days_of_conversations_are_those_of_their_lines_and_not_of_their_files(tmp_path: Path) -> None:
    spoken = [f'{{"type": "user", "timestamp": "2026-{day}T10:00:00Z"}}' for day in ("11-09", "11-12", "11-20")]
    other = '{"type": "summary", "summary": "Work"}'
    copied = dt.datetime(2026, 11, 28, tzinfo=dt.UTC).timestamp()
    lay(tmp_path / ".claude/projects/-a/1.jsonl", int(copied), "\n".join([other, *spoken[:2], other, ""]))
    lay(tmp_path / ".claude/projects/-b/2.jsonl", int(copied), "\n".join([spoken[2], "x" * 200_000, spoken[2], "{"]))
    lay(tmp_path / ".codex/sessions/2026/11/28/rollout-1.jsonl", int(copied), f"[]\n{other}\n")

    told = (one.as_json() for one in holdings(find_transcripts({}, tmp_path)))

    assert {one["tool"]: (one["first"], one["last"]) for one in told} == {
        "claude-code": ("2026-11-09", "2026-11-20"),
        "codex": ("2026-11-28", "2026-11-28"),
    }


@pytest.mark.parametrize(
    ("environment", "place", "tool"),
    [
        ({}, ".claude/projects/-a/1.jsonl", "claude-code"),
        ({}, ".config/claude/projects/-a/1.jsonl", "claude-code"),
        ({"CLAUDE_CONFIG_DIR": "else"}, "else/projects/-a/1.jsonl", "claude-code"),
        ({"CLAUDE_CONFIG_DIR": "else"}, ".claude/projects/-a/1.jsonl", None),
        ({}, ".claude/projects/-a/agent-1.jsonl", None),
        ({}, ".claude/projects/-a/1/subagents/agent-1.jsonl", None),
        ({}, ".codex/sessions/2026/02/24/rollout-1.jsonl", "codex"),
        ({}, ".codex/archived_sessions/rollout-1.jsonl", "codex"),
        ({}, ".codex/history.jsonl", None),
        ({"CODEX_HOME": "else"}, "else/sessions/2026/02/24/rollout-1.jsonl", "codex"),
        ({}, ".openclaw/agents/main/sessions/1.jsonl", "openclaw"),
        ({}, ".openclaw/agents/main/sessions/1.jsonl.reset.2026-02-24T10-00-00Z", "openclaw"),
        ({}, ".openclaw/agents/main/sessions/1.jsonl.deleted.2026-02-24T10-00-00Z", None),
        ({}, ".openclaw/agents/main/sessions/1.trajectory.jsonl", None),
        ({"OPENCLAW_HOME": "else"}, "else/.openclaw/agents/main/sessions/1.jsonl", "openclaw"),
        ({"OPENCLAW_STATE_DIR": "else"}, "else/agents/main/sessions/1.jsonl", "openclaw"),
        ({"OPENCLAW_STATE_DIR": " "}, ".openclaw/agents/main/sessions/1.jsonl", "openclaw"),
        ({}, ".gemini/tmp/abc/chats/session-2026-02-24T12-00-1.json", "gemini"),
        ({}, ".gemini/tmp/abc/chats/session-2026-02-24T12-00-1.jsonl", "gemini"),
        ({"GEMINI_CLI_HOME": "else"}, "else/.gemini/tmp/abc/chats/session-1.jsonl", "gemini"),
        ({}, ".gemini/tmp/abc/logs.json", None),
        ({}, "Downloads/conversations.json", None),
    ],
)
def test_each_tools_own_places(environment: dict[str, str], place: str, tool: str | None, tmp_path: Path) -> None:
    lay(tmp_path / place)
    named = {name: str(tmp_path / value) if value.strip() else value for name, value in environment.items()}

    assert [one.tool for one in find_transcripts(named, tmp_path)] == ([tool] if tool else [])


def test_the_oldest_comes_first_and_a_file_counts_once(tmp_path: Path) -> None:
    new = lay(tmp_path / ".claude/projects/-a/new.jsonl", 1_771_900_000)
    old = lay(tmp_path / ".codex/sessions/2025/01/01/rollout-1.jsonl", 1_735_700_000)
    (tmp_path / ".claude/projects/-b").symlink_to(new.parent)
    (tmp_path / ".claude/projects/-a/gone.jsonl").symlink_to(tmp_path / "nowhere")
    lay(tmp_path / ".claude/projects/-a/empty.jsonl", text="")
    (tmp_path / ".claude/projects/-a/folder.jsonl").mkdir()
    found = find_transcripts({}, tmp_path)

    assert [one.path for one in found] == [old, new]
    assert [one.as_json() for one in holdings(found)] == [
        {"tool": "claude-code", "files": 1, "bytes": 3, "first": "2026-02-24", "last": "2026-02-24"},
        {"tool": "codex", "files": 1, "bytes": 3, "first": "2025-01-01", "last": "2025-01-01"},
    ]
    assert found[0].written_at == dt.datetime.fromtimestamp(1_735_700_000, dt.UTC)


@given(st.text() | st.none(), st.text())
def test_every_name_can_be_a_folder(project: str | None, external_id: str) -> None:
    check_session_name(session_name("codex", project, external_id))


@pytest.mark.parametrize(
    ("folder", "project"),
    [
        ("/srv/anna/billing", "billing"),
        ("/srv/anna/billing/", "billing"),
        ("C:\\code\\shop", "shop"),
        ("/", None),
        ("", None),
        (None, None),
        (5, None),
    ],
)
def test_a_project_is_the_last_part_of_its_folder(folder: object, project: str | None) -> None:
    assert project_of(folder) == project


def test_folders_in_which_openclaw_keeps_notes_are_found(tmp_path: Path) -> None:
    state = tmp_path / ".openclaw"
    for name in ("workspace/memory/2026-11-20.md", "workspace-work/MEMORY.md", "workspace-empty/README.md"):
        (state / name).parent.mkdir(parents=True, exist_ok=True)
        (state / name).write_text("- Ships on Friday\n")

    assert find_openclaw_notes({}, tmp_path) == [state / "workspace", state / "workspace-work"]
    assert find_openclaw_notes({"OPENCLAW_STATE_DIR": str(tmp_path / "nowhere")}, tmp_path) == []
