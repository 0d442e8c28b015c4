"""No hook and no command gives a session what it may not see: random memories, sessions of every kind."""

import contextlib
import io
import json
from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck
from hypothesis import Phase
from hypothesis import given
from hypothesis import settings as hypothesis_settings

from engram.api.memory import Memory
from engram.cli.main import main
from engram.config.paths import Paths
from engram.errors import EngramError
from engram.errors import UnknownEntityError
from engram.hooks import host as h
from engram.hooks.hosts import load_host
from engram.hooks.run import run_hook
from engram.model.domain import DomainType
from engram.services.domains.desk import DomainCommands
from engram.services.domains.desk import NewDomain
from engram.warm.client import ABSENT
from engram.warm.client import Talk
from engram.warm.prompt_recall import answer_prompt
from engram.warm.warm_store import WarmWorkspace
from engram.workspace import Workspace
from tests.effort import examples
from tests.making import NOW
from tests.services.test_silos_hold import CODING
from tests.services.test_silos_hold import KINDS
from tests.services.test_silos_hold import MEMORIES
from tests.services.test_silos_hold import OWNER
from tests.services.test_silos_hold import SCOPES
from tests.services.test_silos_hold import WORDS
from tests.services.test_silos_hold import Planted
from tests.services.test_silos_hold import make
from tests.services.test_silos_hold import plant

ASKING = (CODING, "kept", "crowd")  # a coding host's, a personal chat, a group
DOMAIN = "garden"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    return lambda: tmp_path_factory.mktemp("silos")


def command(root: Path, *words: str) -> str:
    """Return all that a command prints, in this process and at the tests' time."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        main(["--workspace", str(root), "--now", NOW.isoformat(), *words])
    return said.getvalue()


def ask_here(paths: Paths, words: list[str], *, timeout_ms: int) -> str:
    """Stand in for the process that a hook starts."""
    assert timeout_ms > 0
    said, wrong = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(wrong):
        code = main(["--workspace", str(paths.root), "--now", NOW.isoformat(), *words])
    if code:
        raise OSError(wrong.getvalue())
    return said.getvalue()


def fill(folder: Path, facts: list[Any], turns: list[Any]) -> tuple[Workspace, list[Planted]]:
    """Return a workspace with a memory, a domain, and hooks that always recall."""
    workspace = make(folder)
    planted = plant(workspace, facts, turns)
    with workspace.paths.settings.open("a") as toml:
        toml.write('\n[hooks]\nrecall = "always"\nrecall_tokens = 20000\ncontext_tokens = 50000\n')
    desk = DomainCommands(workspace.files, now=NOW, role=None)
    desk.add(NewDomain(DOMAIN, DomainType.CRON_TASK, entity=OWNER))
    return workspace, planted


def hooked(workspace: Workspace, monkeypatch: pytest.MonkeyPatch, session: str) -> Iterator[tuple[str, str]]:
    """Yield (event, all that the hook prints) for a host that has one conversation, this session."""
    kind = KINDS[session]
    claude = load_host("claude-code")

    def read(fields: h.Fields, _environment: object) -> h.Event:
        return h.Event(session, prompt=fields.get("prompt"), kind=kind, keys=(DOMAIN,))

    host = claude._replace(read=read)
    monkeypatch.setattr("engram.hooks.run.load_host", lambda _name: host)
    monkeypatch.setattr("engram.hooks.background.subprocesses.ask_engram", ask_here)
    monkeypatch.setattr("engram.warm.client.begin", lambda *_: Talk(ABSENT))  # no warm process
    for event in (h.SESSION_START, h.USER_PROMPT, h.SUBAGENT_START):
        sent = json.dumps({"session_id": "1", "prompt": f"{WORDS}?"}).encode()
        done = run_hook(event, sent, str(workspace.paths.root), "claude-code")
        assert done is not None
        yield event, done.stdout
    options = {"query": f"{WORDS}?", "session": session, "chat": kind is not None, "k": 100, "budget": 20_000}
    with contextlib.closing(WarmWorkspace(workspace.paths, workspace.settings, lambda: NOW)) as warm:
        yield "warm process", answer_prompt(warm, options)[0]["text"]


def commanded(workspace: Workspace, session: str, ids: list[str]) -> Iterator[tuple[str, str]]:
    """Yield (command, all that it prints) for a session."""
    root, as_session = workspace.paths.root, ("--session", session)
    for one in ids[::4]:  # each is a command of its own
        yield "recall --detail", command(root, "recall", "--detail", one, *as_session).replace(one, "")
    for words in (
        *(("review", "next"), ("review", "list"), ("observe", "--list", "--status", "all")),
        *(("handoff", "read"), ("working-memory", "show"), ("decision", "list"), ("entity", "list")),
    ):
        yield " ".join(words), command(root, *words, *as_session, "--json")
    yield "domain context", command(root, "domain", "context", DOMAIN)


def programmed(workspace: Workspace, session: str, ids: list[str]) -> Iterator[tuple[str, str]]:
    """Yield (verb, all that it returns) for a program that asks as to a session."""
    with Memory(workspace) as memory:
        yield "recall", json.dumps(memory.recall(WORDS, session=session, k=100).as_json(), ensure_ascii=False)
        with contextlib.suppress(UnknownEntityError):
            yield "recall", str(memory.recall(WORDS, session=session, k=100, entity=OWNER))
        yield "recall_many", str(memory.recall_many([WORDS], session=session, k=100))
        yield "recall_standing", str(memory.recall_standing(session=session))
        yield "context", memory.context(session=session, question="Anna and Billing", budget=50_000).text
        yield "handoff_read", memory.handoff_read(session=session).text
        yield "working_memory_show", memory.working_memory_show(session=session)
        yield "decision_list", str(memory.decision_list(session=session))
        for one in ids:
            try:
                yield "recall_detail", str(memory.recall_detail([one], session=session))
            except EngramError as problem:
                yield "recall_detail", f"{problem.message} {problem.hint}".replace(one, "")


def is_for(one: Planted, door: str, session: str) -> bool:
    """Tell whether a text may be seen at a door."""
    if door in {"domain context", h.SUBAGENT_START}:
        return one.kind == "fact" and one.scope == "shared" and not one.hidden
    if door == h.SESSION_START and KINDS[session] is None:
        return one.is_for(None, None)  # the owner's work goes on where the main session left off
    return one.is_for(session, None)


def ids_of(workspace: Workspace) -> list[str]:
    """Return the ids of all that is stored, as recall shows them."""
    with workspace.index.searching() as index:
        from engram.ports.database import FactFilter
        from engram.services.index.catch_up import catch_up

        catch_up(workspace.journal, index, budget_s=None, clock=lambda: 0.0)
        workspace.index.notes.catch_up(index, None)
        turns = [f"turn/{number:032x}" for number in range(6)]
        noted = [key for keys in index.ids_by_path(("note", "self")).values() for key in keys]
        with workspace.reading() as database:
            found = [one.id for one in database.list_facts(FactFilter(status="all"))]
        return [*found, *(one.id for one in index.retrieve(turns)), *noted]


@hypothesis_settings(max_examples=examples(2), phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(MEMORIES)
def test_no_hook_command_or_verb_gives_what_its_session_may_not_see(
    folders: Callable[[], Path], monkeypatch: pytest.MonkeyPatch, memory: tuple[list[Any], list[Any]]
) -> None:
    workspace, planted = fill(folders(), *memory)
    ids = ids_of(workspace)
    for number, session in enumerate(ASKING):
        for doors in (
            hooked(workspace, monkeypatch, session),
            commanded(workspace, session, ids),
            programmed(workspace, session, ids[number :: len(ASKING)]),  # the test below asks for all of them
        ):
            for door, said in doors:
                for one in planted:
                    assert is_for(one, door, session) or one.word not in said.casefold(), (door, session, one)


def test_what_a_session_may_see_its_doors_give(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = [(scope, "trusted", OWNER, "preference", False, None) for scope in SCOPES]
    workspace, planted = fill(tmp_path, facts, [(name, "trusted") for name in KINDS])
    ids = ids_of(workspace)
    given = {
        "fact": {h.SESSION_START, h.USER_PROMPT, "warm process", "recall_detail", "recall", "context"},
        "turn": {h.USER_PROMPT, "recall_detail", "recall"},
        "file": {"handoff read", "working-memory show", "decision list", "context"},
        "self": {"context", "recall"},
        "name": {"entity list"},
        "noticed": {"review list", "observe --list --status all"},
    }
    for session in ASKING:
        said: dict[str, str] = {}
        for doors in (hooked(workspace, monkeypatch, session), commanded(workspace, session, ids)):
            for door, words in doors:
                said[door] = said.get(door, "") + words.casefold()
        for door, words in programmed(workspace, session, ids):
            said[door] = said.get(door, "") + words.casefold()
        for one in planted:
            for door in given.get(one.kind, ()):
                assert (one.word in said[door]) is is_for(one, door, session), (door, session, one)
