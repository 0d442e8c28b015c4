"""Commands about different people commute: in whatever order two of them are told, the same is known afterwards."""

import datetime as dt
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from engram.model.commands.command import Envelope
from engram.rules.invariants import broken
from tests.making import NOW
from tests.services.commands.story import Story

_TEXTS = ("likes tea", "does not like tea", "lives in Berlin", "lives in Porto", "has 1 cat", "has 2 cats", "sings")


def _told(person: str) -> st.SearchStrategy[list[Envelope]]:
    """What is said of one person, a minute after the other."""
    texts, ids = st.sampled_from(_TEXTS), st.builds(lambda number: f"{person}-{number:03d}", st.integers(1, 4))
    moment = st.integers(-40, 40).map(lambda days: (NOW + dt.timedelta(days=days)).isoformat())
    write = st.fixed_dictionaries(
        {"entity": st.just(person), "text": texts, "create": st.just(True)},
        optional={
            "category": st.sampled_from(["correction", "preference", "status"]),
            "supersedes": st.lists(ids, max_size=1),
            "valid_from": moment,
            "scope": st.just("session:club"),
        },
    )
    steps = st.one_of(
        st.tuples(st.just("write"), write),
        st.tuples(st.just("write"), write),
        st.tuples(st.just("correct"), st.fixed_dictionaries({"id": ids, "text": texts})),
        st.tuples(st.sampled_from(["confirm", "pin", "unpin"]), st.fixed_dictionaries({"id": ids})),
        st.tuples(st.just("retract"), st.fixed_dictionaries({"id": ids, "reason": st.just("no")})),
        st.tuples(st.just("entity-alias"), st.just({"path": person, "alias": f"{person[7:9]}."})),
    )
    return st.lists(steps, max_size=8).map(
        lambda given: [
            Envelope(id=f"{person}{number}", kind=kind, at=NOW + dt.timedelta(minutes=number), args=args)
            for number, (kind, args) in enumerate(given)
        ]
    )


def _known(told: list[Envelope]) -> dict[str, Any]:
    """Return what is known when these were told; a tension, whose number is the order's, by what it is about."""
    story = Story()
    for envelope in told:
        story.give(envelope)
    assert broken(story.state) == []
    tables = story.tables()
    tensions = [one.model_dump(exclude={"id"}) for one in tables.pop("tensions").values()]
    numbers = sorted(fact.id for fact in story.state.facts.values())
    return {**tables, "tensions": sorted(tensions, key=str), "ids": numbers}


@given(_told("people/anna"), _told("people/boris"), st.randoms(use_true_random=False))
def test_sound_18_what_is_told_of_two_people_is_the_same_in_whatever_order(
    anna: list[Envelope], boris: list[Envelope], chance: Any
) -> None:
    waiting = [list(anna), list(boris)]
    mixed = []
    while any(waiting):
        mixed.append(chance.choice([queue for queue in waiting if queue]).pop(0))

    assert _known(mixed) == _known([*anna, *boris])
