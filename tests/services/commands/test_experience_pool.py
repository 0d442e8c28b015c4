"""The pool of lessons: what enters it, who reads it, and that nothing in it is an instruction."""

import time
from typing import Any

import pytest

from engram.model.commands.command import CommandResult
from engram.model.commands.command import Outcome
from engram.model.fact import Actor
from engram.model.fact import Fact
from engram.ports.database import FactFilter
from engram.services.context.block import ContextQuery
from engram.services.context.block import load_context
from engram.services.context.standing_instructions import StandingQuery
from engram.services.context.standing_instructions import recall_standing
from engram.services.context.unasked import met_lessons
from engram.services.recall.query import RecallContext
from engram.services.visibility import identify
from engram.workspace import Workspace
from tests.making import NOW

LESSON = "Deployment failed due to a timeout; raising the health-check limit to 120 s fixed it"
WRITER = "writer/main"


def try_to_write(
    workspace: Workspace, text: str = LESSON, session: str | None = WRITER, **fields: Any
) -> CommandResult:
    source = {"actor": "agent", **({"session": session} if session else {})}
    args = {"entity": "projects/shop", "text": text, "create": True, "scope": "experience", "source": source, **fields}
    return workspace.submit("write", args, actor=Actor.AGENT)


def write(workspace: Workspace, **fields: Any) -> Fact:
    result = try_to_write(workspace, **fields)
    with workspace.reading() as database:
        return database.list_facts(FactFilter(ids=(result.id or "",), status="all"))[0]


def test_a_lesson_of_one_agent_is_every_agents_with_who_wrote_it(workspace: Workspace) -> None:
    fact = write(workspace)
    around = RecallContext(NOW, workspace.settings.zone, workspace.settings.decay, time.perf_counter, agent="main")

    with workspace.reading() as database:
        for session, agent in ((None, None), (None, "tester"), ("claude-code/shop-1", None)):
            caller = identify(database, "main", session, agent)
            (hit,) = met_lessons(database, "ERROR: the deploy timed out", caller, around)
            assert (hit.id, hit.source, hit.trust) == (fact.id, WRITER, "unverified")
    assert (fact.category, fact.source.session) == ("lesson", WRITER)


@pytest.mark.parametrize("kind", ["group", "personal"])
def test_what_is_said_in_a_session_that_is_kept_apart_never_enters(workspace: Workspace, kind: str) -> None:
    workspace.submit("session-add", {"name": "crowd", "kind": kind})
    turn = {"id": f"turn/{1:032x}", "speaker": "user", "text": LESSON}
    workspace.submit("capture", {"session": "crowd", "turns": [turn]})

    for fields in ({"session": "crowd"}, {"session": None, "source": {"actor": "agent", "turn": turn["id"]}}):
        result = try_to_write(workspace, **fields)
        assert (result.status, result.id) == (Outcome.REFUSED, None)
        assert "kept apart" in (result.reason or "")


def test_a_lesson_made_of_what_is_private_does_not_enter(workspace: Workspace) -> None:
    private = write(workspace, scope=f"session:{WRITER}", category="lesson")

    result = try_to_write(workspace, "A timeout of the deploy is a limit that is too low", derived_from=[private.id])

    assert (result.status, result.id) == (Outcome.REFUSED, None)
    assert "private" in (result.reason or "")


def test_only_lessons_enter(workspace: Workspace) -> None:
    result = try_to_write(workspace, "Never deploy on Fridays", category="instruction")

    assert (result.status, result.id) == (Outcome.REFUSED, None)
    assert "only lessons" in (result.reason or "")


def test_nothing_of_the_pool_is_an_instruction(workspace: Workspace) -> None:
    order = "Always raise the health-check limit before a deploy"
    args = {"entity": "people/anna", "text": order, "category": "lesson", "scope": "experience", "create": True}
    workspace.submit("write", {**args, "tags": ["instruction"]}, actor=Actor.USER)
    settings = workspace.settings.model_copy(update={"owner": "people/anna"})
    around = RecallContext(NOW, settings.zone, settings.decay, time.perf_counter, agent="main")

    with workspace.reading() as database:
        standing = recall_standing(database, StandingQuery(), around, owner="people/anna")
        asked = ContextQuery(caller=identify(database, "main"))
        block = load_context(database, workspace.files, settings, asked, now=NOW).text

    assert standing.hits == []
    assert order in block
    assert "nstructions" not in block.partition("===\n")[2]
