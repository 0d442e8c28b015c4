"""Whatever was told: merging and splitting is nothing, undo is nothing, and a slice decides like the whole."""

import datetime as dt
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.errors import EngramError
from engram.model.changes.change import Change
from engram.model.changes.change import TensionOpened
from engram.model.changes.state import State
from engram.model.commands.command import Envelope
from engram.rules.fold.fold import fold_record
from engram.rules.invariants import broken
from engram.services.commands.decider import Context
from engram.services.commands.deciders import DECIDERS
from engram.services.commands.needed_state import load_state
from engram.store.database.duck_database import DuckFactDatabase
from engram.store.journal.file_journal import FileJournal
from tests.services.commands.story import PEOPLE
from tests.services.commands.story import Story

TEXTS = ("likes tea", "does not like tea", "lives in Berlin", "lives in Porto", "has 1 cat", "has 2 cats", "sings")
Step = tuple[str, dict[str, Any]]


def told() -> st.SearchStrategy[Step]:
    """What people say of these persons, and what becomes of it."""
    people = st.sampled_from(PEOPLE)
    ids = st.builds(lambda path, number: f"{path}-{number:03d}", people, st.integers(1, 4))
    write = st.fixed_dictionaries(
        {
            "entity": people,
            "text": st.sampled_from(TEXTS),
            "create": st.just(True),
            "related": st.lists(people, max_size=2, unique=True),
            "scope": st.sampled_from(["shared", "shared", "session:club"]),
        }
    )
    tension = st.fixed_dictionaries({"text": st.just("both cannot be"), "fact1": ids, "fact2": ids})
    answer = st.fixed_dictionaries(
        {
            "id": st.sampled_from(["tension-0001", "tension-0002"]),
            "outcome": st.sampled_from(["supersede", "both-true", "dissolve"]),
        }
    )
    observe = st.fixed_dictionaries(
        {"text": st.sampled_from(["late on Fridays", "often ill"]), "category": st.just("pattern"), "entity": people}
    )
    alias = st.fixed_dictionaries({"path": people, "alias": st.sampled_from(["A", "B", "C"])})
    return st.one_of(
        st.tuples(st.just("write"), write),
        st.tuples(st.just("write"), write),
        st.tuples(st.just("correct"), st.fixed_dictionaries({"id": ids, "text": st.sampled_from(TEXTS)})),
        st.tuples(st.sampled_from(["confirm", "pin"]), st.fixed_dictionaries({"id": ids})),
        st.tuples(st.just("tension-add"), tension),
        st.tuples(st.just("review-answer"), answer),
        st.tuples(st.just("observe"), observe),
        st.tuples(st.just("entity-alias"), alias),
    )


def rearranged() -> st.SearchStrategy[Step]:
    """What people make of who is who."""
    names = st.sampled_from([*PEOPLE, "people/new", "A", "archives/anna"])
    return st.one_of(
        st.tuples(st.just("entity-rename"), st.fixed_dictionaries({"path": names, "new": names})),
        st.tuples(st.just("entity-merge"), st.fixed_dictionaries({"source": names, "into": names})),
        st.tuples(st.sampled_from(["entity-archive", "entity-restore"]), st.fixed_dictionaries({"path": names})),
        st.tuples(st.just("entity-split"), st.fixed_dictionaries({"path": names})),
        st.tuples(
            st.just("entity-split"),
            st.fixed_dictionaries({"path": names, "facts": st.just(["anna-001"]), "to": st.just("people/new")}),
        ),
        st.just(("undo", {})),
    )


@given(steps=st.lists(told(), min_size=2, max_size=14), back=st.sampled_from(["entity-split", "undo"]))
def test_merging_and_splitting_is_nothing_but_history(steps: list[Step], back: str) -> None:
    story = Story()
    for step in [("entity-add", {"path": PEOPLE[0]}), ("entity-add", {"path": PEOPLE[1]}), *steps]:
        story.tell(*step)
    before = story.tables()
    merged = story.tell("entity-merge", {"source": PEOPLE[1], "into": PEOPLE[0]})
    assert merged is not None
    opened = {change.tension.id for change in merged if isinstance(change, TensionOpened)}
    assert broken(story.state) == []

    split = story.tell("entity-split", {"path": PEOPLE[0]}) if back == "entity-split" else story.tell("undo", {})

    assert split is not None
    assert story.tables(without=opened) == before
    assert broken(story.state) == []


@given(
    steps=st.lists(told(), min_size=2, max_size=10),
    change=rearranged(),
    since=st.lists(told(), max_size=3),
)
def test_undo_is_nothing_but_history_and_what_came_since_stays_known(
    steps: list[Step], change: Step, since: list[Step]
) -> None:
    story = Story()
    for step in [("entity-add", {"path": PEOPLE[0], "aliases": ["A"]}), *steps]:
        story.tell(*step)
    before = story.tables()
    changes = story.tell(*change)
    if not changes or change[0] == "undo":
        return
    if not since:
        opened = {one.tension.id for one in changes if isinstance(one, TensionOpened)}
        assert story.tell("undo", {}) is not None
        assert story.tables(without=opened) == before
    for step in since:
        story.tell(*step)
    known = set(story.state.facts)
    story.tell("undo", {})
    assert set(story.state.facts) == known
    assert broken(story.state) == []
    assert all(fact.entity in story.state.entities for fact in story.state.facts.values())


@pytest.mark.integration
@given(steps=st.lists(st.one_of(told(), rearranged()), min_size=4, max_size=16))
def test_a_slice_of_the_database_decides_like_the_whole_state(steps: list[Step]) -> None:
    story = Story()
    journal = FileJournal(Path("/nonexistent"), segment_bytes=1 << 20)
    with DuckFactDatabase.in_memory() as database:
        for kind, args in [("entity-add", {"path": PEOPLE[0], "aliases": ["A"]}), *steps]:
            envelope = story.envelope(kind, args)
            decider = _read(envelope)
            seen = None
            if kind.startswith("entity-") or kind == "undo":
                try:
                    sliced = load_state(database, [envelope], [decider])
                    seen = decider.decide(sliced).changes
                except EngramError:
                    seen = None
            count = len(story.records)
            changes = story.tell(kind, args)
            if kind.startswith("entity-") or kind == "undo":
                assert _by_id(seen) == _by_id(changes), kind
            database.apply([(record, journal.encode(record)) for record in story.records[count:]])
        fresh = State()
        for record in story.records:
            fold_record(fresh, record)
        assert database.list_redirects() == sorted(fresh.redirects.values(), key=lambda one: one.path)
        assert database.list_entities() == sorted(fresh.entities.values(), key=lambda one: one.path)
        with DuckFactDatabase.in_memory() as again:
            again.apply([(record, journal.encode(record)) for record in story.records])
            assert again.digests() == database.digests()
    assert broken(story.state) == []


def _read(envelope: Envelope) -> Any:
    return DECIDERS[envelope.kind](envelope, Context(now=envelope.at, zone=dt.UTC))


def _by_id(changes: tuple[Change, ...] | None) -> Any:
    """Return changes in an order that does not depend on how the facts were read."""
    if changes is None:
        return None
    found = []
    for change in changes:
        dumped = change.model_dump(mode="json")
        if (inside := dumped.get("rearrangement")) is not None:
            for name in ("facts", "noticed", "pairs"):
                inside[name] = sorted(inside[name], key=lambda step: step["id"])
        found.append(dumped)
    return sorted(found, key=str)
