"""The graph that is counted in columns is the graph of the rules, at random moments of a random history."""

import datetime as dt
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from engram.base.clock import start_of_day
from engram.base.day_numbers import FIRST_DAY
from engram.model.commands.command import CommandResult
from engram.model.fact import Fact
from engram.ports.database import FactFilter
from engram.rules.temporal import holds_now
from engram.services.facts.held_at import held_at
from engram.services.facts.listing import Moment
from engram.services.facts.listing import fact_views
from engram.services.graph.entity_graph import EntityGraph
from engram.services.graph.entity_graph import GraphQuery
from engram.services.graph.entity_graph import entity_graph
from engram.services.graph.neighbours import neighbours
from engram.services.graph.replay import OPEN
from engram.services.graph.replay import read_replay
from engram.services.graph.replay import replay
from engram.services.visibility import Caller
from engram.workspace import Workspace
from tests.conftest import workspace_in
from tests.making import NOW

DAY = dt.timedelta(days=1)
BEGIN = NOW - 300 * DAY
TOWNS = ("Riga", "Bonn", "Oslo")
OUTSIDER = Caller("elsewhere", "main")


class History:
    """What random people said of each other for 300 days, in shared and in private."""

    def __init__(self, folder: Path) -> None:
        self.workspace: Workspace = workspace_in(folder)
        self.chance = random.Random(7)
        self.at = BEGIN
        self.known: dict[str, list[str]] = {}  # entity -> ids of what was said of it
        self.workspace.now = lambda: self.at
        with self.workspace.writing("test") as self.recorder:  # once: opening the store takes as long as writing to it
            for step in range(110):
                self.at += self.chance.uniform(0.2, 5.2) * DAY
                self.say(step)
        self.workspace.now = lambda: NOW

    def say(self, step: int) -> None:
        owner, other = self.chance.sample(range(6), 2)
        known = self.known.setdefault(f"people/p{owner}", [])
        if known and self.chance.random() < 0.2:
            self.submit("retract", id=self.chance.choice(known), reason="wrong")
            return
        told: dict[str, Any] = {"entity": f"people/p{owner}", "create": True}
        told["text"] = f"P{owner} keeps the samovar {step} with care"
        if self.chance.random() < 0.4:
            town = self.chance.choice(TOWNS)
            told |= {"text": f"P{owner} lives in {town}", "attribute": "city", "value": town}
        told["valid_from"] = (self.at + self.chance.choice([0, 0, -40, 20]) * DAY).isoformat()
        told["tags"] = self.chance.choice([[], ["home"], ["home", "work"]])
        told["scope"] = self.chance.choice(["shared", "shared", "shared", "session:secret"])
        if self.chance.random() < 0.5:
            told["related"] = [f"people/p{other}"] if f"people/p{other}" in self.known else []
        if known and self.chance.random() < 0.3:
            told["supersedes"] = [self.chance.choice(known)]
        if self.chance.random() < 0.3:
            told["valid_to"] = (self.at + 30 * DAY).isoformat()
            told["category"] = self.chance.choice(["context", "commitment"])
        result = self.submit("write", **told)
        known += [result.id] if result.id and result.id not in known else []

    def submit(self, kind: str, **args: Any) -> CommandResult:
        """Do it if it is allowed: what a history may not hold is others' matter."""
        return self.recorder.record([self.workspace.envelope(kind, args)])[0]

    def query(self, caller: Caller | None = None, **moments: Any) -> GraphQuery:
        return GraphQuery(Moment(NOW, self.workspace.settings.decay, dt.UTC, caller), **moments)

    def graph(self, asked: GraphQuery) -> EntityGraph:
        with self.workspace.reading() as database:
            return entity_graph(database, asked)

    def expected(self, asked: GraphQuery) -> list[Fact]:
        """Return the facts of the graph by the rules on single facts."""
        scopes = ("shared",) if asked.moment.caller else ()
        with self.workspace.reading() as database:
            every = database.list_facts(FactFilter(status="all", scopes=scopes))
        if asked.is_past:
            return held_at(every, asked.as_of, asked.as_known)
        return [fact for fact in every if holds_now(fact, NOW)]

    def moments(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = [{}]
        for _ in range(8):
            of, known = (BEGIN + dt.timedelta(days=self.chance.uniform(0, 330)) for _ in "ab")
            found += [{"as_of": of}, {"as_known": known}, {"as_of": of, "as_known": known}]
        return found


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    return History(tmp_path_factory.mktemp("history"))


@pytest.fixture(autouse=True, params=[1, 50_000], ids=["a page an entity", "one page"])
def _in_pages(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read the database in small pages, and in one: the graph is the same."""
    for name in ("_SPANS", "_LIVES"):
        monkeypatch.setattr(f"engram.store.database.duck_columns.{name}", request.param)


def joined(facts: list[Fact]) -> Counter[tuple[str, str]]:
    pairs = [(fact.entity, other) for fact in facts for other in fact.related if other != fact.entity]
    return Counter((min(pair), max(pair)) for pair in pairs)


@pytest.mark.parametrize("caller", [None, OUTSIDER], ids=["the owner", "another session"])
def test_nodes_and_edges_count_the_facts_that_hold(history: History, caller: Caller | None) -> None:
    for moment in history.moments():
        asked = history.query(caller, **moment)
        facts = history.expected(asked)
        found = history.graph(asked)

        assert {one.path: one.facts for one in found.nodes if one.facts} == Counter(fact.entity for fact in facts)
        assert {(one.first, one.last): one.facts for one in found.edges} == joined(facts)
        tags = {(fact.entity, tag) for fact in facts for tag in fact.tags}
        assert {(one.path, tag) for one in found.nodes for tag in one.tags} == tags


def test_tiers_are_those_of_listings(history: History) -> None:
    asked = history.query()
    facts = history.expected(asked)
    with history.workspace.reading() as database:
        views = fact_views(database, facts, asked.moment)
    expected = Counter((view["entity"], view["tier"]) for view in views)

    found = {(one.path, tier): count for one in history.graph(asked).nodes for tier, count in one.tiers.items()}

    assert {key: count for key, count in found.items() if count} == expected
    assert len({tier for _, tier in expected}) > 1


def test_a_replay_shows_at_each_day_what_held_at_its_end(history: History) -> None:
    for known in (None, BEGIN + 100 * DAY, BEGIN + 200 * DAY):
        asked = history.query(as_known=known)
        with history.workspace.reading() as database:
            found = replay(read_replay(database, asked), asked)
        for number in range(-10, 310, 13):
            day = (BEGIN + number * DAY).date()
            end = start_of_day(day + DAY, dt.UTC) - dt.timedelta(microseconds=1)
            facts = history.expected(history.query(as_of=end, as_known=known))

            assert counted_at(found, day) == Counter(fact.entity for fact in facts)
            assert edges_at(found, day) == joined(facts)


def counted_at(found: dict[str, Any], day: dt.date) -> Counter[str]:
    spans, counts = found["spans"], Counter[str]()
    for node, begins, ends, facts in zip(*(spans[name] for name in ("node", "from", "to", "facts")), strict=True):
        if stands(begins, ends, day):
            counts[found["nodes"]["path"][node]] += facts
    return counts


def edges_at(found: dict[str, Any], day: dt.date) -> Counter[tuple[str, str]]:
    spans, counts = found["edge_spans"], Counter[tuple[str, str]]()
    for edge, begins, ends, facts in zip(*(spans[name] for name in ("edge", "from", "to", "facts")), strict=True):
        if stands(begins, ends, day):
            first, last = (found["nodes"]["path"][found["edges"][end][edge]] for end in "ab")
            counts[first, last] += facts
    return counts


def stands(begins: int, ends: int, day: dt.date) -> bool:
    number = (day - FIRST_DAY).days
    return begins <= number and (ends == OPEN or number < ends)


def test_neighbours_of_a_past_are_those_of_its_facts(history: History) -> None:
    for moment in history.moments():
        asked = history.query(**moment)
        edges = joined(history.expected(asked))
        with history.workspace.reading() as database:
            path, found = neighbours(database, "people/p0", 1, asked)

        assert {one.entity: len(one.facts) for one in found} == {
            (last if first == path else first): count for (first, last), count in edges.items() if path in {first, last}
        }
