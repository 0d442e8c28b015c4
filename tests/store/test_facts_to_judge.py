"""The facts that doctor judges break the same invariants as all facts would."""

from typing import Any

from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from engram.model.changes.state import State
from engram.model.fact import Fact
from engram.model.observation import Observation
from engram.model.tension import Tension
from engram.rules.invariants import broken
from engram.services.doctor.store_checks import whole_state
from engram.store.database.duck_database import DuckFactDatabase
from engram.store.database.tables import rows
from tests.effort import examples
from tests.making import DAY0
from tests.making import NOW
from tests.making import make_entity
from tests.making import make_fact

NUMBERS = st.integers(1, 7)


def key(number: int) -> str:
    return f"people/anna-{number:03d}"


@st.composite
def facts(draw: st.DrawFn) -> list[Fact]:
    """Facts of one entity whose links lead anywhere; the last number is never among them."""
    made = []
    for number in range(1, draw(st.integers(1, 6)) + 1):
        status = draw(st.sampled_from(("active", "active", "superseded", "retracted", "pending")))
        links: dict[str, Any] = {
            "superseded_by": key(draw(NUMBERS)) if draw(st.booleans()) else None,
            "derived_from": [key(draw(NUMBERS))] if draw(st.integers(0, 3)) == 0 else [],
            "supersedes": [key(draw(NUMBERS))] if draw(st.integers(0, 3)) == 0 else [],
            "lineage": key(draw(NUMBERS)),
            "version": draw(st.integers(1, 3)),
            "trust": draw(st.sampled_from(("trusted", "unverified", "quarantined"))),
            "valid_from": draw(st.sampled_from((DAY0, NOW))),
        }
        made.append(make_fact(number, draw(st.sampled_from(("likes tea", "likes chess"))), status=status, **links))
    return made


@st.composite
def states(draw: st.DrawFn) -> State:
    """States in which anything may be broken."""
    state = State()
    for fact in draw(facts()):
        state.put_fact(fact)
    if draw(st.booleans()):
        sides = {"fact1": key(draw(NUMBERS)), "fact2": key(draw(NUMBERS))}
        state.tensions["tension-0001"] = Tension(
            id="tension-0001", text="They differ", kind="polarity", opened_at=DAY0, **sides
        )
    if draw(st.booleans()):
        noticed = Observation(
            id="observation-0001",
            text="It is slow",
            category="friction",
            facts=(key(draw(NUMBERS)),),
            fingerprint="f",
            trust="trusted",
            opened_at=DAY0,
            seen_at=DAY0,
            promoted_to=key(draw(NUMBERS)) if draw(st.booleans()) else None,
        )
        state.observations[noticed.id] = noticed
    return state


@given(states())
@settings(max_examples=examples(60), deadline=None)
def test_what_is_broken_is_found_among_few_facts(state: State) -> None:
    with DuckFactDatabase.in_memory() as database:
        database._upsert("entities", [rows.entity_row(make_entity())])
        database._upsert("facts", [rows.fact_row(fact) for fact in state.facts.values()])
        database._upsert("tensions", [one.model_dump(mode="json") for one in state.tensions.values()])
        database._upsert("observations", [rows.observation_row(one) for one in state.observations.values()])

        assert broken(whole_state(database)) == broken(state)


def test_of_a_sound_store_nothing_is_held() -> None:
    chain = [
        make_fact(1, "Anna drinks tea", status="superseded", superseded_by=key(2)),
        make_fact(2, "Anna drinks coffee", lineage=key(1), version=2, supersedes=[key(1)]),
        make_fact(3, "Anna plays chess"),
    ]

    with DuckFactDatabase.in_memory() as database:
        database._upsert("facts", [rows.fact_row(fact) for fact in chain])

        assert database.facts_to_judge() == []
