"""No door gives a caller what it may not see: random memories over scopes, sessions, agents and trust, every caller."""

import contextlib
import datetime as dt
import json
import time
from collections import defaultdict
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck
from hypothesis import Phase
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from engram.config.paths import Paths
from engram.errors import EngramError
from engram.errors import UnknownEntityError
from engram.model.commands.command import CommandResult
from engram.operations.setup import make_workspace
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.services.commands.near_entities import near_names
from engram.services.context.block import ContextQuery
from engram.services.context.block import load_context
from engram.services.context.standing_instructions import StandingQuery
from engram.services.context.standing_instructions import recall_standing
from engram.services.facts.listing import FactQuery
from engram.services.facts.listing import Moment
from engram.services.facts.listing import entity_view
from engram.services.facts.listing import fact_views
from engram.services.facts.listing import get_entity_path
from engram.services.facts.listing import get_fact
from engram.services.facts.listing import list_entity_views
from engram.services.facts.listing import list_facts
from engram.services.index.catch_up import catch_up
from engram.services.recall.answer import Recall
from engram.services.recall.query import RecallContext
from engram.services.recall.query import RecallQuery
from engram.services.review.queue import describe
from engram.services.review.visible_queue import visible_queue
from engram.services.silo.daily_note import add_note
from engram.services.silo.daily_note import note_place
from engram.services.silo.decision_log import log_decision
from engram.services.silo.folder import silo_folder
from engram.services.silo.handoff import write_handoff
from engram.services.silo.working_memory import set_working_memory
from engram.services.visibility import Caller
from engram.services.visibility import identify
from engram.store.index.documents import DocumentIndex
from engram.store.text_files import WorkspaceFiles
from engram.workspace import Workspace
from engram.workspace import open_workspace
from tests.effort import examples
from tests.making import NOW

CODING = "claude-code/shop-abc"  # of a program: the own agent works in it
KINDS = {"open": None, CODING: None, "kept": "personal", "crowd": "group", "writer/main": None}
POOL = "experience"  # of lessons: every agent reads it, and nothing enters it from a session that is kept apart
SPELLED = "main/kept"  # the own agent's session `kept`, called by its agent, too
WHO = [(None, None), *((session, None) for session in KINDS), (None, "writer"), (None, "main"), ("crowd", "main")]
WHO += [(SPELLED, None)]
SCOPES = ["shared", POOL, "agent:main", "agent:writer", *(f"session:{name}" for name in KINDS)]
OWNER = "people/anna"
_WAYS: tuple[dict[str, Any], ...] = (
    *({}, {"explain": True}, {"by": "session"}),
    *({"space": "ops"}, {"entity": OWNER}, {"as_of": NOW}),
)
ALIAS = "Nickword{}x"
WORDS = "Anna prefers green tea in the morning"
Who = tuple[str | None, str | None]  # session and agent of a caller
Submit = Callable[[str, dict[str, Any]], CommandResult]


class Planted(NamedTuple):
    """One text with a word of its own."""

    word: str
    kind: str  # fact, turn, file, self, name (of an entity with one fact), noticed, told (in a project)
    scope: str = "shared"
    session: str | None = None
    hidden: bool = False  # quarantined: nobody's without being asked for

    def is_for(self, session: str | None, agent: str | None) -> bool:
        """Tell who may see it, said again in other words than the code does."""
        session = session.removeprefix("main/") if session else None
        agent = agent or ("writer" if session == "writer/main" else "main")
        session = session or ("writer/main" if agent == "writer" else None)
        group = session == "crowd"
        if self.hidden:
            return False
        if self.kind == "self":
            return agent == "main" and not group
        if self.kind == "name" and agent == "main" and session is None:
            return True
        if self.kind in {"turn", "file"} and session is not None and self.session != session:
            return False
        if self.kind in {"turn", "file"} and session is None and self.session == "writer/main":
            return False  # another agent's words, which the owner sees when that agent is asked for
        scope = self.scope
        if self.kind not in {"fact", "name"} and scope == "shared" and KINDS.get(self.session or ""):
            scope = f"session:{self.session}"
        mine = {"shared", POOL, f"session:{session}", *([] if group else [f"agent:{agent}"])}
        return scope in mine


FACTS = st.tuples(
    st.sampled_from(SCOPES),
    st.sampled_from(["trusted", "unverified", "quarantined"]),
    st.sampled_from([OWNER, "projects/billing"]),
    st.sampled_from(["preference", "decision", "context"]),
    st.booleans(),  # takes the place of the fact before it, whatever its scope
    st.sampled_from([None, *KINDS]),  # said in
)
TURNS = st.tuples(st.sampled_from([*KINDS, SPELLED]), st.sampled_from(["trusted", "unverified", "quarantined"]))
MEMORIES = st.tuples(st.lists(FACTS, min_size=3, max_size=9), st.lists(TURNS, min_size=2, max_size=6))


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    return lambda: tmp_path_factory.mktemp("silos")


def make(folder: Path) -> Workspace:
    """Return a fresh workspace of agent main, without an embedding model."""
    make_workspace(folder, {"timezone": "UTC", "owner": OWNER}, now=lambda: NOW, force=False, dry_run=False)
    with (folder / "engram.toml").open("a") as toml:
        toml.write('\n[embeddings]\nprovider = "none"\n')
    return open_workspace(str(folder), now=lambda: NOW)


def plant(workspace: Workspace, facts: list[Any], turns: list[Any]) -> list[Planted]:
    """Fill a workspace; every text holds one word that stands nowhere else."""
    with workspace.writing("test") as recorder:  # once: opening it for each of forty commands would take a while

        def submit(kind: str, args: dict[str, Any]) -> CommandResult:
            return recorder.record([workspace.envelope(kind, args)])[0]

        said = [*plant_texts(submit, facts, turns), *plant_entities(submit), *plant_projects(submit)]
    return [*said, *plant_files(workspace.paths)]


def plant_texts(submit: Submit, facts: list[Any], turns: list[Any]) -> list[Planted]:
    """Make the sessions, and write facts and turns."""
    planted: list[Planted] = []
    for name, kind in KINDS.items():
        submit("session-add", {"name": name, "kind": kind})
    before = ""
    for number, (scope, trust, entity, category, replaces, session) in enumerate(facts):
        word = f"factword{number}x"
        source = {"actor": "user", **({"session": session} if session else {})}
        text = f"{WORDS} {word}"
        args = {"entity": entity, "text": text, "category": category, "create": True, "scope": scope, "source": source}
        args |= {"trust": trust, "related": ["projects/billing"] if entity == OWNER else [OWNER]}
        args |= {"supersedes": [before]} if replaces and before.startswith(entity) else {}
        args |= {"category": "lesson"} if scope == POOL else {}
        before = submit("write", args).id or ""
        planted.append(Planted(word, "fact", scope, hidden=trust == "quarantined"))
    for number, (session, trust) in enumerate(turns):
        word = f"turnword{number}x"
        row = {"id": f"turn/{number:032x}", "text": f"{WORDS} {word}", "trust": trust}
        submit("capture", {"session": session, "turns": [row]})
        silo = session.removeprefix("main/")
        planted.append(Planted(word, "turn", "shared", silo, hidden=trust == "quarantined"))
    return planted


def plant_entities(submit: Submit) -> list[Planted]:
    """Make an entity of which one session alone knows, with a title and an alias, and let it notice something."""
    planted: list[Planted] = []
    for number, session in enumerate(KINDS):
        path, scope = f"people/pathword{number}x", f"session:{session}"
        args = {"entity": path, "text": "Likes the early train", "scope": scope, "create": True}
        assert submit("write", {**args, "title": f"Titleword{number}x"}).id
        submit("entity-alias", {"path": path, "alias": ALIAS.format(number)})
        planted += [Planted(f"{word}{number}x", "name", scope) for word in ("pathword", "titleword")]
        noticed = {"text": f"Noticeword{number}x stalls thing{number}y", "session": session}
        assert submit("observe", noticed).id
        planted.append(Planted(f"noticeword{number}x", "noticed", session=session))
    return planted


def plant_projects(submit: Submit) -> list[Planted]:
    """Let each session have a project of its own, of which something is said there and nowhere else."""
    planted: list[Planted] = []
    for number, (session, kind) in enumerate(KINDS.items()):
        path, title = f"projects/folderword{number}x", f"Foldertitle{number}x"
        row = {"id": f"turn/f{number:031x}", "text": "On we go"}
        submit("capture", {"session": session, "turns": [row], "project": path, "project_title": title})
        source = {"actor": "user", "session": session}
        text = f"{WORDS} deskword{number}x"
        assert submit("write", {"entity": path, "title": title, "text": text, "create": True, "source": source}).id
        scope = f"session:{session}" if kind else "shared"
        planted += [Planted(f"{word}{number}x", "name", scope) for word in ("folderword", "foldertitle")]
        planted.append(Planted(f"deskword{number}x", "told", scope))
    return planted


def plant_files(paths: Paths) -> list[Planted]:
    """Write into every silo's files, and into MEMORY.md."""
    planted = [Planted("selfwordx", "self")]
    paths.self_file.write_text(f"# Memory\n\n{WORDS} selfwordx\n")
    for place, session in enumerate(["main", *KINDS]):
        folder = silo_folder("main", session)
        word = f"fileword{place}x"
        write_handoff(WorkspaceFiles(paths), folder, f"{WORDS} {word} in the handoff", now=NOW)
        set_working_memory(WorkspaceFiles(paths), folder, f"{WORDS} {word} in hand")
        log_decision(WorkspaceFiles(paths), folder, f"{WORDS} {word} was decided", now=NOW, zone=dt.UTC)
        place_of_day = note_place(paths.memory, "main", session, now=NOW, zone=dt.UTC)
        add_note(WorkspaceFiles(paths), place_of_day, f"{WORDS} {word} today", now=NOW, zone=dt.UTC)
        planted.append(Planted(word, "file", session=session))
    return planted


@contextlib.contextmanager
def stores(workspace: Workspace) -> Iterator[tuple[DocumentIndex, FactDatabase]]:
    """Open index and database for all callers: opening takes longer than what one of them asks."""
    with workspace.index.searching() as index:
        catch_up(workspace.journal, index, budget_s=None, clock=time.monotonic)
        workspace.index.notes.catch_up(index, None)
        with workspace.reading() as database:
            yield index, database


def everything(
    workspace: Workspace, index: DocumentIndex, database: FactDatabase, who: Who, names: Iterable[int]
) -> Iterator[tuple[str, str]]:
    """Yield (door, all that it says) for one caller, who asks for the entities of these numbers by their names."""
    session, agent = who
    settings = workspace.settings
    around = RecallContext(
        now=NOW,
        zone=settings.zone,
        decay=settings.decay,
        clock=time.perf_counter,
        agent=settings.agent,
        self_text=workspace.paths.self_file.read_text(),
    )
    for searched, ways in ((index, _WAYS), (None, _WAYS[:1])):
        memory = Recall(searched, database, around)
        for fields in ways:
            asked = RecallQuery.model_validate(
                {"query": WORDS, "limit": 100, "session": session, "agent": agent, **fields}
            )
            try:
                answer = memory.answer(asked)
            except UnknownEntityError as problem:  # it may see no fact of it
                yield f"recall {fields}", f"{problem.message} {problem.hint} {problem.details}"
                continue
            said = {**answer.as_json(), "explain": None}
            yield f"recall {fields}", json.dumps(said, ensure_ascii=False)
            for one in (answer.explain or {"dropped": []})["dropped"]:
                yield "explain", f"{one['id']} {one['exit']}"
    standing = recall_standing(database, StandingQuery(session=session, agent=agent), around, owner=OWNER)
    yield "standing", json.dumps(standing.as_json(), ensure_ascii=False)
    caller = identify(database, settings.agent, session, agent)
    asked_context = ContextQuery(caller=caller, question="Anna and Billing", budget=100_000)
    context = load_context(database, workspace.files, settings, asked_context, now=NOW)
    yield "context", json.dumps([context.as_json(), [hit.text for hit in context.hits]], ensure_ascii=False)
    moment = Moment(NOW, settings.decay, settings.zone, caller)
    yield "facts", json.dumps(list_facts(database, FactQuery(), moment), ensure_ascii=False)
    yield "entities", json.dumps(list_entity_views(database, NOW, caller)).casefold()
    waiting = visible_queue(database, settings, caller, NOW)
    described = [describe(database, one, settings, workspace.files) for one in waiting]
    yield "review", json.dumps(described).casefold()
    for number in names:
        yield "names", told_of(database, memory, asked, ALIAS.format(number), caller).casefold()


def ids_by_word(database: FactDatabase) -> dict[str, str]:
    """Return the ids of all facts by the last word of their texts."""
    return {one.text.rpartition(" ")[2]: one.id for one in database.list_facts(FactFilter(status="all"))}


def told_of(database: FactDatabase, memory: Recall, asked: RecallQuery, name: str, caller: Caller) -> str:
    """Return all that one who asks by an entity's name is told of which entity that is."""
    said: list[Any] = [near_names(database, name, caller), near_names(database, name.replace("Nick", "Title"), caller)]
    named = asked.model_copy(update={"query": f"{WORDS} {name}", "explain": True})
    said.append((memory.answer(named).explain or {})["named"])
    for ask in (
        lambda: memory.answer(asked.model_copy(update={"entity": name})).as_json(),
        lambda: get_entity_path(database, name, caller),
        lambda: entity_view(database, name, NOW, caller),
    ):
        try:
            said.append(ask())
        except EngramError as problem:
            said += [problem.message, problem.hint, problem.details]
    return json.dumps(said, default=str)


@hypothesis_settings(
    max_examples=examples(3),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # making a failing memory smaller would take minutes
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(MEMORIES)
def test_no_door_gives_what_its_caller_may_not_see(
    folders: Callable[[], Path], memory: tuple[list[Any], list[Any]]
) -> None:
    workspace = make(folders())
    planted = plant(workspace, *memory)
    with stores(workspace) as (index, database):
        ids = ids_by_word(database)
        for number, who in enumerate(WHO):
            name = number % len(KINDS)  # the test below asks for all of them: they are the same in every memory
            for door, said in everything(workspace, index, database, who, [name]):
                assert_hidden(planted, ids, who, door, said)


def assert_hidden(planted: list[Planted], ids: dict[str, str], who: Who, door: str, said: str) -> None:
    """Assert that a door has told a caller nothing that it may not see; `ids` are those of the facts, by word."""
    session, agent = who
    owner = session is None and agent != "writer"
    for one in planted:
        if one.is_for(session, agent):
            continue
        listed = one.hidden and door == "facts"  # where a person looks for what was quarantined
        assert listed or one.word not in said, (door, session, agent, one)
        if door == "explain" and not owner and one.kind == "fact" and not one.hidden:
            assert ids.get(one.word) != said.split(maxsplit=1)[0], (door, session, agent, one)


def test_what_a_caller_may_see_it_gets(tmp_path: Path) -> None:
    workspace = make(tmp_path)
    facts = [(scope, "trusted", "projects/billing", "context", False, None) for scope in SCOPES]
    planted = plant(workspace, facts, [(name, "trusted") for name in KINDS])
    doors = {"fact": ["recall {}", "context", "facts"], "turn": ["recall {}"], "self": ["recall {}", "context"]}
    doors |= {"name": ["entities"], "noticed": ["review"]}
    with stores(workspace) as (index, database):
        ids = ids_by_word(database)
        for session, agent in WHO:
            said: dict[str, str] = defaultdict(str)
            for door, words in everything(workspace, index, database, (session, agent), range(len(KINDS))):
                assert_hidden(planted, ids, (session, agent), door, words)
                said[door] += words
            for one in planted:
                for door in [*doors.get(one.kind, []), *(["names"] if "path" in one.word else [])]:
                    assert (one.word in said[door]) is one.is_for(session, agent), (door, session, agent, one)


def test_a_link_to_a_private_fact_is_not_shown(tmp_path: Path) -> None:
    workspace = make(tmp_path)
    workspace.submit("session-add", {"name": "open"})
    ids: list[str] = []
    for text, scope in (("mate", "session:kept"), ("tea", "shared"), ("chai", "session:kept"), ("juice", "shared")):
        args = {"entity": OWNER, "text": f"Anna drinks {text}", "supersedes": ids[-1:], "scope": scope, "create": True}
        ids.append(workspace.submit("write", args).id or "")
    first, shared, between, last = ids

    with workspace.reading() as database:
        caller = identify(database, "main", "open")
        moment = Moment(NOW, workspace.settings.decay, workspace.settings.zone, caller)
        views = fact_views(database, [get_fact(database, one, caller) for one in (shared, last)], moment)
        views += entity_view(database, OWNER, NOW, caller)["active_facts"]
    assert [(view["id"], view["lineage"], view["version"]) for view in views] == [
        *((shared, shared, 1), (last, last, 1), (last, last, 1)),
    ]
    for hidden in (first, between):
        assert hidden
        assert hidden not in json.dumps(views)
