"""Questions about the past: recall brings what `facts` lists for the same moment, and nothing else."""

import datetime as dt
import random
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from engram.language.terms.terms import terms
from engram.ports.database import FactFilter
from engram.rules.temporal import visible
from engram.services.facts.listing import FactQuery
from engram.services.facts.listing import Moment
from engram.services.facts.listing import list_facts
from engram.services.recall.query import RecallQuery
from engram.services.visibility import Caller
from engram.workspace import Workspace
from engram.workspace import open_workspace
from tests.conftest import workspace_in
from tests.services.test_recall import Memory

BEGIN = dt.datetime(2026, 1, 1, 12, tzinfo=dt.UTC)
NOW = dt.datetime(2026, 12, 1, tzinfo=dt.UTC)
OWNERS, ROUNDS = 20, 22  # each owner learns once a round: far more versions than a leg proposes
LIMIT = 45  # hits: more than hold at a time
TOWNS = ["Rome", "Oslo", "Lima"]
EXTRAS = ["copper", "blue", "heavy"]
QUESTIONS = ["samovar", "copper samovar", "where is the heavy samovar", "who lives in Rome"]


class Past:
    """A memory whose clock goes on, and a year of random versions in it."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.at = BEGIN
        workspace_in(folder)
        self.workspace: Workspace = open_workspace(str(folder / "workspace"), now=lambda: self.at)
        self.memory = Memory(self.workspace)
        self.chance = random.Random(seed)
        self.fill()
        self.at = NOW

    def fill(self) -> None:
        """Let every owner learn, round by round, what replaces something, stands beside it, or takes it back."""
        for number in range(ROUNDS):
            self.at = BEGIN + dt.timedelta(days=320 * number / ROUNDS)
            held = self.held()
            for owner in range(OWNERS):
                kind, args = self.learnt(owner, number, held.get(f"people/p{owner}", []))
                self.workspace.submit(kind, args, wait_s=0)
            self.workspace.store.apply_waiting()

    def held(self) -> dict[str, list[str]]:
        """Return owner -> ids of what is believed."""
        found: dict[str, list[str]] = {}
        with self.workspace.reading() as database:
            for fact in database.list_facts(FactFilter()):
                found.setdefault(fact.entity, []).append(fact.id)
        return found

    def learnt(self, owner: int, number: int, held: list[str]) -> tuple[str, dict[str, Any]]:
        chance = self.chance
        if held and chance.random() < 0.15:
            return "retract", {"id": chance.choice(held), "reason": chance.choice(["wrong", "outdated"])}
        began = self.at - dt.timedelta(days=chance.choice([0, 0, 3, 40]))
        args: dict[str, Any] = {"entity": f"people/p{owner}", "text": self.text(owner, number), "create": True}
        args |= {"valid_from": began.isoformat()}
        if held and (len(held) > 1 or chance.random() < 0.7):
            args["supersedes"] = [chance.choice(held)]
        if chance.random() < 0.1:
            args["valid_to"] = (self.at + dt.timedelta(days=30)).isoformat()
        return "write", args

    def text(self, owner: int, number: int) -> str:
        if self.chance.random() < 0.3:
            return f"P{owner} lives in {self.chance.choice(TOWNS)}"
        return f"The {self.chance.choice(EXTRAS)} samovar of P{owner} stands in room {number}"

    def moments(self, count: int) -> list[Any]:
        made = []
        for _ in range(count):
            of, known = (BEGIN + dt.timedelta(days=self.chance.uniform(-5, 330)) for _ in "ab")
            made.append(self.chance.choice([{"as_of": of}, {"as_known": known}, {"as_of": of, "as_known": known}]))
        return made

    def listed(self, **moment: Any) -> dict[str, str]:
        """Return id -> text of what `facts` lists."""
        with self.workspace.reading() as database:
            asked = Moment(NOW, self.workspace.settings.decay, dt.UTC, Caller())
            return {one["id"]: one["text"] for one in list_facts(database, FactQuery(**moment), asked)}


@pytest.fixture(scope="module", params=[1])
def past(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Past:
    return Past(tmp_path_factory.mktemp("past"), request.param)


@pytest.mark.parametrize("indexed", [True, False], ids=["with the index", "without it"])
def test_recall_brings_of_every_past_what_facts_lists_and_nothing_else(past: Past, indexed: bool) -> None:
    threshold = past.workspace.settings.recall.threshold
    moments = past.moments(30)
    listings = [past.listed(**moment) for moment in moments]
    with past.memory.open(indexed=indexed, now=NOW, threshold=threshold) as recall:
        for (moment, listed), question in product(zip(moments, listings, strict=True), QUESTIONS):
            asked = set(terms(question))
            answer = recall.answer(RecallQuery(query=question, limit=LIMIT, space="notes", **moment))
            brought = {hit.id for hit in answer.hits}

            assert brought <= listed.keys(), (question, moment)
            assert {key for key, text in listed.items() if asked <= set(terms(text))} <= brought, (question, moment)


def test_the_store_finds_what_held_as_the_rules_tell_it(past: Past) -> None:
    with past.workspace.reading() as database:
        every = database.list_facts(FactFilter(status="all"))
        for moment in past.moments(60):
            moments = {"as_of": None, "as_known": None, **moment}
            held = {fact.id for fact in every if visible(fact, **moments)}

            assert set(database.held_ids(**moments, most=len(held)) or ()) == held
            assert not held or database.held_ids(**moments, most=len(held) - 1) is None


@pytest.mark.parametrize("few", [0, 20_000], ids=["it reads on", "it searches what held"])
def test_recall_brings_the_same_whether_much_or_little_held(
    past: Past, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engram.services.recall.retrieval.past._FEW", few)
    moment = {"as_known": BEGIN + dt.timedelta(days=20)}
    with past.memory.open(now=NOW) as recall:
        answer = recall.answer(RecallQuery(query="samovar", limit=LIMIT, space="notes", **moment))

    assert {hit.id for hit in answer.hits} == {key for key, text in past.listed(**moment).items() if "samovar" in text}
