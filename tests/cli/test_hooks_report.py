"""`engram hooks report`: what memories cost in prompts, and how often they helped."""

from typing import Any

from engram.store.recall_log import RecallLog
from engram.workspace import Workspace
from tests.conftest import Engram

OLD, NEW = "2026-01-01T10:00:00Z", "2026-02-24T10:00:00Z"


def log(workspace: Workspace, *rows: dict[str, Any]) -> None:
    for row in rows:
        RecallLog(workspace.paths.recall_log).append({"v": 1, **row})


def prompt(at: str, outcome: str, **more: Any) -> dict[str, Any]:
    return {"at": at, "kind": "prompt", "outcome": outcome, "ms": 20, **more}


def fill(workspace: Workspace) -> None:
    given = {"tokens": 40, "shown": ["people/anna-001", "people/anna-002"]}
    log(
        workspace,
        *(prompt(OLD, "given", **given), prompt(OLD, "nothing"), prompt(NEW, "late"), prompt(NEW, "given", **given)),
        {
            "at": OLD,
            "kind": "reply",
            "tokens": 12,
            "used_tokens": 6,
            "shown": given["shown"],
            "used": ["people/anna-001"],
        },
        {"at": NEW, "kind": "reply", "tokens": 12, "used_tokens": 0, "shown": given["shown"], "used": []},
    )


def test_it_says_what_was_given_what_it_cost_and_what_was_used(workspace: Workspace, engram: Engram) -> None:
    fill(workspace)
    found = engram("hooks", "report", "--json").json

    assert {name: found[name] for name in ("prompts", "given", "nothing", "skipped", "tokens")} == {
        "prompts": 4, "given": 2, "nothing": 1, "skipped": {"late": 1}, "tokens": 80,
    }  # fmt: skip
    assert {name: found[name] for name in ("replies", "helped", "shown", "used", "used_tokens")} == {
        "replies": 2, "helped": 1, "shown": 4, "used": 1, "used_tokens": 6,
    }  # fmt: skip
    assert found["most_used"] == [{"id": "people/anna-001", "shown": 2, "used": 1}]
    assert found["never_used"] == []


def test_people_read_it_in_words(workspace: Workspace, engram: Engram) -> None:
    fill(workspace)
    said = engram("hooks", "report").out

    assert "since 2026-01-01: 4 prompts; 2 were given memories, 1 had nothing relevant; left out: 1 because" in said
    assert "cost: 80 tokens, 40 a prompt that was given any" in said
    assert "helped: 1 of 2 replies used what they were given (1 of 4 memories" in said


def test_it_can_be_asked_since_when(workspace: Workspace, engram: Engram) -> None:
    fill(workspace)
    found = engram("hooks", "report", "--since", "2026-02-01", "--json").json

    assert (found["prompts"], found["given"], found["replies"], found["helped"]) == (2, 1, 1, 0)


def test_what_is_never_used_is_named(workspace: Workspace, engram: Engram) -> None:
    reply = {"at": NEW, "kind": "reply", "tokens": 6, "used_tokens": 0, "shown": ["people/anna-009"], "used": []}
    log(workspace, prompt(NEW, "given", tokens=20, shown=["people/anna-009"]), *[reply] * 5)

    assert engram("hooks", "report", "--json").json["never_used"] == [{"id": "people/anna-009", "shown": 5, "used": 0}]
    assert "shown 5 times: people/anna-009" in engram("hooks", "report").out


def test_before_the_first_prompt_it_says_where_to_look(workspace: Workspace, engram: Engram) -> None:
    assert "engram hooks status" in engram("hooks", "report").out
    assert engram("hooks", "report", "--json").json["prompts"] == 0


def test_rows_of_another_form_count_for_nothing(workspace: Workspace, engram: Engram) -> None:
    log(workspace, {"kind": "prompt"}, {"at": 7, "kind": "reply", "used": 3}, {"at": NEW, "tokens": "many"})

    assert engram("hooks", "report", "--since", "2020-01-01").code == 0
    assert engram("hooks", "report").code == 0
