"""Whose words a fact is made of, and how that is said beside it."""

from typing import Any

import pytest

from engram.model.fact import Fact
from engram.model.fact import Source
from engram.model.fact import Usage
from engram.rules.origin import Origin
from engram.rules.origin import origin_mark
from engram.rules.origin import origin_of
from engram.rules.origin import short_session
from tests.making import DAY0
from tests.making import make_fact
from tests.making import make_session

TURN = f"turn/{'0' * 32}"
TALK = "claude-code/parcels-5b1c9f0e-3a77-4d52-9c1e-7f2a8d4b6c10"
CASES: dict[str, tuple[dict[str, Any], Origin]] = {
    "a person wrote it": ({"source": {"actor": "user"}}, Origin.PERSON),
    "a person wrote it into life/": ({"source": {"actor": "file"}}, Origin.PERSON),
    "a person confirmed what was imported": ({"source": {"actor": "import"}}, Origin.PERSON),
    "an agent wrote it": ({"source": {"actor": "agent"}}, Origin.AGENT),
    "an agent doubts it": ({"source": {"actor": "agent"}, "trust": "unverified"}, Origin.AGENT),
    "the owner said it": (
        {"source": {"actor": "user", "session": TALK, "turn": TURN}, "trust": "unverified"},
        Origin.SAID,
    ),
    "somebody wrote it who is not believed": ({"source": {"actor": "user"}, "trust": "unverified"}, Origin.OTHER),
    "a named speaker said it": (
        {"source": {"actor": "import", "session": TALK, "turn": TURN}, "trust": "unverified"},
        Origin.OTHER,
    ),
    "another memory kept it": (
        {"source": {"actor": "import", "label": "imported from mem0: export.json"}, "trust": "unverified"},
        Origin.IMPORTED,
    ),
    "an import that does not say from what": ({"source": {"actor": "import"}, "trust": "unverified"}, Origin.OTHER),
    "a program printed it": ({"source": {"actor": "tool"}, "trust": "unverified"}, Origin.OTHER),
}


def fact(fields: dict[str, Any]) -> Fact:
    return make_fact(**fields)


@pytest.mark.parametrize("name", CASES)
def test_whose_words_they_are(name: str) -> None:
    fields, expected = CASES[name]

    assert origin_of(fact(fields), None, make_session(TALK)) == expected


@pytest.mark.parametrize("kind", ["personal", "group"])
def test_what_is_said_where_others_may_type_is_nobodys(kind: str) -> None:
    said = fact(CASES["the owner said it"][0])

    assert origin_of(said, None, make_session(TALK, kind=kind)) == Origin.OTHER


def test_what_an_agent_wrote_and_a_person_confirmed_is_the_persons() -> None:
    wrote = fact(CASES["an agent wrote it"][0])
    usage = Usage(fact_id=wrote.id, confirm_count=1, last_confirmed_at=DAY0, confirmed_by=(Source(actor="user"),))

    assert origin_of(wrote, usage, None) == Origin.PERSON


@pytest.mark.parametrize(
    ("name", "day", "mark"),
    [
        ("a person wrote it", "2026-03-02", "2026-03-02"),
        ("the owner said it", "2026-03-02", "said in claude-code/parcels-5b1c9f0e on 2026-03-02"),
        ("the owner said it", "", "said in claude-code/parcels-5b1c9f0e"),
        ("another memory kept it", "2026-03-02", "imported from mem0 on 2026-03-02"),
        ("an agent wrote it", "2026-03-02", "noted on 2026-03-02"),
        ("an agent doubts it", "2026-03-02", "noted on 2026-03-02"),
        (
            "a named speaker said it",
            "2026-03-02",
            "said by others in claude-code/parcels-5b1c9f0e on 2026-03-02",
        ),
        ("a program printed it", "2026-03-02", "of others on 2026-03-02"),
    ],
)
def test_the_mark_says_where_it_comes_from(name: str, day: str, mark: str) -> None:
    fields, origin = CASES[name]

    assert origin_mark(fact(fields), origin, day) == mark


def test_a_day_that_the_words_name_is_not_given_out_as_that_on_which_they_were_said() -> None:
    fields, origin = CASES["the owner said it"]

    assert (
        origin_mark(fact(fields), origin, "2025-10", is_named=True)
        == "from 2025-10, said in claude-code/parcels-5b1c9f0e"
    )


@pytest.mark.parametrize(
    ("name", "short"), [(TALK, "claude-code/parcels-5b1c9f0e"), ("family", "family"), (None, "a session")]
)
def test_a_session_is_named_in_short(name: str | None, short: str) -> None:
    assert short_session(name) == short
