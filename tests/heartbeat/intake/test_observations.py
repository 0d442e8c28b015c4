"""What becomes a line of MEMORY.md or a fact: only what may, and what is refused leaves nothing behind."""

from typing import Any

import pytest

from engram.heartbeat.intake.observations import apply_suggestions
from engram.model.fact import Actor
from engram.operations.review import plan_settling
from engram.operations.review import settle
from engram.workspace import Workspace

SAID = "Anna sees a doctor every Monday morning"


def observe(workspace: Workspace, text: str = SAID, target: str = "memory", **more: Any) -> str:
    """Note something that suggests a line of MEMORY.md, and return the id of the observation."""
    suggestion = {"target": target, "text": text, "entity": "people/anna"}
    return str(workspace.submit("observe", {"text": text, "suggestion": suggestion, **more}).id)


def waiting(workspace: Workspace) -> list[str]:
    with workspace.reading() as database:
        return [one.id for one in database.list_observations()]


@pytest.mark.parametrize(("kind", "status"), [(None, "done"), ("personal", "refused"), ("group", "refused")])
def test_what_is_private_to_a_session_is_no_line_for_all(workspace: Workspace, kind: str | None, status: str) -> None:
    workspace.submit("session-add", {"name": "diary", **({"kind": kind} if kind else {})})
    one = observe(workspace, session="diary")

    result = settle(workspace, {"id": one, "outcome": "promote", "to": "memory"})

    assert result.status == status
    assert (SAID in workspace.paths.self_file.read_text()) is (status == "done")
    assert (waiting(workspace) == [one]) is (status == "refused")


@pytest.mark.parametrize("answer", [{"note": "x" * 1001}, {"text": "x" * 2001}, {"keep": "\x07"}])
def test_an_answer_that_is_refused_leaves_no_line(workspace: Workspace, answer: dict[str, str]) -> None:
    one = observe(workspace)
    before = workspace.paths.self_file.read_bytes()
    args = {"id": one, "outcome": "promote", **answer}

    planned, changes = plan_settling(workspace, args)
    assert (planned.exit_code, changes) == (2, [])
    assert settle(workspace, args).exit_code == 2
    assert workspace.paths.self_file.read_bytes() == before
    assert waiting(workspace) == [one]


def test_much_evidence_is_read_whole_and_leaves_its_doubt_on_the_fact(workspace: Workspace) -> None:
    facts = [f"people/anna-{number:03d}" for number in range(1, 131)]
    writes = [
        workspace.envelope(
            "write",
            {"entity": "people/anna", "create": True, "text": f"The walk of day {number} was long"},
            actor=Actor.TOOL if number == 1 else Actor.USER,  # a tool is not trusted
        )
        for number in range(1, len(facts) + 1)
    ]
    seen = workspace.envelope("observe", {"text": "Anna walks far", "entity": "people/anna", "facts": facts[:1]})
    again = workspace.envelope("observe", {"text": "Anna walks far", "facts": facts[1:]})
    with workspace.writing("test") as recorder:
        for envelopes in (writes, [seen], [again]):
            recorder.record_together(envelopes, [])

    result = settle(workspace, {"id": "observation-0001", "outcome": "promote"})

    assert result.error is None
    with workspace.reading() as database:
        (made,) = database.find_facts(str(result.details["made"]))
    assert (made.derived_from, made.trust) == ((facts[0], *facts[-98:], "observation-0001"), "unverified")


def test_a_line_of_memory_md_waits_for_a_person_whatever_the_settings_say(workspace: Workspace) -> None:
    one = observe(workspace, target="memory")
    before = workspace.paths.self_file.read_text()

    assert apply_suggestions(workspace) == (0, [])
    assert settle(workspace, {"id": one, "outcome": "promote"}, actor=Actor.AGENT).error == "Refused"
    assert workspace.paths.self_file.read_text() == before


def test_a_suggestion_that_cannot_be_applied_is_told_and_never_written(workspace: Workspace) -> None:
    one = observe(workspace, target="fact")
    before = workspace.journal.head()

    promoted, alerts = apply_suggestions(workspace)

    assert (promoted, len(alerts)) == (0, 1)
    assert one in alerts[0]
    assert "people/anna" in alerts[0]
    assert workspace.journal.head() == before
