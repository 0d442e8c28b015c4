"""The order of versions: each is written before the one that takes its place, for any chains there are."""

import datetime as dt

from hypothesis import given
from hypothesis import strategies as st

from engram.importers.memories.chains import plan_chains
from engram.importers.memories.items import FactItem

KEYS = st.sampled_from(["", "a", "b", "c", "d", "e"])
ITEMS = st.lists(
    st.builds(
        FactItem,
        file=st.just("f"),
        place=st.just(""),
        entity=st.sampled_from(["people/a", "people/b"]),
        text=st.just("x"),
        key=KEYS,
        is_past=st.booleans(),
        follower=KEYS,
        at=st.none() | st.datetimes(min_value=dt.datetime(2000, 1, 1), timezones=st.just(dt.UTC)),
        valid_from=st.none(),
    ),
    max_size=8,
)


@given(ITEMS)
def test_every_statement_has_one_place_and_stands_before_its_follower(items: list[FactItem]) -> None:
    plan = plan_chains(items)

    level = {place: number for number, places in enumerate(plan.levels) for place in places}
    assert list(range(len(items))) == sorted(place for places in plan.levels for place in places)
    assert all(level[past] < level[after] for past, after in plan.follower.items())


@given(ITEMS)
def test_every_past_statement_has_a_follower_of_its_entity_or_a_reason(items: list[FactItem]) -> None:
    plan = plan_chains(items)

    past = {place for place, item in enumerate(items) if item.is_past}
    assert past == plan.follower.keys() | plan.lost.keys()
    assert not plan.follower.keys() & plan.lost.keys()
    assert all(items[one].entity == items[after].entity for one, after in plan.follower.items())


def test_a_circle_has_no_newest_version() -> None:
    items = [
        FactItem("f", "", "people/a", "x", key=key, is_past=True, follower=after)
        for key, after in (("a", "b"), ("b", "a"), ("c", "a"))
    ]

    plan = plan_chains(items)

    assert {0, 1} == plan.lost.keys()
    assert plan.follower == {2: 0}
