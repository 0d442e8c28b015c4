"""Who may see what, as decided in one place."""

from typing import Any

import pytest

from engram.hooks.hosts import NAMES
from engram.importers.transcripts.formats import FORMATS
from engram.services.visibility import PROGRAMS
from engram.services.visibility import Caller
from engram.services.visibility import caller_of
from engram.services.visibility import identify
from engram.services.visibility import may_see
from engram.services.visibility import scope_in
from engram.services.visibility import visible_scopes
from engram.workspace import Workspace
from tests.making import make_session

OWNER = Caller(agent="main")
DEMO = Caller("demo", "main")
GROUP = Caller("family", "main", group=True)
WRITER = Caller("writer/main", "writer", foreign=True)


@pytest.mark.parametrize(
    ("session", "agent", "expected"),
    [
        (None, None, OWNER),
        (None, "main", OWNER),
        ("demo", None, DEMO),
        ("main/demo", None, DEMO),
        ("family", None, GROUP),
        (None, "writer", WRITER),
        ("writer/main", None, WRITER),
        ("writer/notes", None, Caller("writer/notes", "writer", foreign=True)),
        ("demo", "writer", Caller("demo", "writer", foreign=True)),
        ("claude-code/shop-5b1c", None, Caller("claude-code/shop-5b1c", "main")),
        ("claude-code/shop-5b1c", "writer", Caller("claude-code/shop-5b1c", "writer", foreign=True)),
        ("nowhere", None, Caller("nowhere", "main")),
    ],
)
def test_who_asks(session: str | None, agent: str | None, expected: Caller) -> None:
    known = {"family": make_session("family", kind="group"), "demo": make_session("demo", kind="personal")}

    assert caller_of("main", session, agent, known) == expected


def test_every_program_whose_transcripts_are_read_is_the_agent_s_own_place() -> None:
    assert {*FORMATS, *NAMES} - {"auto", "jsonl", "markdown"} == PROGRAMS


def test_the_store_knows_which_session_is_a_group(workspace: Workspace) -> None:
    workspace.submit("session-add", {"name": "family", "kind": "group"})
    workspace.submit("capture", {"session": "team", "kind": "group", "turns": [{"id": "turn/1", "text": "hello"}]})
    workspace.submit("capture", {"session": "demo", "turns": [{"id": "turn/2", "text": "hello"}]})

    with workspace.reading() as database:
        found = {name: identify(database, "main", name).group for name in ("family", "team", "demo")}
    assert found == {"family": True, "team": True, "demo": False}


@pytest.mark.parametrize(
    ("caller", "scopes"),
    [
        (Caller(), ("shared",)),
        (OWNER, ("shared", "agent:main")),
        (DEMO, ("shared", "session:demo", "agent:main")),
        (GROUP, ("shared", "session:family")),
        (WRITER, ("shared", "session:writer/main", "agent:writer")),
    ],
)
def test_scopes(caller: Caller, scopes: tuple[str, ...]) -> None:
    assert visible_scopes(caller) == scopes


@pytest.mark.parametrize(
    ("caller", "scope", "session", "raw", "expected"),
    [
        (OWNER, "shared", "demo", True, True),  # the owner reads every open silo
        (OWNER, "session:demo", "demo", True, False),  # and none that is kept apart
        (OWNER, "shared", None, False, True),
        (DEMO, "shared", "other", False, True),  # a fact is shared, wherever it was said
        (DEMO, "shared", "other", True, False),  # the words are not
        (DEMO, "shared", None, True, False),
        (DEMO, "session:demo", "demo", True, True),
        (DEMO, "session:other", "demo", False, False),
        (GROUP, "agent:main", None, False, False),
        (GROUP, "session:demo", None, False, False),
        (WRITER, "agent:main", None, False, False),
        (WRITER, "agent:writer", None, False, True),
        (WRITER, "shared", "main", True, False),
    ],
)
def test_what_a_caller_may_see(caller: Caller, scope: str, session: str | None, *, raw: bool, expected: bool) -> None:
    assert may_see(caller, scope, session, raw=raw) is expected


@pytest.mark.parametrize(
    ("caller", "sees_self", "is_owner"),
    [(OWNER, True, True), (DEMO, True, False), (GROUP, False, False), (WRITER, False, False)],
)
def test_memory_md_is_for_the_own_agent_when_nobody_else_reads_along(
    caller: Caller, *, sees_self: bool, is_owner: bool
) -> None:
    assert (caller.sees_self, caller.is_owner) == (sees_self, is_owner)


@pytest.mark.parametrize(("kind", "scope"), [(None, "shared"), ("personal", "session:demo"), ("group", "session:demo")])
def test_what_is_said_in_a_session_that_is_kept_apart_is_its_own(kind: str | None, scope: str) -> None:
    assert scope_in(make_session("demo", kind=kind)) == scope
    assert scope_in(None) == "shared"


@pytest.mark.parametrize(
    ("fields", "scope"),
    [
        ({}, "session:family"),
        ({"scope": "shared"}, "shared"),  # said so
        ({"scope": "agent:main"}, "agent:main"),
    ],
)
def test_a_fact_from_such_a_session_is_private_unless_its_writer_says_another_scope(
    workspace: Workspace, fields: dict[str, Any], scope: str
) -> None:
    workspace.submit("session-add", {"name": "family", "kind": "personal"})
    source = {"actor": "user", "session": "family"}
    args = {"entity": "people/anna", "text": "Anna prefers tea", "create": True, "source": source, **fields}
    workspace.submit("write", args)

    with workspace.reading() as database:
        assert [fact.scope for fact in database.find_facts("people/anna-001")] == [scope]


def test_a_turn_of_such_a_session_is_private_to_it(workspace: Workspace) -> None:
    turns = [{"id": "turn/1", "text": "hello"}, {"id": "turn/2", "text": "well", "scope": "agent:main"}]
    workspace.submit("capture", {"session": "family", "kind": "group", "turns": turns})
    workspace.submit("capture", {"session": "open", "turns": [{"id": "turn/3", "text": "hello"}]})

    with workspace.reading() as database:
        found = {turn.id: turn.scope for turn in database.list_turns()}
    assert found == {"turn/1": "session:family", "turn/2": "agent:main", "turn/3": "shared"}
