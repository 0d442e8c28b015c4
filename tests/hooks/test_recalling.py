"""What a host's agent is told: the context of its session, and what is recalled for a prompt, or nothing."""

import json
from pathlib import Path
from typing import Any

import pytest

from engram.hooks.run import Done
from engram.hooks.run import run_hook
from engram.workspace import Workspace
from tests.conftest import Engram

QUESTION = "What does Anna prefer to drink?"
ANSWER: dict[str, Any] = {
    "answer": {"answer": "found", "hits": [{"id": "people/anna-001"}], "probably_unknown": False},
    "text": "fenced",
}


class Server:
    """A warm server that answers as it is told, and remembers what it was asked."""

    def __init__(self, *replies: dict[str, Any] | None) -> None:
        self.replies = list(replies)
        self.asked: list[dict[str, Any]] = []

    def ask(self, _root: Path, request: dict[str, Any], _timeout_s: float) -> dict[str, Any] | None:
        self.asked.append(request)
        return self.replies.pop(0)


def send(workspace: Workspace, event: str = "user-prompt", host: str = "claude-code", **fields: object) -> Done:
    sent = {"session_id": "abc", "cwd": "/a/shop", "transcript_path": "/a/none.jsonl", **fields}
    done = run_hook(event, json.dumps(sent).encode(), str(workspace.paths.root), host)
    assert done is not None
    return done


def told(done: Done) -> str:
    return str(json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]) if done.stdout else ""


def logged(workspace: Workspace) -> str:
    return workspace.paths.hooks_log.read_text() if workspace.paths.hooks_log.exists() else ""


def settings(workspace: Workspace, line: str) -> None:
    with workspace.paths.settings.open("a") as out:
        out.write(f"\n[hooks]\n{line}\n")


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (ANSWER, "fenced"),
        ({**ANSWER, "answer": {"answer": "nothing_known", "hits": []}}, ""),
        ({**ANSWER, "answer": {"answer": "withheld", "hits": []}}, ""),
        ({**ANSWER, "answer": {**ANSWER["answer"], "probably_unknown": True}}, ""),
        ({"error": {"code": "StoreBusy", "message": "the store is busy"}}, ""),
        ({"text": "of another form"}, ""),
    ],
)
def test_only_what_is_found_is_told(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, reply: dict[str, Any], words: str
) -> None:
    server = Server(reply)
    monkeypatch.setattr("engram.hooks.recalling.ask", server.ask)

    assert told(send(workspace, prompt=QUESTION)) == words
    (request,) = server.asked
    assert (request["do"], request["query"], request["session"]) == ("recall", QUESTION, "claude-code/shop-abc")


def test_a_session_that_is_new_sees_facts_alone(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server({"error": {"code": "UnknownSession", "message": "there is no session"}}, ANSWER)
    monkeypatch.setattr("engram.hooks.recalling.ask", server.ask)

    assert told(send(workspace, prompt=QUESTION)) == "fenced"
    assert "session" not in server.asked[1]
    assert server.asked[1]["space"] == "notes"
    assert logged(workspace) == ""


@pytest.mark.parametrize("prompt", ["yes", "/clear all of it", "go on"])
def test_what_asks_for_nothing_is_not_asked(workspace: Workspace, monkeypatch: pytest.MonkeyPatch, prompt: str) -> None:
    server = Server(ANSWER)
    monkeypatch.setattr("engram.hooks.recalling.ask", server.ask)

    assert send(workspace, prompt=prompt).stdout == ""
    assert server.asked == []


def test_without_a_server_nothing_is_recalled_and_the_log_says_so(workspace: Workspace) -> None:
    assert send(workspace, prompt=QUESTION) == Done("none")
    assert "no engram mcp answers" in logged(workspace)


def test_recall_can_be_switched_off(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    settings(workspace, 'recall = "off"')
    monkeypatch.setattr("engram.hooks.recalling.ask", Server().ask)

    assert send(workspace, prompt=QUESTION) == Done("none")
    assert logged(workspace) == ""


def test_a_process_of_its_own_recalls_when_the_settings_say_so(engram: Engram, workspace: Workspace) -> None:
    settings(workspace, 'recall = "always"\nbudget_ms = 60000')
    engram("write", "--entity", "people/anna", "--create", "--fact", "Anna prefers green tea to coffee")

    assert "Anna prefers green tea" in told(send(workspace, prompt="Does Anna prefer tea or coffee?"))
    assert told(send(workspace, prompt="Where is the nearest lighthouse of the northern coast?")) == ""


def test_what_takes_too_long_is_left(engram: Engram, workspace: Workspace) -> None:
    settings(workspace, 'recall = "always"\nbudget_ms = 1')
    engram("write", "--entity", "people/anna", "--create", "--fact", "Anna prefers green tea to coffee")

    assert send(workspace, prompt="Does Anna prefer tea or coffee?").stdout == ""
    assert "took longer than 1 ms" in logged(workspace)


def test_a_host_that_cannot_show_it_is_told_nothing(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engram.hooks.recalling.ask", Server().ask)
    done = send(workspace, host="cursor", conversation_id="c", prompt=QUESTION)

    assert done.stdout == ""


# --- the begin of a session -------------------------------------------------------------------------------------


def test_a_session_begins_with_the_context(engram: Engram, workspace: Workspace) -> None:
    engram("handoff", "write", "The invoices are half moved")
    shown = told(send(workspace, "session-start"))

    assert shown.startswith("=== recalled:")
    assert "The invoices are half moved" in shown
    assert logged(workspace) == ""


def test_a_group_sees_nothing_of_the_owners_own(engram: Engram, workspace: Workspace) -> None:
    engram("handoff", "write", "The invoices are half moved")
    engram(
        "write", "--entity", "people/anna", "--create", "--fact", "Anna looks for a new job", "--scope", "agent:main"
    )
    (workspace.paths.root / "MEMORY.md").write_text("# Memory\n\nThe code of the door is 4711.\n")
    sent = {"type": "agent", "action": "bootstrap", "sessionKey": "agent:main:telegram:group:42", "timestamp": "x"}
    done = send(workspace, "session-start", "openclaw", **sent)

    assert "recalled:" in json.loads(done.stdout)["context"]
    for secret in ("invoices", "new job", "4711"):
        assert secret not in done.stdout


def test_a_context_that_takes_too_long_is_left(workspace: Workspace) -> None:
    settings(workspace, "context_ms = 1")

    assert send(workspace, "session-start") == Done("ignored")
    assert "took longer than 1 ms" in logged(workspace)


def test_what_was_left_is_taken_in_at_the_next_begin(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[str, ...]] = []
    monkeypatch.setattr("engram.hooks.handing_on.start_engram", lambda _paths, *words: started.append(words))
    settings(workspace, "context_tokens = 0")
    folder = workspace.paths.hooks / "waiting"
    folder.mkdir(parents=True)
    send(workspace, "session-start")
    (folder / "a.json").write_text("{}")
    send(workspace, "session-start")

    assert started == [("hooks", "flush")]
