"""A start block of very many facts reads few of them, and is the block that reading all of them gives.

The stores are generated. The numbers that bound a block are made small here, so that a store of some hundred facts is
to them what one of 100,000 is to the real ones.
"""

import datetime as dt
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engram.config.sections.memory import DecaySettings
from engram.model.changes.change import Change
from engram.model.changes.change import EntityCreated
from engram.model.changes.change import FactAccessed
from engram.model.changes.change import FactConfirmed
from engram.model.changes.change import FactPinned
from engram.model.changes.change import FactRecorded
from engram.model.changes.record import Decision
from engram.model.changes.record import Record
from engram.model.changes.session_changes import SessionAdded
from engram.model.commands.command import CommandResult
from engram.model.commands.command import Outcome
from engram.model.conversation import Session
from engram.model.fact import Source
from engram.ports.database import FactFilter
from engram.rules.life.decay import Calendar
from engram.services.context import knowledge
from engram.services.context import parts
from engram.services.context import selection
from engram.services.context.block import ContextQuery
from engram.services.context.block import load_context
from engram.services.recall.validity import outdated
from engram.services.silo.folder import silo_folder
from engram.services.silo.handoff import write_handoff
from engram.services.visibility import identify
from engram.store.database.duck_database import DuckFactDatabase
from engram.workspace import Workspace
from tests.conftest import workspace_in
from tests.making import NOW
from tests.making import make_entity
from tests.making import make_fact

FACTS = 500
PATHS = ("people/anna", "people/boris", "people/clara", "projects/amber", "projects/birch", "projects/cedar")
SESSIONS = {"one": "projects/amber", "two": "projects/birch", "three": None}
CATEGORIES = (
    *("instruction", "identity", "preference", "decision", "commitment", "correction", "lesson"),
    *("relationship", "status", "milestone", "context"),
)
WORDS = (
    *("port", "backup", "report", "invoice", "meeting", "garden", "ticket"),
    *("server", "letter", "budget", "train", "coffee", "window", "release"),
)
ASKED: list[dict[str, Any]] = [
    {},
    {"project": "projects/amber"},
    {"project": "projects/cedar"},
    {"project": "projects/amber", "question": "What did Boris say of Birch?"},
]
CALLERS: list[tuple[str | None, str | None]] = [(None, None), ("one", None), (None, "helper")]


@pytest.fixture(scope="module", params=range(4))
def stored(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A workspace with the facts of one seed."""
    folder: Path = tmp_path_factory.mktemp("stored")
    workspace = workspace_in(folder)
    chance = random.Random(request.param)
    with workspace.writing("test"):
        position, previous = workspace.journal.head()
    for number, changes in enumerate(_in_batches(list(_changes(chance))), 1):
        result = CommandResult(command_id=f"made-{number}", kind="write", status=Outcome.CREATED)
        at = NOW - dt.timedelta(days=40 - number)
        decision = Decision(actor="user", asked_at=at, result=result, changes=tuple(changes))
        record = Record(position=position + number, previous=previous, at=at, decisions=(decision,))
        workspace.journal.append([record])
        previous = workspace.journal.head()[1]
    with workspace.writing("test"):
        pass
    write_handoff(workspace.files, silo_folder("main", None), "Clara waits for the report on Birch", now=NOW)
    return workspace


@pytest.fixture(autouse=True)
def _small_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "_MOST_FACTS", 24)
    monkeypatch.setattr(knowledge, "_MOST_COMPARED", 40)
    monkeypatch.setattr(selection, "_OF_EACH_KIND", 80)
    monkeypatch.setattr(outdated, "MOST_COMPARED", 1)  # what words make likely hangs on what is read beside them


@pytest.mark.parametrize("caller", CALLERS, ids=str)
@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_the_block_of_few_facts_is_the_block_of_all(
    stored: Workspace, asked: dict[str, Any], caller: tuple[str | None, str | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = _start(stored, asked, caller)

    monkeypatch.setattr(selection, "MOST_READ", 0)

    # How many more there are is known of those only that were read.
    assert _without_receipts(_start(stored, asked, caller)) == _without_receipts(whole)


def test_few_are_read(stored: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection, "MOST_READ", 0)
    monkeypatch.setattr(selection, "_OF_EACH_KIND", 5)
    monkeypatch.setattr(DuckFactDatabase, "list_facts", _refuses_all(DuckFactDatabase.list_facts))
    read: list[int] = []
    choose = DuckFactDatabase.facts_to_begin_with

    def choosing(database: DuckFactDatabase, wanted: Any) -> Any:
        found = choose(database, wanted)
        read.append(len(found))
        return found

    monkeypatch.setattr(DuckFactDatabase, "facts_to_begin_with", choosing)

    assert "## Promises and dates ahead" in _start(stored, {}, (None, None))
    assert read
    assert max(read) < FACTS / 5


def test_what_is_pinned_or_private_is_chosen_as_it_is_shown(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selection, "MOST_READ", 0)
    monkeypatch.setattr(selection, "_OF_EACH_KIND", 2)
    for number in range(8):
        workspace.submit("write", {"entity": "people/anna", "text": f"Anna has key {number}", "create": True})
    workspace.submit("pin", {"id": "people/anna-003"})
    with workspace.reading() as database:
        everybody = _chosen(database, scopes=("shared",))
        apart = _chosen(database, scopes=("session:apart",))

    assert "people/anna-003" in everybody
    assert apart == []


def _chosen(database: Any, scopes: tuple[str, ...]) -> list[str]:
    reader = selection.Reader(scopes, NOW, "", None, ())
    calendar = Calendar(dt.UTC, database.active_days(dt.UTC))
    return [fact.id for fact in selection.read_facts(database, reader, calendar, DecaySettings())]


def _refuses_all(ask: Any) -> Any:
    def list_facts(database: Any, wanted: FactFilter) -> Any:
        assert wanted.ids, "all facts were asked for"
        return ask(database, wanted)

    return list_facts


def _start(workspace: Workspace, asked: dict[str, Any], caller: tuple[str | None, str | None]) -> str:
    session, agent = caller
    settings = workspace.settings.model_copy(update={"owner": "people/anna"})
    with workspace.reading() as database:
        query = ContextQuery(caller=identify(database, "main", session, agent), **asked)
        return load_context(database, workspace.files, settings, query, now=NOW).text


def _without_receipts(block: str) -> list[str]:
    return [line for line in block.splitlines() if not line.endswith(" more had no room]")]


def _in_batches(changes: list[Change]) -> Iterator[list[Change]]:
    return (changes[begin : begin + 50] for begin in range(0, len(changes), 50))


def _changes(chance: random.Random) -> Iterator[Change]:
    for path in PATHS:
        title = path.partition("/")[2].title()
        yield EntityCreated(entity=make_entity(path, title).model_copy(update={"next_number": FACTS + 1}))
    for name, project in SESSIONS.items():
        yield SessionAdded(session=Session(name=name, created_at=NOW - dt.timedelta(days=90), project=project))
    for number in range(1, FACTS + 1):
        yield from _fact(chance, number)


def _fact(chance: random.Random, number: int) -> Iterator[Change]:
    path = chance.choice(PATHS)
    recorded = NOW - dt.timedelta(minutes=chance.randrange(60 * 24 * 60))
    named = chance.choice(PATHS).partition("/")[2].title() if chance.random() < 0.3 else "somebody"
    words = chance.sample(WORDS, 4)
    text = f"{path.partition('/')[2].title()} has the {words[0]} with {named} and {words[1]} {words[2]} {number}"
    session = chance.choice([None, *SESSIONS])
    source = {"actor": chance.choice(["user", "agent", "import", "file"]), "session": session}
    if session and source["actor"] == "user":
        source["turn"] = f"turn/{number:032x}"
    fields: dict[str, Any] = {
        "category": chance.choice(CATEGORIES),
        "entity": path,
        "confidence": chance.randint(30, 99) / 100,
        "abstraction": chance.choice(["episode", "episode", "pattern", "principle"]),
        "trust": chance.choice(["trusted", "trusted", "unverified", "quarantined"]),
        "scope": chance.choice(["shared", "shared", "shared", "session:one", "agent:helper"]),
        "tags": chance.choice([(), (), ("preference",), ("instruction",), ("home",)]),
        "related": tuple({chance.choice(PATHS)} - {path}) if chance.random() < 0.2 else (),
        "source": source,
        "recorded_at": recorded,
        **_period(chance, recorded),
    }
    fact = make_fact(number, text, **fields)
    yield FactRecorded(fact=fact)
    if chance.random() < 0.2:
        yield FactAccessed(id=fact.id, at=NOW - dt.timedelta(days=chance.randrange(50)))
    if chance.random() < 0.1:
        confirmed_at = NOW - dt.timedelta(days=chance.randrange(50))
        yield FactConfirmed(id=fact.id, at=confirmed_at, source=Source(actor=chance.choice(["user", "agent"])))
    if chance.random() < 0.02:
        yield FactPinned(id=fact.id, pinned=True)


def _period(chance: random.Random, recorded: dt.datetime) -> dict[str, Any]:
    """Return since when and until when something holds: mostly from when it was said, and for good."""
    match chance.randrange(10):
        case 0:
            return {"valid_from": NOW + dt.timedelta(days=chance.randrange(1, 500))}
        case 1:
            ends = NOW + dt.timedelta(days=chance.randrange(-20, 500))
            return {"valid_from": min(recorded, ends - dt.timedelta(days=1)), "valid_to": ends}
        case 2:
            return {"valid_from": recorded - dt.timedelta(days=chance.randrange(400))}
        case _:
            return {"valid_from": recorded}
