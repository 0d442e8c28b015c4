"""Which facts of a state a new statement meets, of very many that say the same but for a value."""

import datetime as dt

from engram.language.compare.updates.renewal import sought_keys
from engram.model.changes.state import State
from engram.model.fact import SHARED
from engram.model.fact import Status
from engram.rules.writes.comparable import MOST_OF_ONE_KEY
from engram.services.commands.renewal_index import RenewalIndex
from tests.making import DAY0
from tests.making import make_fact


def said(number: int) -> str:
    return f"The importer's batch limit is {number}"


def make_state(count: int) -> State:
    """Return a state with a fact for each day, the newest of which joined it first, as a table may give them."""
    state = State()
    for number in reversed(range(count)):
        state.put_fact(make_fact(number, said(number), recorded_at=DAY0 + dt.timedelta(days=number)))
    return state


def test_the_newest_under_a_key_are_found_oldest_first() -> None:
    state = make_state(MOST_OF_ONE_KEY + 5)

    found = [fact.text for fact in RenewalIndex().find(state, SHARED, sought_keys(said(900)))]

    assert found == [said(number) for number in range(5, MOST_OF_ONE_KEY + 5)]


def test_what_is_over_takes_no_room_and_what_joined_later_is_found() -> None:
    state, index = make_state(MOST_OF_ONE_KEY + 1), RenewalIndex()
    assert said(0) not in [fact.text for fact in index.find(state, SHARED, sought_keys(said(900)))]

    over = state.facts["people/anna-030"]
    state.put_fact(over.model_copy(update={"status": Status.SUPERSEDED}))
    assert said(0) in [fact.text for fact in index.find(state, SHARED, sought_keys(said(900)))]

    state.put_fact(make_fact(99, said(99), recorded_at=DAY0 + dt.timedelta(days=99)))
    found = [fact.text for fact in index.find(state, SHARED, sought_keys(said(900)))]
    assert (said(99) in found, said(0) in found, len(found)) == (True, False, MOST_OF_ONE_KEY)

    state.put_fact(over)  # it was undone
    assert over in list(index.find(state, SHARED, sought_keys(said(900))))


def test_what_is_of_another_scope_takes_no_room() -> None:
    state = make_state(1)
    for number in range(1, MOST_OF_ONE_KEY + 5):
        fact = make_fact(number, said(number), scope="agent:ci", recorded_at=DAY0 + dt.timedelta(days=number))
        state.put_fact(fact)

    assert [fact.text for fact in RenewalIndex().find(state, SHARED, sought_keys(said(900)))] == [said(0)]
