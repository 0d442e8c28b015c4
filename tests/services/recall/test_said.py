"""What was said earlier makes nothing old that was said later, whatever days the two name."""

import datetime as dt
from typing import Any

import pytest

from engram.model.fact import Fact
from engram.services.recall.validity.outdated import find_likely_now
from engram.services.recall.validity.outdated import find_outdated
from engram.services.recall.validity.said import Said
from tests.making import DAY0
from tests.making import make_fact

HOME = "projects/tides"
DAY, MINUTE = dt.timedelta(days=1), dt.timedelta(minutes=1)
READ_AT = DAY0 + 5 * DAY
WEEK_BEFORE = DAY0 - 7 * DAY
WEEK_LATER = DAY0 + 7 * DAY
NOW = DAY0 + 30 * DAY


def told(number: int, text: str, **fields: Any) -> Fact:
    """Return a fact of the turn of its number, which was read days after it was said."""
    source = {"actor": "user", "turn": f"turn/{number}"}
    given = {"category": "status", "entity": HOME, "source": source, "recorded_at": READ_AT}
    return make_fact(number, text, **given | fields)


FIRST = told(1, "Rehearsals are on Wednesdays now, the hall is taken")
DECIDED = told(2, "we decided last week that the rehearsal is on Tuesdays at eight", valid_from=WEEK_BEFORE)
TURNS = {"turn/1": DAY0, "turn/2": DAY0 + 2 * MINUTE}


def test_what_was_decided_last_week_was_said_when_it_was_said() -> None:
    assert find_likely_now([FIRST, DECIDED], lambda _: HOME, NOW) == {DECIDED.id: FIRST}  # by the days alone
    assert find_likely_now([FIRST, DECIDED], lambda _: HOME, NOW, Said(TURNS)) == {}


@pytest.mark.parametrize(
    ("old", "new", "turns", "is_later"),
    [
        (DECIDED, FIRST, TURNS, False),
        (FIRST, DECIDED, TURNS, False),
        (FIRST, told(2, "x", valid_from=DAY0 + MINUTE), {}, True),
        (told(1, "x", valid_from=NOW), told(2, "y", valid_from=DAY0 + DAY), {"turn/1": DAY0}, True),
        (told(1, "x", valid_from=NOW), told(2, "y", valid_from=DAY0 + DAY), {}, False),
        (told(1, "x"), told(1, "y"), {"turn/1": DAY0}, False),
    ],
    ids=[
        "what was said before is never later",
        "what tells of an earlier time changes nothing",
        "what holds from an instant was said then",
        "a plan was told of when it was told of",
        "where that is not known, when it was written",
        "of one turn",
    ],
)
def test_which_of_two_was_said_later(old: Fact, new: Fact, turns: dict[str, dt.datetime], *, is_later: bool) -> None:
    assert Said(turns).is_later(new, old) is is_later


def test_a_former_value_is_told_by_what_was_said_later_only() -> None:
    planned = told(1, "The pilot goes live on 15 April 2026", valid_from=NOW)
    moved = told(2, "The pilot goes live on 22 April 2026, not on 15 April", valid_from=DAY0 + DAY)

    assert find_outdated([planned, moved], lambda _: HOME, said=Said({"turn/1": DAY0})) == {planned.id: moved}
    assert find_outdated([planned, moved], lambda _: HOME, said=Said({"turn/1": WEEK_LATER})) == {}
