"""What a fact is worth a reader's line."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.fact import Actor
from engram.model.fact import Category
from engram.model.fact import Source
from engram.model.fact import Usage
from engram.rules.life.importance import importance
from engram.rules.life.importance import salience
from tests.making import make_fact

FACT = make_fact(1, "Anna prefers tea", confidence=0.7, category="status")
BY_USER, BY_AGENT = Source(actor=Actor.USER), Source(actor=Actor.AGENT)


def used(**fields: Any) -> Usage:
    return Usage(fact_id=FACT.id, **fields)


@pytest.mark.parametrize(
    ("more", "less"),
    [
        ({"confidence": 0.8}, {"confidence": 0.7}),
        ({"category": "instruction"}, {"category": "status"}),
        ({"category": "commitment"}, {"category": "milestone"}),
        ({"category": "decision"}, {"category": "context"}),
        ({"source": BY_USER}, {"source": BY_AGENT}),
        ({"source": BY_AGENT}, {"source": Source(actor=Actor.TOOL)}),
        ({"abstraction": "principle"}, {"abstraction": "pattern"}),
        ({"abstraction": "pattern"}, {"abstraction": "episode"}),
    ],
)
def test_what_a_fact_is_decides(more: dict[str, Any], less: dict[str, Any]) -> None:
    assert importance(FACT.model_copy(update=more), None) > importance(FACT.model_copy(update=less), None)


@pytest.mark.parametrize(
    ("more", "less"),
    [
        (used(access_count=3), used(access_count=1)),
        (used(access_count=1), None),
        (used(confirm_count=1, confirmed_by=(BY_AGENT,)), None),
        (used(confirm_count=1, confirmed_by=(BY_USER,)), used(confirm_count=1, confirmed_by=(BY_AGENT,))),
        (used(confirm_count=9, confirmed_by=(BY_AGENT,) * 8), used(confirm_count=8, confirmed_by=(BY_AGENT,) * 8)),
    ],
)
def test_how_it_is_used_and_by_whom_it_was_said_again_decides(more: Usage | None, less: Usage | None) -> None:
    assert importance(FACT, more) > importance(FACT, less)


def test_what_a_person_pinned_matters_most_and_never_fades() -> None:
    pinned = used(pinned=True)

    assert importance(FACT, pinned) == salience(FACT, pinned, "cold") == 1.0
    assert salience(FACT, None, "hot") > salience(FACT, None, "warm") > salience(FACT, None, "cold")


@given(
    st.floats(0, 1),
    st.sampled_from(list(Category)),
    st.sampled_from(list(Actor)),
    st.integers(0, 10_000),
    st.integers(0, 10_000),
)
def test_it_is_a_share(confidence: float, category: Category, actor: Actor, uses: int, times: int) -> None:
    fact = FACT.model_copy(update={"confidence": confidence, "category": category, "source": Source(actor=actor)})
    usage = used(access_count=uses, confirm_count=times, confirmed_by=(BY_USER,) * min(times, 8))

    assert 0 <= importance(fact, None) <= importance(fact, usage) <= 1
