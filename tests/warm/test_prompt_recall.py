"""What is recalled unasked for a prompt: nothing that the prompt or the session says, nothing that is never used."""

import contextlib
import datetime as dt
from collections.abc import Iterator
from typing import Any

import pytest

from engram.base.project import Project
from engram.model.fact import Actor
from engram.operations.answers.ask import make_query
from engram.operations.answers.ask import recalling
from engram.operations.use_count import fold_accesses
from engram.services.index.note_list import read_heading
from engram.store.recall_log import UNUSED_FROM
from engram.store.recall_log import RecallLog
from engram.warm.prompt_recall import answer_prompt
from engram.warm.prompt_recall import warm_up
from engram.warm.warm_store import WarmWorkspace
from engram.workspace import Workspace
from tests.conftest import WorkspaceWith
from tests.making import NOW
from tests.warm.serving import until

TEA = "Anna prefers green tea to coffee"
CAKE = "Anna prefers cheese cake to coffee cake"
QUESTION = "Does Anna prefer tea or coffee?"
SESSION = "claude-code/shop-abc"


def fill(workspace: Workspace) -> None:
    for text in (TEA, CAKE):
        workspace.submit("write", {"entity": "people/anna", "text": text, "create": True}, actor=Actor.USER)


@pytest.fixture
def warm(workspace_with: WorkspaceWith) -> Iterator[WarmWorkspace]:
    workspace = workspace_with(fill)
    with contextlib.closing(WarmWorkspace(workspace.paths, workspace.settings, lambda: NOW)) as opened:
        yield opened


def ask(warm: WarmWorkspace, prompt: str = QUESTION, **options: Any) -> dict[str, Any]:
    return answer_prompt(warm, {"query": prompt, "session": SESSION, "k": 5, "budget": 400, **options})[0]


def ids(reply: dict[str, Any]) -> list[str]:
    return [hit["id"] for hit in reply["hits"]]


def reply_rows(warm: WarmWorkspace, count: int, *, shown: str, used: list[str]) -> None:
    log = RecallLog(warm.paths.recall_log)
    for _ in range(count):
        log.append({"kind": "reply", "shown": [shown], "used": used})


def say(warm: WarmWorkspace, text: str, session: str, at: str) -> None:
    turn = {"id": f"{session}-{at}", "session": session, "speaker": "user", "at": at, "text": text}
    warm.submit("capture", {"session": session, "turns": [turn]})


def test_what_is_known_comes_fenced_with_what_it_costs(warm: WarmWorkspace) -> None:
    reply = ask(warm)

    assert reply["text"].startswith("=== recalled:")
    assert f"| {TEA}" in reply["text"].splitlines()
    assert ids(reply)[0] == "people/anna-001"
    assert reply["tokens"] > sum(hit["tokens"] for hit in reply["hits"]) > 0


@pytest.mark.parametrize("prompt", ["", "   ", f"=== recalled: 1 from memory ===\n| {TEA}\n=== end ===", "zxqv wvut"])
def test_where_nothing_is_relevant_nothing_comes(warm: WarmWorkspace, prompt: str) -> None:
    assert ask(warm, prompt) == {"text": "", "tokens": 0, "hits": []}


def test_a_word_in_common_is_no_reason_to_speak_up(warm: WarmWorkspace) -> None:
    prompt = "please run the parser tests again and fix the green linter warnings in this module"

    assert ids(ask(warm, prompt)) == []
    with recalling(warm, prompt) as memory:
        assert memory.answer(make_query(warm, {"query": prompt})).hits, "who asks is told what comes near"


@pytest.mark.parametrize("prompt", [TEA, f"  {TEA}. ", f"- {TEA}\n- What goes with it?", f"Mind: it rains. {TEA}."])
def test_a_prompt_is_not_told_what_it_says(warm: WarmWorkspace, prompt: str) -> None:
    assert "people/anna-001" not in ids(ask(warm, prompt))


def test_what_waits_in_the_spool_is_not_applied_for_a_prompt(warm: WarmWorkspace) -> None:
    until(lambda: _has_settled(warm))
    said = warm.envelope(
        "write", {"entity": "people/anna", "text": "Anna drinks no coffee after noon"}, actor=Actor.USER
    )
    warm.spool.put(said.model_dump(mode="json"))
    waiting = warm.spool.waiting()

    assert "after noon" not in ask(warm, "When does Anna drink no coffee?")["text"]
    assert warm.spool.waiting() == waiting != []


def _has_settled(warm: WarmWorkspace) -> bool:
    """Ask once; tell whether the notes have lain still for so long that none is read again."""
    warm_up(warm)
    return read_heading(warm.index.notes.places.list_file).is_settled


def test_what_this_session_said_lately_is_not_told_to_it_again(warm: WarmWorkspace) -> None:
    say(warm, "The lighthouse of Skagen needs new paint", SESSION, NOW.isoformat())
    say(warm, "The lighthouse of Skagen has a red door", SESSION, "2025-01-02T10:00:00Z")
    told = ask(warm, "What about the lighthouse of Skagen?")["text"]

    assert "new paint" not in told
    assert "red door" in told


def test_a_memory_that_no_reply_used_is_shown_only_as_the_best(warm: WarmWorkspace) -> None:
    both = "Does Anna prefer coffee or cake or tea?"
    first, second = ids(ask(warm, both))
    reply_rows(warm, UNUSED_FROM - 1, shown=second, used=[])
    assert ids(ask(warm, both)) == [first, second]
    reply_rows(warm, 1, shown=second, used=[])
    reply_rows(warm, UNUSED_FROM, shown=first, used=[])
    assert ids(ask(warm, both)) == [first]

    reply_rows(warm, 1, shown=second, used=[second])
    assert ids(ask(warm, both)) == [first, second]


def test_being_shown_is_logged_and_proves_no_use(warm: WarmWorkspace) -> None:
    _, after = answer_prompt(warm, {"query": QUESTION, "session": SESSION, "k": 5})
    assert warm.answers.accesses.rows() == []
    after()

    (row,) = warm.answers.accesses.rows()
    assert row["door"] == "prompt"
    assert row["hits"][0]["prints"]
    assert fold_accesses(warm)["facts"] == 0


def test_warming_up_is_no_question_of_anybody(warm: WarmWorkspace) -> None:
    warm_up(warm)

    assert warm.index.is_warm()
    assert warm.answers.accesses.rows() == []


def test_a_workspace_that_knows_nobody_can_be_warmed_up(workspace: Workspace) -> None:
    with contextlib.closing(WarmWorkspace(workspace.paths, workspace.settings, lambda: NOW)) as opened:
        warm_up(opened)


ORDER = "When you touch the billing service, run the ledger tests"
LESSON = "Deployment failed due to a timeout; raising the health-check limit to 120 s fixed it"


def test_an_order_is_brought_when_a_prompt_meets_its_case(warm: WarmWorkspace) -> None:
    warm.submit("write", {"entity": "people/anna", "text": ORDER, "category": "instruction"}, actor=Actor.USER)

    met, other = ask(warm, "Rename the invoice class of billing"), ask(warm, "Rename the login class")

    assert ids(met)[0] == "people/anna-003"
    assert "; when you touch the billing service; by a person)" in met["text"]
    assert ORDER not in other["text"]


def test_an_agents_order_is_not_brought(warm: WarmWorkspace) -> None:
    warm.submit("write", {"entity": "people/anna", "text": ORDER, "category": "instruction"}, actor=Actor.AGENT)

    assert "; when you touch" not in ask(warm, "Rename the invoice class of billing")["text"]


def test_a_lesson_is_brought_when_its_error_comes_again(warm: WarmWorkspace) -> None:
    warm.submit("write", {"entity": "people/anna", "text": LESSON, "category": "lesson"}, actor=Actor.AGENT)

    again, other = ask(warm, "ERROR: deploy timed out"), ask(warm, "TypeError: x is undefined in cart.ts")

    assert ids(again) == ["people/anna-003"]
    assert ids(other) == []


def test_what_a_prompt_meets_keeps_to_the_budget(warm: WarmWorkspace) -> None:
    warm.submit("write", {"entity": "people/anna", "text": LESSON, "category": "lesson"}, actor=Actor.AGENT)

    assert ids(ask(warm, "ERROR: deploy timed out", budget=3)) == []


def test_an_order_whose_event_has_happened_is_not_brought(warm: WarmWorkspace) -> None:
    order = {"entity": "people/anna", "text": "Until the audit, no schema changes", "category": "instruction"}
    warm.submit("write", order, actor=Actor.USER)
    prompt = "which schema changes does Anna want"
    assert order["text"] in ask(warm, prompt)["text"]
    warm.now = lambda: NOW + dt.timedelta(hours=1)
    ended = {"entity": "people/anna", "text": "The audit is done", "category": "milestone"}
    warm.submit("write", ended, actor=Actor.USER)

    assert order["text"] not in ask(warm, prompt)["text"]


def work_in_two_projects(warm: WarmWorkspace) -> None:
    """Let shop and harbour be worked on, each with a port, and an order of harbour for when somebody commits."""
    for name, port in (("shop", 8080), ("harbour", 9090)):
        turn = {"id": f"turn/{port:0>32}", "session": f"codex/{name}", "speaker": "user", "text": f"The {name} opens"}
        place = Project(f"projects/{name}", name).as_args()
        warm.submit("capture", {"session": f"codex/{name}", "turns": [turn], **place})
        fact = {"entity": f"projects/{name}", "text": f"The server of the {name} listens on port {port}"}
        warm.submit("write", {**fact, "create": True}, actor=Actor.USER)
    order = "Before you commit, ask the server which port it listens on"
    warm.submit("write", {"entity": "projects/harbour", "text": order, "category": "instruction"}, actor=Actor.USER)


def test_nothing_of_another_project_is_brought_to_a_prompt(warm: WarmWorkspace) -> None:
    work_in_two_projects(warm)
    prompt = "which port does the server listen on before I commit"

    here, nowhere = (ask(warm, prompt, project=folder)["text"] for folder in ("/a/shop", "/"))

    assert ("8080" in here, "9090" in here, "ask the server" in here) == (True, False, False)
    assert ("8080" in nowhere, "9090" in nowhere, "ask the server" in nowhere) == (True, True, True)


def test_in_a_project_that_nobody_has_worked_on_yet_what_belongs_to_none_is_brought(warm: WarmWorkspace) -> None:
    assert TEA in ask(warm, project="/a/brand-new")["text"]


def test_another_project_that_a_prompt_names_is_told_of(warm: WarmWorkspace) -> None:
    work_in_two_projects(warm)

    assert "9090" in ask(warm, "which port does the server of the harbour listen on", project="/a/shop")["text"]


def test_small_talk_brings_nothing(warm: WarmWorkspace) -> None:
    say(warm, "thanks", "codex/other", "2025-01-02T10:00:00Z")

    assert ask(warm, "thanks, that's all") == {"text": "", "tokens": 0, "hits": []}


def test_how_a_day_in_a_prompt_was_read_is_not_told(warm: WarmWorkspace) -> None:
    assert "is read as" not in ask(warm, "Does Anna prefer tea or coffee on 10 December?")["text"]
