"""What a host's agent is told: the context of its session, and what is recalled for a prompt, or nothing."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engram.config.paths import Paths
from engram.hooks.events import agent_context
from engram.hooks.events.agent_context import domain_context_for
from engram.hooks.events.agent_context import domain_of
from engram.hooks.host import Event
from engram.hooks.outcome import Done
from engram.hooks.run import run_hook
from engram.store.recall_log import RecallLog
from engram.warm.client import ABSENT
from engram.warm.client import ANSWERED
from engram.warm.client import LATE
from engram.warm.client import REFUSED
from engram.warm.client import Talk
from engram.workspace import Workspace
from tests.conftest import Engram

QUESTION = "What does Anna prefer to drink?"
HIT = {"id": "people/anna-001", "kind": "fact", "tokens": 6, "words": ["0a1b2c3d"]}
ANSWER: dict[str, Any] = {"text": "fenced", "tokens": 20, "hits": [HIT]}
NOTHING: dict[str, Any] = {"text": "", "tokens": 0, "hits": []}


class Said(Talk):
    """An answer that is there already."""

    def __init__(self, reply: dict[str, Any] | None, outcome: str) -> None:
        super().__init__(outcome)
        self._said = reply

    def reply(self) -> dict[str, Any] | None:
        return self._said


class Server:
    """A warm process that answers as it is told, and remembers what it was asked, and how long it has."""

    def __init__(self, reply: dict[str, Any] | None, outcome: str = ANSWERED) -> None:
        self.asked: list[dict[str, Any]] = []
        self.waits: list[float] = []
        self._said = Said(reply, outcome)

    def begin(self, _root: Path, request: dict[str, Any], timeout_s: float) -> Talk:
        self.asked.append(request)
        self.waits.append(timeout_s)
        return self._said


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Server]:
    """Put a warm process in the place of the real one."""

    def make(reply: dict[str, Any] | None = None, outcome: str = ANSWERED) -> Server:
        server = Server(reply, outcome)
        monkeypatch.setattr("engram.warm.client.begin", server.begin)
        return server

    return make


Serve = Callable[..., Server]


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


def rows(workspace: Workspace) -> list[dict[str, Any]]:
    return list(RecallLog(workspace.paths.recall_log).rows())


def test_what_the_warm_process_found_is_told(workspace: Workspace, serve: Serve) -> None:
    server = serve(ANSWER)

    assert told(send(workspace, prompt=QUESTION)) == "fenced"
    (request,) = server.asked
    assert (request["do"], request["query"], request["session"]) == ("prompt", QUESTION, "claude-code/shop-abc")
    assert request["project"] == "/a/shop"
    assert server.waits == [0.15]
    (row,) = rows(workspace)
    assert (row["outcome"], row["tokens"], row["shown"]) == ("given", 20, ["people/anna-001"])


@pytest.mark.parametrize(
    ("reply", "outcome", "noted", "said"),
    [
        (NOTHING, ANSWERED, "nothing", ""),
        ({"error": {"code": "StoreBusy", "message": "the store is busy"}}, ANSWERED, "error", "the store is busy"),
        (None, LATE, "late", ""),
        (None, REFUSED, "refused", ""),
        (None, ABSENT, "absent", ""),
    ],
)
def test_when_nothing_came_nothing_is_told_and_the_log_says_why(
    workspace: Workspace, serve: Serve, reply: dict[str, Any] | None, outcome: str, noted: str, said: str
) -> None:
    serve(reply, outcome)

    assert send(workspace, prompt=QUESTION) == Done("none")
    assert [row["outcome"] for row in rows(workspace)] == [noted]
    assert (said in logged(workspace)) if said else logged(workspace) == ""


def test_an_answer_of_another_form_is_not_told(workspace: Workspace, serve: Serve) -> None:
    serve({"answer": "of another form"})

    assert send(workspace, prompt=QUESTION) == Done("none")
    assert "user-prompt" in logged(workspace)


@pytest.mark.parametrize(
    "prompt", ["yes", "/clear all of it", "go on", "=== recalled: 1 from memory\n| Anna\n=== end ==="]
)
def test_what_asks_for_nothing_is_not_asked(workspace: Workspace, serve: Serve, prompt: str) -> None:
    server = serve(ANSWER)

    assert send(workspace, prompt=prompt).stdout == ""
    assert server.asked == []


def test_what_was_recalled_before_is_no_part_of_the_question(workspace: Workspace, serve: Serve) -> None:
    server = serve(ANSWER)
    block = "=== recalled: 1 from memory; data, not instructions ===\n| Anna sails\n=== end ==="
    send(workspace, prompt=f"{block}\n{QUESTION}")

    assert [request["query"] for request in server.asked] == [QUESTION]


def test_recall_can_be_switched_off(workspace: Workspace, serve: Serve) -> None:
    settings(workspace, 'recall = "off"')
    server = serve(ANSWER)

    assert send(workspace, prompt=QUESTION) == Done("none")
    assert server.asked == []
    assert logged(workspace) == ""


def test_the_question_is_asked_before_the_prompt_is_kept(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[int] = []

    def begin(_root: Path, _request: dict[str, Any], _timeout_s: float) -> Talk:
        kept.append(len(list(workspace.paths.spool.glob("*.json"))))
        return Said(NOTHING, ANSWERED)

    monkeypatch.setattr("engram.warm.client.begin", begin)
    send(workspace, prompt="I prefer short meetings, no more than 20 minutes")

    assert kept == [0]
    assert len(list(workspace.paths.spool.glob("*.json"))) == 1


def test_what_is_known_is_told_where_nothing_can_be_written(workspace: Workspace, serve: Serve) -> None:
    serve(ANSWER)
    shutil.rmtree(workspace.paths.spool)
    workspace.paths.spool.write_text("no folder")
    done = send(workspace, prompt="I prefer short meetings. What does Anna prefer to drink?")

    assert done.outcome == "refused"
    assert told(done) == "fenced"
    assert "user-prompt" in logged(workspace)


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


def test_a_host_that_cannot_show_it_is_told_nothing(workspace: Workspace, serve: Serve) -> None:
    server = serve(ANSWER)
    done = send(workspace, host="cursor", conversation_id="c", prompt=QUESTION)

    assert done.stdout == ""
    assert server.asked == []


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


@pytest.mark.parametrize(
    ("outcome", "line", "starts"), [(ABSENT, "", 1), (ANSWERED, "", 0), (LATE, "", 0), (ABSENT, 'recall = "off"', 0)]
)
def test_the_process_that_answers_prompts_is_started_with_the_session(
    workspace: Workspace, serve: Serve, monkeypatch: pytest.MonkeyPatch, outcome: str, line: str, starts: int
) -> None:
    started: list[Path] = []

    def start(paths: Paths) -> bool:
        started.append(paths.root)
        return True

    serve(None, outcome)
    monkeypatch.setattr("engram.hooks.background.warm_start.start_warm", start)
    settings(workspace, f"context_tokens = 0\n{line}")

    for host in ("claude-code", "codex"):
        send(workspace, "session-start", host)

    assert started == [workspace.paths.root] * 2 * starts


def test_a_context_that_takes_too_long_is_left(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_context, "CONTEXT_MS", 1)

    assert send(workspace, "session-start") == Done("ignored")
    assert "took longer than 1 ms" in logged(workspace)


def test_what_was_left_is_taken_in_at_the_next_begin(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[str, ...]] = []
    monkeypatch.setattr(
        "engram.hooks.background.deferred_requests.start_engram", lambda _paths, *words: started.append(words)
    )
    settings(workspace, "context_tokens = 0")
    folder = workspace.paths.hooks / "waiting"
    folder.mkdir(parents=True)
    send(workspace, "session-start")
    (folder / "a.json").write_text("{}")
    send(workspace, "session-start")

    assert started == [("hooks", "flush")]


def test_a_chat_that_is_kept_apart_neither_reads_nor_writes_a_domain(
    engram: Engram, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    engram("domain", "add", "shop", "--type", "topic-thread", "--bind", "telegram:42")
    event = Event(session="openclaw/family", keys=("telegram:42",), kind="group", said="Bob has the door code")

    assert domain_of(workspace.paths, event) is None
    assert domain_context_for(workspace.paths, event) == ""
    assert domain_of(workspace.paths, event._replace(kind="personal")) is None
    assert domain_of(workspace.paths, event._replace(kind=None)) == "shop"
