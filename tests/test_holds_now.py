"""One predicate at every door: what is told as holding now is active, has begun and has not ended."""

import datetime as dt
import itertools
from collections.abc import Callable
from typing import Any

import pytest

from engram import Memory
from engram.mcp.answers import Caller
from engram.mcp.tools import call_tool
from engram.workspace import Workspace
from engram.workspace import open_workspace
from tests.conftest import WorkspaceWith
from tests.conftest import engram_in
from tests.making import NOW

CURRENT = "Anna keeps the blue kayak at the harbour"
PLANNED = "Anna keeps the red kayak at the lake"
ENDED = "Anna keeps the green kayak in the shed"
BEGINS, OVER = "2026-12-01", "2026-02-01"
EVERY = (CURRENT, PLANNED, ENDED)
QUESTION = "where does Anna keep the kayak"


def fill(workspace: Workspace) -> None:
    """Say what holds, what is to come and what is over, in an order that helps nobody."""
    for name, more in (
        (PLANNED, {"valid_from": BEGINS}),
        (CURRENT, {}),
        (ENDED, {"valid_from": "2026-01-01", "valid_to": OVER}),
    ):
        fields = {"entity": "people/anna", "text": name, "create": True, "category": "preference", **more}
        workspace.submit("write", {**fields, "tags": ["standing"], "related": ["projects/lake"]})
    workspace.submit("entity-add", {"path": "projects/lake", "title": "Lake"})
    workspace.store.refresh_mirror()


def of(workspace: Workspace, *args: str) -> Any:
    return engram_in(workspace)("--now", NOW.isoformat(), *args, "--json").json


def facts(workspace: Workspace) -> list[str]:
    return [one["text"] for one in of(workspace, "facts", "--entity", "people/anna")["facts"]]


def every_fact(workspace: Workspace) -> list[str]:
    every = of(workspace, "facts", "--entity", "people/anna", "--status", "all")["facts"]
    assert {one["text"] for one in every} == set(EVERY)
    return [one["text"] for one in every if one["status"] == "active"]


def shown(workspace: Workspace) -> list[str]:
    every = [of(workspace, "show", f"people/anna-00{number}") for number in (1, 2, 3)]
    return [one["text"] for one in every if one["status"] == "active"]


def recalled(workspace: Workspace) -> list[str]:
    return [one["text"] for one in of(workspace, "recall", QUESTION)["hits"] if one["state"] is None]


def recalled_as_text(workspace: Workspace) -> list[str]:
    said = engram_in(workspace)("--now", NOW.isoformat(), "recall", QUESTION).out
    blocks = said.split("\n")
    return [text for line, text in itertools.pairwise(blocks) if "planned" not in line]


def asked(workspace: Workspace) -> list[str]:
    return [one["text"] for one in of(workspace, "ask", "prefers", "people/anna")["facts"]]


def entity(workspace: Workspace) -> list[str]:
    [one] = [one for one in of(workspace, "entity", "list")["entities"] if one["path"] == "people/anna"]
    assert one["facts"] == 1
    return [one["text"] for one in of(workspace, "entity", "show", "people/anna")["active_facts"]]


def graph(workspace: Workspace) -> list[str]:
    [near] = of(workspace, "graph", "neighbors", "people/anna")["neighbors"]
    return [of(workspace, "show", fact)["text"] for fact in near["facts"]]


def mirror(workspace: Workspace) -> list[str]:
    assert "summary.md): 1 fact\n" in (workspace.paths.life / "index.md").read_text()
    return (workspace.paths.life / "people" / "anna" / "summary.md").read_text().splitlines()


def context(workspace: Workspace) -> list[str]:
    said = engram_in(workspace)("--now", NOW.isoformat(), "context", "--project", "all").out
    return [line for line in said.splitlines() if f"from {BEGINS}" not in line]


def standing(workspace: Workspace) -> list[str]:
    said = engram_in(workspace)("--now", NOW.isoformat(), "recall", "--standing").out
    return [line for line in said.splitlines() if f"from {BEGINS}" not in line]


def python(workspace: Workspace) -> list[str]:
    with Memory(open_workspace(str(workspace.paths.root), now=lambda: NOW)) as memory:
        return [one.text for one in memory.facts(entity="people/anna")]


def python_every(workspace: Workspace) -> list[str]:
    with Memory(open_workspace(str(workspace.paths.root), now=lambda: NOW)) as memory:
        every = [*memory.facts(entity="people/anna", status="all"), memory.show("people/anna-001")]
        assert {one.status.value for one in every} == {"active", "planned", "ended"}
        return [one.text for one in every if one.status == "active"]


def python_recall(workspace: Workspace) -> list[str]:
    with Memory(open_workspace(str(workspace.paths.root), now=lambda: NOW)) as memory:
        return [hit.text for hit in memory.recall(QUESTION).hits if hit.state is None]


def tool_recall(workspace: Workspace) -> list[str]:
    found = call_tool(workspace, Caller(), "memory_recall", {"query": QUESTION})
    lines = found.text.split("\n")
    return [text for line, text in itertools.pairwise(lines) if "planned" not in line]


def tool_context(workspace: Workspace) -> list[str]:
    lines = call_tool(workspace, Caller(), "memory_context", {}).text.splitlines()
    return [line for line in lines if f"from {BEGINS}" not in line]


def vault(workspace: Workspace) -> list[str]:
    target = workspace.paths.root.parent / "vault"
    said = engram_in(workspace)("--now", NOW.isoformat(), "export", str(target), "--format", "markdown")
    assert said.code == 0, said.err
    note = (target / "people" / "anna.md").read_text()
    assert f"## Planned\n\n- {PLANNED}" in note
    assert f"~~{ENDED}~~ (ended {OVER})" in note
    return [note.partition("## Planned")[0]]


def tool_status(workspace: Workspace) -> list[str]:
    found = call_tool(workspace, Caller(), "memory_status", {}).value["facts"]
    assert found["active"] == 1
    return [CURRENT]


def status(workspace: Workspace) -> list[str]:
    found = of(workspace, "status")["facts"]
    assert (found["active"], found["planned"], found["ended"]) == (1, 1, 1)
    assert found["hot"] + found["warm"] + found["cold"] == 1
    return [CURRENT]


DOORS = [
    facts,
    every_fact,
    shown,
    recalled,
    recalled_as_text,
    asked,
    entity,
    graph,
    mirror,
    context,
    standing,
    python,
    python_every,
    python_recall,
    tool_recall,
    tool_context,
    vault,
    tool_status,
    status,
]


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_sound_01_every_door_tells_only_what_holds_now(
    workspace_with: WorkspaceWith, door: Callable[[Workspace], list[str]]
) -> None:
    told = "\n".join(door(workspace_with(fill)))

    assert [text for text in EVERY if text in told] == [CURRENT]


@pytest.mark.parametrize(("status_name", "text"), [("planned", PLANNED), ("ended", ENDED), ("active", CURRENT)])
def test_sound_01_what_does_not_hold_now_is_listed_when_asked_for(
    workspace_with: WorkspaceWith, status_name: str, text: str
) -> None:
    found = of(workspace_with(fill), "facts", "--status", status_name)["facts"]

    assert [(one["text"], one["status"]) for one in found] == [(text, status_name)]


def test_sound_01_what_is_planned_takes_over_on_its_day_though_nothing_ran(workspace_with: WorkspaceWith) -> None:
    workspace = workspace_with(fill)
    later = ["--now", f"{BEGINS}T08:00:00Z"]

    found = engram_in(workspace)(*later, "facts", "--json").json["facts"]
    hits = engram_in(workspace)(*later, "recall", QUESTION, "--json").json["hits"]

    assert {one["text"] for one in found} == {CURRENT, PLANNED}
    assert {one["text"] for one in hits if one["state"] is None} >= {CURRENT, PLANNED}


def test_sound_01_a_heartbeat_shows_in_life_what_began_and_what_ended(workspace: Workspace) -> None:
    fill(workspace)
    summary = workspace.paths.life / "people" / "anna" / "summary.md"
    later = open_workspace(str(workspace.paths.root), now=lambda: dt.datetime(2026, 12, 1, 8, tzinfo=dt.UTC))
    before = summary.read_text()

    later.store.refresh_mirror()

    assert PLANNED not in before
    assert PLANNED in summary.read_text()
    assert ENDED not in summary.read_text()
    written = summary.read_bytes()
    later.store.refresh_mirror()
    assert summary.read_bytes() == written
