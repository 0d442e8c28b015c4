"""Whose an OpenClaw transcript is: the chat that `sessions.json` beside it names, or one that is kept apart."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from engram.importers.capture import capture_files
from engram.workspace import Workspace
from tests.hooks.test_channel_sessions import hear
from tests.hooks.test_channel_sessions import opened
from tests.importers.transcripts import AUTO
from tests.importers.transcripts import DATA
from tests.importers.transcripts import as_lines
from tests.importers.transcripts import lines_of

ID = "c0ffee00-1111-4222-8333-444455556666"
APART, OPEN = ("group", "session:openclaw/{name}"), (None, "shared")


def lay(folder: Path, agent: str, entries: object) -> str:
    """Lay a transcript of this agent with a `sessions.json` beside it."""
    place = folder / "agents" / agent / "sessions"
    place.mkdir(parents=True)
    if entries is not None:
        (place / "sessions.json").write_text(entries if isinstance(entries, str) else json.dumps(entries))
    return str(shutil.copy(DATA / "openclaw.jsonl", place / f"{ID}.jsonl"))


def sessions(workspace: Workspace) -> dict[str, tuple[str | None, str]]:
    """Return by session its kind and the scope of its turns."""
    with workspace.reading() as database:
        kinds = {one.name: one.kind for one in database.list_sessions()}
        return {turn.session: (kinds[turn.session], turn.scope) for turn in database.list_turns()}


@pytest.mark.parametrize(
    ("agent", "entries", "name", "expected"),
    [
        ("main", {"agent:main:main": {"sessionId": ID}}, "agent-main-main", OPEN),
        ("main", {"agent:main:telegram:group:7": {"sessionId": ID}}, "agent-main-telegram-group-7", APART),
        ("main", {"agent:main:telegram:direct:7": {"sessionId": ID}}, "agent-main-telegram-direct-7", APART),
        ("work", {"agent:work:main": {"sessionId": ID}}, "agent-work-main", APART),
        # Which chat it is cannot be told.
        ("main", {"agent:main:main": {"sessionId": "another"}}, f"main-{ID}", APART),
        ("main", {key: {"sessionId": ID} for key in ("agent:main:main", "agent:main:x:group:7")}, f"main-{ID}", APART),
        ("main", None, f"main-{ID}", APART),
        ("main", "{", f"main-{ID}", APART),
        ("main", [{"sessionId": ID}], f"main-{ID}", APART),
        ("main", {"agent:main:main": ID}, f"main-{ID}", APART),
    ],
)
def test_only_the_owners_own_chat_is_open(
    workspace: Workspace, tmp_path: Path, agent: str, entries: Any, name: str, expected: tuple[str | None, str]
) -> None:
    report = capture_files(workspace, [lay(tmp_path, agent, entries)], AUTO, dry_run=False)

    kind, scope = expected
    assert report.kept_apart == ((f"openclaw/{name}",) if kind else ())
    assert ("kept apart: 1 session " in report.as_text()) is bool(kind)
    assert sessions(workspace) == {f"openclaw/{name}": (kind, scope.format(name=name))}


def test_another_name_of_the_workspaces_agent_is_the_owners_too(workspace: Workspace, tmp_path: Path) -> None:
    file = lay(tmp_path, "work", {"agent:work:main": {"sessionId": ID}})
    capture_files(workspace, [file], AUTO._replace(own_agent="work"), dry_run=False)

    assert sessions(workspace) == {"openclaw/agent-work-main": OPEN}


def test_a_session_that_the_user_chose_is_what_it_is(workspace: Workspace, tmp_path: Path) -> None:
    capture_files(workspace, [lay(tmp_path, "main", None)], AUTO._replace(session="demo"), dry_run=False)

    assert sessions(workspace) == {"demo": OPEN}


def test_what_is_added_later_goes_to_the_same_chat(workspace: Workspace, tmp_path: Path) -> None:
    key = "agent:main:telegram:group:7"
    rows = lines_of("openclaw.jsonl")
    file = Path(lay(tmp_path, "main", {key: {"sessionId": ID}}))
    file.write_text(as_lines(rows[:3]))
    capture_files(workspace, [str(file)], AUTO, dry_run=False)
    file.with_name("sessions.json").write_text(json.dumps({key: {"sessionId": "the next"}}))  # after a reset
    file.write_text(as_lines(rows))
    capture_files(workspace, [str(file)], AUTO, dry_run=False)

    assert list(sessions(workspace)) == ["openclaw/agent-main-telegram-group-7"]


def test_hooks_and_capture_call_a_chat_the_same(workspace: Workspace, tmp_path: Path) -> None:
    key = "agent:main:irc:channel:#команда-разработки-продукта-один"
    here = opened(workspace)
    hear(here, key)
    capture_files(here, [lay(tmp_path, "main", {key: {"sessionId": ID}})], AUTO, dry_run=False)

    assert [kind for kind, _ in sessions(here).values()] == ["group"]
