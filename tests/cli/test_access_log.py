"""What a process leaves in the access log, and `engram recall --standing`."""

import json
from typing import Any

import pytest

from engram.base.tokens.estimate import estimate_tokens
from engram.cli.main import main
from engram.workspace import Workspace
from tests.conftest import Engram
from tests.conftest import WorkspaceWith

ORDER = "Never deploy on Fridays"


def learn(workspace: Workspace) -> None:
    """A workspace that knows an order, a wish and a turn."""
    for text in ("Anna prefers green tea", ORDER):
        workspace.submit("write", {"entity": "people/anna", "text": text, "category": "preference", "create": True})
    workspace.submit("capture", {"session": "demo", "turns": [{"id": "turn/1", "text": "We drank some tea today"}]})


@pytest.fixture
def known(workspace_with: WorkspaceWith) -> Workspace:
    return workspace_with(learn)


def logged(workspace: Workspace) -> list[dict[str, Any]]:
    return workspace.answers.accesses.rows()


def test_an_answer_is_logged_with_its_session_and_without_its_words(known: Workspace, engram: Engram) -> None:
    answer = engram("recall", "green tea", "--session", "demo", "--json").json
    (row,) = logged(known)

    assert (row["door"], row["session"], row["tokens"]) == ("recall", "demo", answer["tokens"])
    assert [hit["id"] for hit in row["hits"]] == [hit["id"] for hit in answer["hits"]]
    assert "green" not in str(row)


def test_questions_of_a_file_are_logged_each_with_its_own_session(known: Workspace, engram: Engram) -> None:
    lines = ['{"query": "tea"}', "tea", '{"query": "drank", "session": "demo"}', '{"query": "submarine"}']

    assert engram("recall", "--jsonl", "-", stdin="\n".join(lines)).code == 2
    assert [(row["session"], bool(row["hits"])) for row in logged(known)] == [
        (None, True),
        ("demo", True),
        (None, False),
    ]


def test_details_are_logged_and_counted_by_the_heartbeat(known: Workspace, engram: Engram) -> None:
    engram("recall", "--detail", "people/anna-001")
    engram("recall", "--standing")
    engram("heartbeat", "run", "--phase", "maintenance")
    engram("heartbeat", "run", "--phase", "maintenance")
    facts = engram("facts", "--json").json["facts"]

    assert [row["door"] for row in logged(known)] == ["detail", "standing"]
    assert [fact["access_count"] for fact in facts] == [1, 0]


def test_a_log_that_cannot_be_written_costs_a_warning_and_no_answer(known: Workspace, engram: Engram) -> None:
    known.paths.accesses.write_text("no folder")

    done = engram("recall", "tea", "--json")

    assert (done.code, done.json["answer"]) == (0, "found")
    assert "access log" in done.err


def test_what_stands_needs_no_question_and_no_index(known: Workspace, engram: Engram) -> None:
    (known.paths.index / "state.json").write_text("damaged")

    answer = engram("recall", "--standing", "--json").json
    order, wish = estimate_tokens(ORDER), estimate_tokens("Anna prefers green tea")
    said = engram("recall", "--standing", "--budget", str(order + wish - 1)).out.splitlines()

    assert [hit["text"] for hit in answer["hits"]] == [ORDER, "Anna prefers green tea"]
    assert (answer["answer"], answer["degraded"]) == ("found", [])
    assert f"| {ORDER}" in said
    assert said[-1] == f"cut by the budget: people/anna-001 ({wish} tokens)"


def test_a_store_without_anything_standing_says_so(workspace: Workspace, engram: Engram) -> None:
    assert engram("recall", "--standing").out == "nothing is known about that\n"
    assert engram("recall", "--standing", "--strict").code == 8


def test_who_has_only_what_agents_noted_is_told_why_nothing_stands(workspace: Workspace, engram: Engram) -> None:
    noted = {"entity": "people/anna", "text": ORDER, "category": "instruction", "create": True}
    workspace.submit("write", {**noted, "source": {"actor": "agent"}})

    assert engram("recall", "--standing").out.startswith("orders or preferences are known, but none is shown")


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["tea"], 2),
        (["--detail"], 2),
        (["--jsonl", "-"], 2),
        (["--entity", "people/anna"], 2),
        (["--since", "2026-01-01"], 2),
        (["--index"], 2),
        (["--session", "nowhere"], 3),
        (["-k", "0"], 2),
    ],
)
def test_what_does_not_go_with_standing(
    workspace: Workspace, capsys: pytest.CaptureFixture[str], args: list[str], code: int
) -> None:
    found = main(["--workspace", str(workspace.paths.root), "recall", "--standing", *args, "--json"])
    error = json.loads(capsys.readouterr().err)

    assert found == code
    assert error["message"]
    assert error["hint"]
