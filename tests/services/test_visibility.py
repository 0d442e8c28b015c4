"""Who may see what, as decided in one place."""

from typing import Any

import pytest

from engram.base.clock import to_iso
from engram.base.ids import new_id
from engram.errors import UnknownSessionError
from engram.hooks.hosts import NAMES
from engram.importers.transcripts.formats import FORMATS
from engram.model.changes.change import FactRecorded
from engram.ports.database import FactFilter
from engram.services.visibility import PROGRAMS
from engram.services.visibility import Caller
from engram.services.visibility import caller_of
from engram.services.visibility import identify
from engram.services.visibility import in_plain_sessions
from engram.services.visibility import may_see
from engram.services.visibility import scope_in
from engram.services.visibility import visible_scopes
from engram.workspace import Workspace
from tests.making import NOW
from tests.making import make_session

OWNER = Caller(agent="main")
DEMO = Caller("demo", "main", apart=True)
GROUP = Caller("family", "main", group=True, apart=True)
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
        ("demo", "writer", Caller("demo", "writer", foreign=True, apart=True)),
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
        (Caller(), ("shared", "experience")),
        (OWNER, ("shared", "experience", "agent:main")),
        (DEMO, ("shared", "experience", "session:demo", "agent:main")),
        (GROUP, ("shared", "experience", "session:family")),
        (WRITER, ("shared", "experience", "session:writer/main", "agent:writer")),
    ],
)
def test_scopes(caller: Caller, scopes: tuple[str, ...]) -> None:
    assert visible_scopes(caller) == scopes


@pytest.mark.parametrize(
    ("caller", "scope", "session", "raw", "expected"),
    [
        (OWNER, "shared", "demo", True, True),  # the owner reads every open silo of the own agent
        (OWNER, "shared", "writer/main", True, False),  # and no other agent's
        (OWNER, "shared", "writer/main", False, True),
        (OWNER, "shared", "claude-code/shop-5b1c", True, True),  # a program is where the own agent works
        (WRITER, "shared", "writer/main", True, True),
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


def spool(workspace: Workspace, kind: str, args: dict[str, Any]) -> None:
    """Leave a command as a hook does, which knows nothing of the workspace's settings."""
    envelope = {"v": 1, "id": new_id(), "kind": kind, "at": to_iso(NOW), "actor": "user", "args": args}
    workspace.spool.put({**envelope, "wants_result": False})


def submit(workspace: Workspace, kind: str, args: dict[str, Any]) -> None:
    assert workspace.submit(kind, args).exit_code == 0


@pytest.mark.parametrize("put", [spool, submit])
def test_a_session_with_the_own_agent_before_it_is_the_same_one_for_writing(workspace: Workspace, put: Any) -> None:
    fact = {"entity": "people/anna", "text": "Anna fears spiders", "create": True}
    scoped = {**fact, "text": "Anna likes tea", "scope": "session:main/family"}
    put(workspace, "session-add", {"name": "main/family", "kind": "personal"})
    put(workspace, "write", {**fact, "source": {"actor": "user", "session": "main/family"}})
    put(workspace, "write", scoped)
    put(workspace, "observe", {"text": "Spiders are brought up often", "session": "main/family"})
    put(workspace, "capture", {"session": "main/family", "turns": [{"id": "turn/1", "text": "hello"}]})

    with workspace.reading() as database:
        facts = [*database.find_facts("people/anna-001"), *database.find_facts("people/anna-002")]
        scopes = [*(one.scope for one in facts), *(one.scope for one in database.list_observations())]
        scopes += [one.scope for one in database.list_turns()]
        assert scopes == ["session:family"] * 4
        assert [session.name for session in database.list_sessions()] == ["family"]


def test_a_plan_knows_a_session_with_the_own_agent_before_it(workspace: Workspace) -> None:
    submit(workspace, "session-add", {"name": "family", "kind": "group"})
    source = {"actor": "user", "session": "main/family"}
    args = {"entity": "people/anna", "text": "Anna fears spiders", "create": True, "source": source}

    _, changes = workspace.plan("write", args)

    assert [one.fact.scope for one in changes if isinstance(one, FactRecorded)] == ["session:family"]


@pytest.mark.parametrize("name", ["writer/family", "maintenance", "main", "claude-code/main/x"])
def test_other_sessions_keep_their_names(name: str) -> None:
    assert in_plain_sessions("observe", {"session": name}, "main") == {"session": name}


TEA = {"entity": "people/anna", "text": "Anna prefers tea", "create": True}
IN_FAMILY = {"source": {"actor": "agent", "session": "family"}}
INSTEAD = {"entity": "people/anna", "text": "Anna prefers mate", "supersedes": ["anna-001"], **IN_FAMILY}
CORRECTED = {"id": "anna-001", "text": "Anna prefers mate", **IN_FAMILY}


@pytest.mark.parametrize("kind", ["personal", "group"])
def test_what_is_said_apart_takes_the_place_of_nothing_that_others_see(workspace: Workspace, kind: str) -> None:
    submit(workspace, "session-add", {"name": "family", "kind": kind})
    for number, scope in enumerate(("shared", "agent:main", "session:other"), 1):
        submit(workspace, "write", {**TEA, "scope": scope})
        about = f"people/anna-{number:03d}"
        private = {**INSTEAD, "supersedes": [about], "scope": "session:family"}
        commands = {"write": {**INSTEAD, "supersedes": [about]}, "correct": {**CORRECTED, "id": about}}
        for command, args in (*commands.items(), ("write", private)):
            refused = workspace.submit(command, args)
            assert (refused.error, refused.exit_code) == ("Refused", 4), (command, scope)
            assert refused.hint
    with workspace.reading() as database:
        assert [fact.status for fact in database.list_facts(FactFilter(status="all"))] == ["active"] * 3


@pytest.mark.parametrize(
    ("kind", "before", "command", "args"),
    [
        ("group", "session:family", "write", INSTEAD),  # its own
        ("group", "session:family", "correct", CORRECTED),
        (None, "shared", "write", INSTEAD),  # an open session
        (None, "shared", "correct", CORRECTED),
        ("personal", "shared", "write", {**INSTEAD, "scope": "shared"}),  # its writer speaks for all
        ("personal", "session:family", "write", {**INSTEAD, "scope": "shared"}),
        ("personal", "shared", "write", {**INSTEAD, "source": {"actor": "user"}, "scope": "session:family"}),  # owner
    ],
)
def test_other_facts_give_way(
    workspace: Workspace, kind: str | None, before: str, command: str, args: dict[str, Any]
) -> None:
    submit(workspace, "session-add", {"name": "family", "kind": kind})
    submit(workspace, "write", {**TEA, "scope": before, "source": {"actor": "agent"}})

    assert workspace.submit(command, args).superseded == ("people/anna-001",)


def test_another_agent_whose_main_session_is_kept_apart_is_known_there_by_its_name_alone(workspace: Workspace) -> None:
    workspace.submit("session-add", {"name": "kit/main", "kind": "group"})

    with workspace.reading() as database:
        found = identify(database, "main", None, "kit")

    assert found == Caller("kit/main", "kit", group=True, foreign=True, apart=True)


def test_a_session_that_nobody_knows_is_a_silo_or_refused(workspace: Workspace) -> None:
    with workspace.reading() as database:
        assert identify(database, "main", "demo") == Caller("demo", "main")
        assert identify(database, "main", "demo", has_notes=lambda name: name == "demo") == Caller("demo", "main")
        assert identify(database, "main", "main", has_notes=lambda _: False) == Caller("main", "main")
        with pytest.raises(UnknownSessionError):
            identify(database, "main", "demo", has_notes=lambda _: False)
