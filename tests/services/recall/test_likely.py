"""What a person says later takes the place of what was said before, and keeps it beside as what was."""

import datetime as dt
from typing import Any

import pytest

from engram.base.project import Project
from engram.services.recall.validity.likely import likeliest
from engram.services.recall.validity.outdated import find_likely_now
from engram.workspace import Workspace
from tests.cases import for_each
from tests.conftest import Engram
from tests.making import DAY0
from tests.making import make_fact

LATER = DAY0 + dt.timedelta(days=7)
EARLIER = LATER - dt.timedelta(hours=1)
NOW = LATER + dt.timedelta(days=1)
OLD, NEW = "Rehearsal is on Tuesdays at eight", "Rehearsals are on Wednesdays now, the hall is taken"
CHOIR = "projects/choir"


def is_replaced(before: dict[str, Any], since: dict[str, Any], home: str = CHOIR) -> bool:
    """Tell whether the newer statement takes the place of the older one, when they have these fields."""
    told: dict[str, Any] = {"category": "status", "entity": CHOIR}
    old = make_fact(1, **{"text": OLD, **told, **before})
    new = make_fact(2, **{"text": NEW, "valid_from": LATER, **told, **since})
    found = find_likely_now([old, new], lambda fact: CHOIR if fact is old else home, NOW)
    return found == {old.id: new}


def test_what_a_person_says_later_replaces_what_was_said_before() -> None:
    assert is_replaced({}, {})


@for_each(
    ("changes", "over"),
    [
        ([("a", "b", 0.6)], {"a": "b"}),
        ([("a", "c", 0.6), ("b", "c", 0.8)], {"b": "c"}),
        ([("a", "b", 0.6), ("a", "c", 0.9), ("b", "c", 0.7)], {"a": "c", "b": "c"}),
        ([("a", "b", 0.6), ("a", "c", 0.9), ("x", "c", 0.7)], {"a": "c"}),
        ([("a", "b", 0.6), ("b", "c", 0.9), ("a", "c", 0.7)], {"a": "b", "b": "c"}),
        ([], {}),
    ],
)
def test_of_what_one_newer_statement_may_replace_the_likeliest_counts_and_what_replaced_that(
    changes: list[tuple[str, str, float]], over: dict[str, str]
) -> None:
    assert likeliest(changes) == over


def test_what_changes_twice_holds_as_it_was_said_last() -> None:
    said = ("The rent is 840 euros", "The rent has gone up to 910 euros", "The rent has gone up to 955 euros now")
    at = [DAY0 + dt.timedelta(days=7 * week) for week in range(3)]
    facts = [
        make_fact(number + 1, text, category="status", entity=CHOIR, valid_from=at[number])
        for number, text in enumerate(said)
    ]

    over = find_likely_now(facts, lambda _: CHOIR, NOW + dt.timedelta(days=30))

    assert over.keys() == {facts[0].id, facts[1].id}
    assert over[facts[1].id] == facts[2]


def test_what_is_said_of_now_replaces_a_plan() -> None:
    plan = {"valid_from": NOW + dt.timedelta(days=20), "recorded_at": DAY0}

    assert is_replaced(plan, {"recorded_at": LATER})
    assert is_replaced(plan, {"valid_from": NOW + dt.timedelta(days=9), "recorded_at": LATER})


@pytest.mark.parametrize(
    ("before", "since", "home"),
    [
        ({"category": "instruction"}, {}, CHOIR),
        ({}, {"source": {"actor": "agent"}}, CHOIR),
        ({"source": {"actor": "agent"}}, {}, CHOIR),
        ({}, {"trust": "unverified"}, CHOIR),
        ({}, {"valid_from": DAY0 - dt.timedelta(days=1), "recorded_at": DAY0 - dt.timedelta(days=1)}, CHOIR),
        ({}, {"valid_from": NOW + dt.timedelta(days=9)}, CHOIR),
        ({}, {"scope": "session:demo"}, CHOIR),
        ({}, {}, "projects/band"),
        ({"entity": "people/anna"}, {"entity": "people/boris"}, CHOIR),
        ({"source": {"actor": "user", "turn": "turn/1"}}, {"source": {"actor": "user", "turn": "turn/1"}}, CHOIR),
        ({"valid_from": EARLIER, "recorded_at": EARLIER}, {"recorded_at": LATER}, CHOIR),
    ],
    ids=[
        "an order holds until it is taken back",
        "an agent's words replace no person's",
        "what an agent noted is compared with its like",
        "what is trusted less replaces nothing",
        "what was said before replaces nothing",
        "what is to come replaces nothing yet",
        "what is private to a chat replaces nothing outside of it",
        "what is said of another project is about another thing",
        "what becomes of one person says nothing about another",
        "what is said in one breath is meant side by side",
        "what is said on one day is meant side by side",
    ],
)
def test_what_does_not_replace_what_was_said_before(before: dict[str, Any], since: dict[str, Any], home: str) -> None:
    assert not is_replaced(before, since, home)


@pytest.fixture
def told(engram: Engram) -> Engram:
    """A store in which a person said how things are and, a week later, how they are by then."""
    for text, at in ((OLD, "2026-03-02T10:00:00Z"), (NEW, "2026-03-09T10:00:00Z"), ("The hall is cold", None)):
        clock = ("--now", at) if at else ()
        done = engram("write", "--entity", CHOIR, "--create", "--fact", text, "--category", "status", *clock)
        assert done.code == 0, done.err
    return engram


NOW_TOLD = ("--now", "2026-03-10T10:00:00Z")


def test_recall_answers_with_what_holds_and_says_what_was(told: Engram) -> None:
    answer = told("recall", "rehearsal tuesdays eight", "--json", *NOW_TOLD).json

    hits = {hit["text"]: hit for hit in answer["hits"] if hit["kind"] == "fact"}
    assert OLD not in hits
    assert hits[NEW]["was"] == OLD


def test_who_asks_for_what_was_gets_that(told: Engram) -> None:
    answer = told("recall", "rehearsal tuesdays eight", "--as-of", "2026-03-03", "--json", *NOW_TOLD).json

    assert OLD in {hit["text"] for hit in answer["hits"]}


def test_a_question_for_a_time_gets_nothing_of_another_one(told: Engram) -> None:
    answer = told("recall", "rehearsal tuesdays eight", "--until", "2026-03-05", "--json", *NOW_TOLD).json

    assert [hit["text"] for hit in answer["hits"] if hit["kind"] == "fact"] == [OLD]


def test_the_start_block_shows_what_holds_with_what_was(told: Engram) -> None:
    block = told("context", "--project", "choir", *NOW_TOLD).out

    assert f'was "{OLD}"' in block
    assert f"- {OLD}" not in block


def test_a_listing_says_which_fact_is_newer(told: Engram) -> None:
    listed = {fact["text"]: fact for fact in told("facts", "--json", *NOW_TOLD).json["facts"]}

    assert listed[OLD]["outdated_by"] == listed[NEW]["id"]
    assert "outdated_by" not in listed[NEW]


def test_a_listing_of_one_entity_says_the_same_as_one_of_all(engram: Engram, workspace: Workspace) -> None:
    turn = {"id": f"turn/{1:0>32}", "text": "Hello", "speaker": "user"}
    place = Project(CHOIR, "choir").as_args()
    workspace.submit("capture", {"session": "codex/choir", "turns": [turn], **place})
    for entity, text, at in ((CHOIR, OLD, "2026-03-02T10:00:00Z"), ("people/hal", NEW, "2026-03-09T10:00:00Z")):
        told = ("--fact", text, "--category", "status", "--session", "codex/choir")
        done = engram("write", "--entity", entity, "--create", *told, "--now", at)
        assert done.code == 0, done.err

    everything = engram("facts", "--json", *NOW_TOLD).json["facts"]
    of_choir = engram("facts", "--entity", CHOIR, "--json", *NOW_TOLD).json["facts"]

    assert [fact["outdated_by"] for fact in of_choir] == ["people/hal-001"]
    assert of_choir == [fact for fact in everything if fact["entity"] == CHOIR]


@pytest.mark.parametrize(
    ("old", "new", "is_over"),
    [
        (
            "the drop folder is in the bucket qx-raw (dublin), warehouse is postgres on lake-db-02 port 5433",
            "The DB was migrated on the weekend. its lake-db-06 now, normal port 5432",
            True,
        ),
        (
            "Marek Zych does the firmware of the lockers, he's the one reviewing my PRs - he hates any above 300 lines",
            "the simulator marek made, lockersim, listens on 8899. different repo, dont edit it",
            False,
        ),
    ],
    ids=["one clause is over", "a clause that shares a name is not, whatever the others say"],
)
def test_of_several_clauses_one_has_to_be_out_of_date(old: str, new: str, *, is_over: bool) -> None:
    facts = [
        make_fact(number, text, category="status", entity=CHOIR, valid_from=at)
        for number, (text, at) in enumerate(((old, DAY0), (new, LATER)), 1)
    ]

    assert find_likely_now(facts, lambda _: CHOIR, NOW) == ({facts[0].id: facts[1]} if is_over else {})


def test_what_happened_once_is_never_out_of_date() -> None:
    happened = "I mean it, Parcelbox had a fun evening once because of that"
    said = "deploys only on tuesdays and thursdays btw, parcelbox ops have nobody on call on friday evening"

    assert is_replaced({"text": happened.replace(" once", "")}, {"text": said})
    assert not is_replaced({"text": happened}, {"text": said})


def test_of_what_is_over_in_part_the_rest_stays(engram: Engram) -> None:
    lake = "projects/lake"
    old = "the drop folder is in the bucket qx-raw (dublin), warehouse is postgres on lake-db-02 port 5433"
    new = "The DB was migrated on the weekend. its lake-db-06 now, normal port 5432"
    for text, at in ((old, "2026-03-02T10:00:00Z"), (new, "2026-03-09T10:00:00Z")):
        engram("write", "--entity", lake, "--create", "--fact", text, "--category", "status", "--now", at)

    hits = engram("recall", "in which bucket is the drop folder", "--json", *NOW_TOLD).json["hits"]
    block = engram("context", "--project", "lake", *NOW_TOLD).out

    assert {hit["text"]: hit["now"] for hit in hits if hit["kind"] == "fact"} == {old: new, new: None}
    assert f'changes a part of "{old}"' in block
    assert f"- {old}" not in block


def test_ask_tells_what_holds(engram: Engram) -> None:
    before, since = (
        "Anna works at Helmbrecht as a joiner",
        "Anna has given up the work at Helmbrecht, Runa is the joiner now",
    )
    for text, at in ((before, "2026-03-02T10:00:00Z"), (since, "2026-03-09T10:00:00Z")):
        engram("write", "--entity", "people/anna", "--create", "--fact", text, "--category", "status", "--now", at)

    answer = engram("ask", "where does Anna work", "--json", *NOW_TOLD).json

    assert [fact["text"] for fact in answer["facts"]] == [since]


def test_what_perhaps_tells_of_a_change_stands_right_behind_what_it_may_change(engram: Engram) -> None:
    opens, slipped = "The stall opens in May", "The stall slipped, they want new papers, probably June"
    others = ("In May the market has a band", "Tourists come in May", "The gate code is 4471", "Ann is our vet")
    said = [(one, "2026-03-02T10:00:00Z") for one in (opens, *others)] + [(slipped, "2026-03-09T10:00:00Z")]
    for text, at in said:
        engram("write", "--entity", CHOIR, "--create", "--fact", text, "--category", "status", "--now", at)

    answer = engram("recall", "what opens in May", "--json", *NOW_TOLD).json

    texts = [hit["text"] for hit in answer["hits"] if hit["kind"] == "fact"]
    assert texts.index(slipped) == texts.index(opens) + 1
