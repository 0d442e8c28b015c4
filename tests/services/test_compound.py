"""Statements of several clauses, told as stories: what one clause excludes opens a tension and retires nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.rules.writes import comparable
from engram.services.facts.contradictions import find_contradictions
from engram.workspace import Workspace
from tests.services.commands.test_slot_filling import Story
from tests.services.commands.test_slot_filling import active
from tests.services.commands.test_slot_filling import slots
from tests.services.commands.test_slot_filling import tell

TENSION = ["created", "tension"]
BOTH = ["created", "created"]

STORIES: dict[str, tuple[Story, list[str]]] = {
    # sentence: what is written in turn, what became of each
    # an older compound statement and a newer simple one
    "a new employer against the first clause": (["I work at Acme, and I live in Riga", "I work at Beta"], TENSION),
    "a new city against the second clause": (["I work at Acme, and I live in Riga", "I live in Oslo"], TENSION),
    "the subject is shared": (["Anna works at Acme and lives in Riga", "Anna moved to Oslo"], TENSION),
    "a pronoun means the first subject": (["Anna works at Acme, and she lives in Riga", "She lives in Oslo"], TENSION),
    "two sentences": (["I work at Acme. I live in Riga.", "I live in Oslo"], TENSION),
    "the other clause states no slot": (["I like tea, and I work at Acme", "I work at Beta"], TENSION),
    "in Russian": (["Она работает в Яндексе и живёт в Казани", "Переехала в Москву"], TENSION),
    "in Chinese": (["我在腾讯工作，住在北京", "我住在上海"], TENSION),
    "in Korean": (["저는 카카오에서 일하고 부산에 삽니다", "저는 네이버에서 일합니다"], TENSION),
    # an older simple statement and a newer compound one
    "a compound against an employer": (["I work at Acme", "I work at Beta, and I live in Riga"], TENSION),
    "a compound against a city": (["Anna lives in Oslo", "Anna works at Beta and lives in Riga"], TENSION),
    "a compound in Russian": (["Живу в Москве", "Работаю в Яндексе и живу в Казани"], TENSION),
    "a compound in Chinese": (["安娜住在上海", "安娜在腾讯工作，住在北京"], TENSION),
    "a compound in Korean": (["저는 서울에 산다", "저는 카카오에서 일하고 부산에 산다"], TENSION),
    # both
    "two compounds": (["I work at Acme, and I live in Riga", "I live in Oslo, and I work at Acme"], TENSION),
    "two compounds in Korean": (
        ["저는 카카오에서 일하고 부산에 삽니다", "저는 서울에 살고 커피를 좋아합니다"],
        TENSION,
    ),
    # an update phrase
    "it no longer holds": (["I work at Acme, and I live in Riga", "I no longer work at Acme"], TENSION),
    "one left for the other": (["Anna works at Acme and lives in Riga", "Anna left Acme for Globex"], TENSION),
    "a denial": (["Anna works at Acme and lives in Riga", "Anna does not live in Riga"], TENSION),
    "it ended in Russian": (["Анна работает в Яндексе и живёт в Казани", "Анна больше не живёт в Казани"], TENSION),
    "it ended in a newer compound": (["I work at Acme", "I no longer work at Acme, and I live in Riga"], TENSION),
    # what may hold beside it
    "the same value": (["I work at Acme, and I live in Riga", "I live in Riga"], BOTH),
    "the same value in a compound": (["I live in Riga", "I work at Acme, and I live in Riga"], BOTH),
    "another attribute": (["I work at Acme, and I live in Riga", "I am 34 years old"], BOTH),
    "somebody else's city": (["I work at Acme, and my brother lives in Riga", "I live in Oslo"], BOTH),
    "a husband's employer": (["Anna is married to Omar, and he works at Acme", "Anna works at Beta"], BOTH),
    "a brother's two clauses": (["Anna's brother works at Acme and lives in Riga", "Anna lives in Oslo"], BOTH),
    "two cities": (["I live in Riga, and I live in Oslo", "I live in Oslo"], BOTH),
    "a condition": (["If I work at Acme, and I live in Riga, I walk", "I live in Oslo"], BOTH),
    "the speaker is not the subject": (["Anna works at Acme, and I live in Riga", "Anna lives in Oslo"], BOTH),
    "two hobbies": (["I live in Riga, and my hobby is chess", "My hobby is tennis"], BOTH),
}


@pytest.mark.parametrize("sentence", STORIES)
def test_a_clause_is_compared_and_nothing_is_lost(sentence: str) -> None:
    story, expected = STORIES[sentence]

    state, outcomes = tell(story)

    assert outcomes == expected
    assert len(active(state)) == len(story)


EMPLOYERS = ("Acme", "Beta", "Globex GmbH")
CITIES = ("Riga", "Oslo", "Berlin")
JOINTS = (", and I live in ", " and live in ", ". I live in ", "; I live in ", ", but I live in ")


@given(
    st.sampled_from(EMPLOYERS), st.sampled_from(CITIES), st.sampled_from(EMPLOYERS + CITIES), st.sampled_from(JOINTS)
)
def test_a_newer_clause_never_retires_the_older_statement_nor_hides(
    employer: str, city: str, newer: str, joint: str
) -> None:
    compound = f"I work at {employer}{joint}{city}"
    simple = f"I work at {newer}" if newer in EMPLOYERS else f"I live in {newer}"
    differs = newer not in {employer, city}

    for story in ([compound, simple], [simple, compound]):
        state, outcomes = tell([*story])

        assert outcomes == (TENSION if differs else BOTH)
        assert len(active(state)) == 2


def test_a_compound_statement_has_no_slot_of_its_own() -> None:
    state, _ = tell(["저는 카카오에서 일하고 부산에 산다", "Deadline: 5 March, budget: $40,000"])

    assert slots(state) == [(None, None), (None, None)]


def test_the_reason_says_what_became_what_and_that_the_rest_may_hold() -> None:
    state, _ = tell(["I work at Acme, and I live in Riga", "I work at Beta"])

    (tension,) = state.tensions.values()
    assert tension.kind == "attribute"
    assert tension.text.endswith("employer: Acme became Beta; what else it says may still hold")


@pytest.mark.parametrize(
    ("story", "expected"),
    [
        # a correction of one clause does not take the other one along
        (["I work at Acme, and I live in Riga", ("I work at Beta", {"category": "correction"})], TENSION),
        (["I work at Acme, and I live in Riga", ("I no longer work at Acme", {"corrects": True})], TENSION),
        (["我在腾讯工作，住在北京", ("我在华为工作", {"category": "correction"})], TENSION),
        # one that says all of it again takes its place
        (
            [
                "I work at Acme, and I live in Riga",
                ("I work at Beta, and I live in Riga", {"category": "correction"}),
            ],
            ["created", "superseded"],
        ),
        (
            ["I work at Acme", ("I work at Beta, and I live in Riga", {"category": "correction"})],
            ["created", "superseded"],
        ),
        # the writer named the slot: what is only read gives no reason to drop the rest, what is named does
        (
            [("I work at Acme, and I live in Riga", {"attribute": "employer", "value": "Acme"}), "I work at Beta"],
            TENSION,
        ),
        (
            [
                ("I work at Acme, and I live in Riga", {"attribute": "employer", "value": "Acme"}),
                ("I work at Beta", {"attribute": "employer", "value": "Beta"}),
            ],
            ["created", "superseded"],
        ),
        (
            ["I work at Acme, and I live in Riga", ("Joined Beta", {"attribute": "employer", "value": "Beta"})],
            TENSION,
        ),
        (
            [("In the Acme crew", {"attribute": "company", "value": "Acme"}), "I work at Beta, and I live in Riga"],
            TENSION,
        ),
    ],
)
def test_only_what_is_excluded_as_a_whole_gives_way(story: Story, expected: list[str]) -> None:
    _, outcomes = tell(story)

    assert outcomes == expected


def test_a_project_has_compound_statements_too() -> None:
    story: Story = [
        "Billing is written in Rust, and its deadline is 5 March",
        "We moved the deadline to 12 March",
        "Billing is written in Go",
    ]

    _, outcomes = tell(story, "projects/billing")

    assert outcomes == ["created", "tension", "tension"]


def test_a_long_entity_is_searched_for_the_slots_of_the_clauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparable, "FEW_FACTS", 1)

    _, outcomes = tell(["Anna likes tea", "Anna lives in Oslo", "Anna works at Acme and lives in Riga"])

    assert outcomes == ["created", "created", "tension"]


@pytest.mark.parametrize(
    ("old", "new", "attribute"),
    [
        ("Anna works at Acme and lives in Riga", "Anna lives in Oslo", "city"),
        ("Anna lives in Riga", "Anna works at Acme, and she lives in Oslo", "city"),
    ],
)
def test_asking_what_would_be_contradicted_names_the_attribute(
    workspace: Workspace, old: str, new: str, attribute: str
) -> None:
    workspace.submit("write", {"entity": "people/anna", "text": old, "create": True})

    with workspace.reading() as database:
        (found,) = find_contradictions(database, "people/anna", new, cross_entity=False)

    assert (found["kind"], found["attribute"]) == ("attribute", attribute)
    assert "Riga became Oslo" in found["why"]
