"""Domains of a session that is kept apart are its own: no other door, and no other caller, is told of them."""

import json
from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.api.memory import Memory
from engram.config.paths import Paths
from engram.errors import EngramError
from engram.errors import UnknownSessionError
from engram.hooks.background import subprocesses
from engram.hooks.background.deferred_requests import leave_status
from engram.hooks.background.drain_requests import take_in
from engram.hooks.events import agent_context
from engram.hooks.host import Event
from engram.mcp.answers import Caller as Server
from engram.mcp.resources import list_resources
from engram.mcp.resources import read_resource
from engram.mcp.tools import call_tool
from engram.operations.domains.domain_place import domain_files
from engram.operations.pages.domain_page import domain_list
from engram.operations.pages.review_items import review_items
from engram.services.domains.registry import load_registry
from engram.services.silo.folder import session_of_note
from engram.services.silo.folder import silo_folder
from engram.services.visibility import Caller
from engram.workspace import Workspace
from tests.cases import for_each
from tests.conftest import Engram
from tests.conftest import WorkspaceWith
from tests.conftest import call_here
from tests.heartbeat.in_process import answer_in_process
from tests.hooks.test_silos import ask_here

SECRET = "zanzibar"
CHATS = {"hers": "personal", "club": "group", "other/main": "personal"}
BOUND = {"hers": "peer:4711", "club": "group:club", "other/main": "peer:other/main"}
ELSE = ("", "open", "hers", "club", "other/main")  # who else may ask; empty: the owner

names = st.from_regex(r"[a-z][a-z0-9-]{0,8}", fullmatch=True)
sessions = st.one_of(names, st.tuples(names, names).map("/".join))


def run(workspace: Workspace, *words: str) -> str:
    done = call_here(["--workspace", str(workspace.paths.root), *words], b"", {})
    return (done.stdout + done.stderr).decode()


def fill(workspace: Workspace) -> None:
    """Three chats, each with a domain whose words hold the chat's own secret, an open session, and a domain of all."""
    workspace.submit("session-add", {"name": "open"})
    for name, kind in CHATS.items():
        external, word = "4711" if name == "hers" else None, secret_of(name)
        workspace.submit("session-add", {"name": name, "kind": kind, "external_id": external})
        kind_of = "group-direct" if kind == "group" else "peer-direct"
        about = ("--type", kind_of, "--bind", f"telegram:{word}", "--description", f"{word} talk")
        assert "made domain" in run(workspace, "domain", "add", word, "--bind", BOUND[name], *about)
        for verb in ("status", "log", "propose"):
            said = f"We decided to go to {word} by {verb}"
            assert word in run(workspace, "domain", verb, word, said, "--session", name)
    assert "made domain" in run(workspace, "domain", "add", "everybody", "--type", "meta")


@pytest.fixture
def known(workspace_with: WorkspaceWith) -> Workspace:
    return workspace_with(fill)


def secret_of(session: str) -> str:
    return f"{SECRET}{[*CHATS].index(session)}"


def told(workspace: Workspace, asker: str) -> Iterator[tuple[str, str]]:
    """Yield (door, all that it says) to one who asks; every door through which domains, or their words, can be seen."""
    as_session = ("--session", asker) if asker else ()
    server = Server(asker or None)
    waiting = ("review", "list", "--all")
    but_facts = ((*waiting, "--kind", kind) for kind in ("tension", "quarantined", "observation", "names", "proposal"))
    for words in (("domain", "list"), ("domain", "proposals"), *but_facts, ("context",)):
        yield " ".join(words), run(workspace, *words, "--json", *as_session)
    by_name = as_session or ("--agent", "main")  # with neither, the command shows the store itself, private or not
    yield "facts", run(workspace, "facts", "--status", "all", "--json", *by_name)
    yield " ".join(waiting), run(workspace, *waiting, "--json", *by_name)
    yield "recall", run(workspace, "recall", "where did we decide to go", "--json", *as_session)
    yield "memory_domain", call_tool(workspace, server, "memory_domain", {}).text
    yield "resources", str(list_resources(workspace, server))
    with Memory(workspace) as memory:
        yield "api", json.dumps(memory.domain_list(session=asker or None))
        yield "api", json.dumps(memory.domain_proposals(session=asker or None))


def asked_for(workspace: Workspace, asker: str, word: str) -> Iterator[tuple[str, str]]:
    """Yield (door, all that it says) to one who asks for a domain by its name; an error repeats that name."""
    as_session = ("--session", asker) if asker else ()
    server = Server(asker or None)
    for verb in ("show", "context"):
        yield f"domain {verb}", run(workspace, "domain", verb, word, *as_session)
    for verb in ("status", "log"):
        yield f"domain {verb}", run(workspace, "domain", verb, word, "mine", *as_session)
    acts: tuple[Callable[[], str], ...] = (
        lambda: call_tool(workspace, server, "memory_domain", {"name": word}).text,
        lambda: call_tool(workspace, server, "memory_domain", {"name": word, "say": "log", "text": "mine"}).text,
        lambda: read_resource(workspace, server, f"engram://domain/{word}"),
    )
    for act in acts:
        try:
            yield "mcp", act()
        except EngramError as problem:
            yield "mcp", f"{problem.message} {problem.hint}"


@for_each("asker", ELSE)
def test_no_door_tells_anybody_else_of_them(known: Workspace, asker: str) -> None:
    foreign = [secret_of(one) for one in CHATS if one != asker]

    for door, said in told(known, asker):
        assert [word for word in foreign if word in said] == [], (door, said)
    for word in foreign:
        for door, said in asked_for(known, asker, word):
            assert "there is no domain" in said, (door, said)
            assert "go to" not in said, (door, said)


@pytest.mark.parametrize("name", ["../../hers/domains/zanzibar0", "/etc", ""])
def test_a_registry_in_a_silo_leads_out_of_it_to_no_file(known: Workspace, name: str) -> None:
    place = known.paths.root / "memory/main/club/domains/.registry.json"
    registry = json.loads(place.read_bytes())
    registry["domains"][secret_of("club")]["name"] = name
    place.write_text(json.dumps(registry))

    said = run(known, "domain", "context", secret_of("club"), "--session", "club")

    assert said.startswith("error: memory/main/club/domains/.registry.json is damaged: ")


def test_the_registry_of_a_silo_that_is_a_link_is_not_written(known: Workspace, tmp_path: Path) -> None:
    silo = known.paths.root / "memory/main/club"
    silo.rename(tmp_path / "elsewhere")
    silo.symlink_to(tmp_path / "elsewhere")
    before = (tmp_path / "elsewhere/domains/.registry.json").read_bytes()

    said = run(known, "domain", "archive", secret_of("club"), "--session", "club")

    assert said.startswith("error: ")
    assert (tmp_path / "elsewhere/domains/.registry.json").read_bytes() == before


def test_a_chat_whose_name_can_have_no_silo_still_has_resources(workspace: Workspace) -> None:
    workspace.submit("session-add", {"name": "telegram/family/4711", "kind": "personal"})

    listed = list_resources(workspace, Server("telegram/family/4711"))

    assert [one.name for one in listed] == ["context"]


@for_each("asker", [*CHATS])
def test_the_session_itself_reads_and_writes_them_through_each_door(known: Workspace, asker: str) -> None:
    word, server = secret_of(asker), Server(asker)

    assert word in run(known, "domain", "list", "--session", asker)
    prompt = run(known, "domain", "context", word, "--session", asker)
    assert "by status" in prompt
    assert f"--role subagent --session {asker}`" in prompt  # else what its subagent reports would go nowhere
    assert "by status" in call_tool(known, server, "memory_domain", {"name": word}).text
    assert call_tool(known, server, "memory_domain", {"name": word, "say": "log", "text": "seen"}).is_error is False
    assert "seen" in run(known, "domain", "context", word, "--session", asker)
    proposal = json.loads(run(known, "domain", "proposals", "--session", asker, "--json"))["proposals"][0]
    assert "accepted" in run(known, "domain", "decide", proposal["id"], "accept", "--session", asker)
    assert "everybody" not in run(known, "domain", "list", "--session", asker)
    assert "everybody" not in call_tool(known, server, "memory_domain", {}).text


def test_a_heartbeat_makes_nothing_of_them_that_others_see(known: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    answer_in_process(monkeypatch)
    run(known, "heartbeat", "run")

    for folder in (known.paths.life, known.paths.ops):
        assert [file for file in folder.rglob("*") if file.is_file() and SECRET in file.read_text()] == []
    for asker in ("", "open"):
        assert [door for door, said in told(known, asker) if SECRET in said] == []
    facts = json.loads(run(known, "facts", "--status", "all", "--json"))["facts"]  # of the store itself
    assert [one["scope"] for one in facts if SECRET in one["text"] and not one["scope"].startswith("session:")] == []
    assert SECRET not in run(known, "heartbeat", "status")
    assert SECRET not in run(known, "heartbeat", "alerts")
    assert [one["name"] for one in domain_list(known)] == ["everybody"]
    assert [one for one in review_items(known, None).items if one["kind"] == "proposal"] == []


def test_hooks_find_a_chats_own_domain_and_no_other(known: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocesses, "ask_engram", ask_here)

    def event(session: str, word: str, kind: str | None) -> Event:
        return Event(session, kind=kind, keys=(word, f"telegram:{word}"))

    own = event("club", secret_of("club"), "group")
    assert agent_context.domain_of(known.paths, own) == secret_of("club")
    assert "by status" in agent_context.domain_context_for(known.paths, own)
    for other in (event("club", secret_of("hers"), "group"), event("club", "everybody", "group")):
        assert agent_context.domain_context_for(known.paths, other) == ""
    assert agent_context.domain_of(known.paths, event("main", secret_of("club"), None)) is None
    assert agent_context.domain_of(known.paths, event("a/b/c", secret_of("club"), "group")) is None


def test_the_last_words_of_a_subagent_go_into_the_chats_own_changelog(known: Workspace) -> None:
    word = secret_of("club")
    leave_status(known.paths, domain=word, subagent="s1", said="Status: booked", session="club")

    assert take_in(known)["logged"] == 1

    assert "booked" in run(known, "domain", "context", word, "--session", "club")
    assert not (known.paths.domains / word).exists()


def test_a_binding_means_a_session_that_is_kept_apart(known: Workspace, engram: Engram) -> None:
    def add(*options: str) -> int:
        return engram("domain", "add", "trip", *options).code

    assert add("--type", "meta", "--bind", "peer:nobody") == 3
    assert add("--type", "meta", "--bind", "peer:open") == 3  # which is open
    assert add("--type", "meta", "--bind", "group:hers") == 3  # which is none
    assert add("--type", "meta", "--bind", "peer:hers", "--bind", "group:club") == 4
    assert add("--type", "peer-direct") == 4
    assert add("--type", "peer-direct", "--bind", "group:club") == 4
    assert add("--type", "meta", "--bind", "peer:hers", "--session", "club") == 4
    assert engram("domain", "spawn", secret_of("hers")).code == 3
    made = engram("domain", "add", "trip", "--type", "meta", "--session", "club", "--json").json
    assert (made["session"], made["path"]) == ("club", "memory/main/club/domains/trip")


@given(sessions, sessions, names)
def test_no_two_sessions_share_a_place_and_none_has_that_of_all(one: str, other: str, agent: str) -> None:
    def place(session: str) -> Paths | None:
        try:
            return Paths(Path("/w")).of_silo(silo_folder(agent, session.removeprefix(f"{agent}/")))
        except EngramError:  # a name that can have no silo
            return None

    mine, theirs, shared = place(one), place(other), Paths(Path("/w"))
    if mine is None:
        return
    plain = one.removeprefix(f"{agent}/")
    assert mine.domains != shared.domains
    assert not mine.domains.is_relative_to(shared.domains)
    assert not shared.domains.is_relative_to(mine.domains)
    assert session_of_note(mine.relative(mine.domains / "x" / "status.md"), agent) == plain
    if theirs is not None and other.removeprefix(f"{agent}/") != plain:
        assert mine.domain_registry != theirs.domain_registry
        assert not mine.domains.is_relative_to(theirs.domains)


def test_who_is_not_kept_apart_has_the_domains_of_all(known: Workspace) -> None:
    for caller in (None, Caller(), Caller("open"), Caller(agent="builder", foreign=True)):
        assert domain_files(known, caller) is known.files
    assert [*load_registry(known.files).domains] == ["everybody"]


def test_an_unknown_session_is_refused(known: Workspace) -> None:
    with Memory(known) as memory, pytest.raises(UnknownSessionError):
        memory.domain_list(session="nobody")
