"""The slot of a fact on its way in, told as stories: what is written in turn, and what becomes of it."""

import datetime as dt
from typing import Any

import pytest

from engram.config.sections.memory import DecaySettings
from engram.model.changes.state import State
from engram.model.commands.command import Envelope
from engram.model.fact import Actor
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.rules.fold.fold import fold_change
from engram.services.commands.decider import Context
from engram.services.commands.writes.correct import Correct
from engram.services.commands.writes.write import Write
from engram.services.facts.listing import FactQuery
from engram.services.facts.listing import Moment
from engram.services.facts.listing import list_facts
from engram.workspace import Workspace
from tests.making import NOW

Story = list[str | tuple[str, dict[str, Any]]]


def tell(story: Story, entity: str = "people/anna") -> tuple[State, list[str]]:
    """Fold the writes of a story about one entity; return the state, and what became of each."""
    state, outcomes = State(), []
    for step, said in enumerate(story):
        text, options = (said, {}) if isinstance(said, str) else (said[0], dict(said[1]))
        actor = options.pop("actor", Actor.USER)
        args = {"entity": entity, "create": True, "text": text, **options}
        envelope = Envelope(id=f"c{step}", kind="write", at=NOW + dt.timedelta(minutes=step), actor=actor, args=args)
        decided = Write(envelope, Context(now=envelope.at, zone=dt.UTC)).decide(state)
        for change in decided.changes:
            fold_change(state, change)
        outcomes.append(decided.result.status.value)
    return state, outcomes


def active(state: State) -> list[Fact]:
    live = [fact for fact in state.facts.values() if fact.status == Status.ACTIVE]
    return sorted(live, key=lambda fact: fact.recorded_at)


def slots(state: State) -> list[tuple[str | None, str | None]]:
    return [(fact.attribute, fact.value) for fact in active(state)]


STORIES: dict[str, tuple[Story, list[str], list[tuple[str | None, str | None]]]] = {
    # sentence: what is written in turn, what became of each, the slots that are active in the end
    "a slot is read from the statement": (["Anna works at Acme"], ["created"], [("employer", "Acme")]),
    "a newer value takes the older one's place": (
        ["Anna works at Acme", "She now works for Globex"],
        ["created", "superseded"],
        [("employer", "Globex")],
    ),
    "the same in Russian": (
        ["Живёт в Казани", "Теперь живёт в Москве"],
        ["created", "superseded"],
        [("city", "Москве")],
    ),
    "a slot of somebody else is none of hers": (
        ["Anna lives in Riga", "Anna's brother lives in Berlin"],
        ["created", "created"],
        [("city", "Riga"), (None, None)],
    ),
    "the same value in other words stays beside it": (
        ["Anna works at Acme", "Anna is employed by Acme"],
        ["created", "created"],
        [("employer", "Acme"), ("employer", "Acme")],
    ),
    "a new value takes the place of every old one": (
        ["Anna works at Acme", "Anna is employed by Acme", "Anna works at Globex"],
        ["created", "created", "superseded"],
        [("employer", "Globex")],
    ),
    "a value that says more stays beside the one that says less": (
        ["Anna works for Acme", "Anna works for Acme GmbH"],
        ["created", "created"],
        [("employer", "Acme"), ("employer", "Acme GmbH")],
    ),
    "a country is no city": (
        ["Anna lives in Berlin", "Anna lives in Germany"],
        ["created", "created"],
        [("city", "Berlin"), (None, None)],
    ),
    "a city is no employer in Russian": (
        ["Работает в Яндексе", "Работает в Москве"],
        ["created", "created"],
        [("employer", "Яндексе"), (None, None)],
    ),
    "a city is no employer in Chinese": (
        ["我在腾讯工作", "我在上海工作"],
        ["created", "created"],
        [("employer", "腾讯"), (None, None)],
    ),
    "a city is no employer in Korean": (
        ["카카오에서 일한다", "서울에서 일한다"],
        ["created", "created"],
        [("employer", "카카오"), (None, None)],
    ),
    "a kind of workplace is no employer": (
        ["我在腾讯工作", "我在银行工作", "我在一家公司上班"],
        ["created", "created", "created"],
        [("employer", "腾讯"), (None, None), (None, None)],
    ),
    "somebody may have several names": (
        ["I am called Omar", "I am called Omi"],
        ["created", "created"],
        [("name", "Omar"), ("name", "Omi")],
    ),
    "one of two addresses is not the other": (
        ["Anna's email is anna@home.example", "Anna's work email is anna@acme.example"],
        ["created", "created"],
        [("email", "anna@home.example"), (None, None)],
    ),
    "the attribute that the writer names wins": (
        [("Anna works at Acme", {"attribute": "client", "value": "Acme Ltd"}), "Anna works at Globex"],
        ["created", "tension"],  # the words exclude each other, so somebody should look
        [("client", "Acme Ltd"), ("employer", "Globex")],
    ),
    "another name for the attribute means the same": (
        [("Anna has a job at Acme", {"attribute": "company", "value": "Acme"}), "Anna works at Globex"],
        ["created", "superseded"],
        [("employer", "Globex")],
    ),
    "an attribute without a value gets the one that is said": (
        [("Anna works at Acme", {"attribute": "workplace"})],
        ["created"],
        [("workplace", "Acme")],
    ),
    "an attribute of which there may be many keeps them": (
        ["Anna's hobby is chess", "Anna's hobby is tennis"],
        ["created", "created"],
        [(None, None), (None, None)],
    ),
    "a page may not retire what is trusted by its words alone": (
        ["Anna works at Acme", ("Anna works at Globex", {"actor": Actor.TOOL})],
        ["created", "tension"],
        [("employer", "Acme"), ("employer", "Globex")],
    ),
    "a page may bring another page up to date": (
        [("Anna works at Acme", {"actor": Actor.TOOL}), ("Anna works at Globex", {"actor": Actor.TOOL})],
        ["created", "superseded"],
        [("employer", "Globex")],
    ),
    "what was is not what is": (
        ["Anna works at Acme", "Anna worked at Globex"],
        ["created", "created"],
        [("employer", "Acme"), (None, None)],
    ),
    "an agent's extraction fills the slot too": (
        [("Anna lives in Riga", {"actor": Actor.AGENT}), ("Anna moved to Berlin", {"actor": Actor.AGENT})],
        ["created", "superseded"],
        [("city", "Berlin")],
    ),
    "a correction in other words takes the place of the only one that it can mean": (
        [
            "The kitchen renovation budget is $4,000 in total",
            ("We have raised the kitchen renovation budget to $5,500", {"category": "correction"}),
        ],
        ["created", "superseded"],
        [(None, None)],
    ),
    "a value that is said to have changed takes the older one's place": (
        [
            "The kitchen renovation budget is $4,000 in total",
            "We have now raised the kitchen renovation budget to $5,500",
        ],
        ["created", "superseded"],
        [(None, None)],
    ),
    "a value that changed in other words, of perhaps another thing, is a tension": (
        [
            "The kitchen renovation budget is $4,000 in total",
            "We have now raised the kitchen renovation budget for tiles to $5,500",
        ],
        ["created", "tension"],
        [(None, None), (None, None)],
    ),
}


@pytest.mark.parametrize("sentence", STORIES)
def test_a_write_fills_its_slot(sentence: str) -> None:
    story, expected, held = STORIES[sentence]

    state, outcomes = tell(story)

    assert outcomes == expected
    assert slots(state) == held


@pytest.mark.parametrize(
    ("old", "right", "expected"),
    [
        ("Anna works at Acme", "Anna works at Globex", ("employer", "Globex")),
        (("Anna is in good shape", {"attribute": "mood", "value": "good"}), "Anna is sad", ("mood", None)),
        (
            ("Anna is in good shape", {"attribute": "mood", "value": "good"}),
            "Anna is in very good shape",
            ("mood", "good"),
        ),
        ("Anna works at Acme", "Anna likes tea", (None, None)),
        ("Anna likes tea", "Anna works at Globex", ("employer", "Globex")),
    ],
)
def test_a_corrected_statement_does_not_carry_the_wrong_value_over(
    old: Any, right: str, expected: tuple[str | None, str | None]
) -> None:
    state, _ = tell([old])
    args = {"id": "people/anna-001", "text": right}
    envelope = Envelope(id="fix", kind="correct", at=NOW + dt.timedelta(hours=1), args=args)

    decided = Correct(envelope, Context(now=envelope.at, zone=dt.UTC)).decide(state)
    for change in decided.changes:
        fold_change(state, change)

    assert slots(state) == [expected]


def test_a_project_has_its_own_attributes() -> None:
    state, outcomes = tell(
        ["The deadline is 5 March", "We moved the deadline to 12 March", "Billing is written in Rust"],
        "projects/billing",
    )

    assert outcomes == ["created", "superseded", "created"]
    assert slots(state) == [("deadline", "12 March"), ("language", "Rust")]


def test_a_value_told_twice_is_shown_twice_at_any_time(workspace: Workspace) -> None:
    for text in ("Anna works at Acme", "Anna is employed by Acme"):
        workspace.submit("write", {"entity": "people/anna", "text": text, "create": True})

    with workspace.reading() as database:
        moment = Moment(now=NOW, decay=DecaySettings(), zone=dt.UTC, caller=None)
        at_once = list_facts(database, FactQuery(as_of=NOW), moment)

    assert [fact["value"] for fact in at_once] == ["Acme", "Acme"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The default branch is main", "The release branch is release/2.4"),
        ("P95 latency is 120 ms", "P99 latency is 300 ms"),
        ("Retention: 30 days", "Log retention is 7 days"),
        ("Version: 1.2.0", "The API version is v2"),
        ("Version: 1.2.0", "Python version: 3.11"),
        ("The budget is $50,000", "The marketing budget is $10,000"),
        ("Billing is written in Rust", "The default language is English"),
        ("Deadline: 1 June", "The first deadline is 1 May"),
    ],
)
def test_a_part_of_a_project_has_attributes_of_its_own(first: str, second: str) -> None:
    for story in ([first, second], [second, first]):
        _, outcomes = tell([*story], entity="projects/billing")

        assert outcomes == ["created", "created"]


def test_the_facts_that_are_alike_are_found_without_looking_at_all() -> None:
    texts = ["Anna works at Acme", "Anna has 3 cats", "Anna has 4 cats", "Anna likes tea", "Anna works at Globex"]
    state, _ = tell([*texts])
    cats = next(fact for fact in state.facts.values() if fact.text == "Anna has 3 cats")

    found = state.facts_alike("people/anna", cats.fingerprint, cats.skeleton, ["employer"])

    assert {"Anna has 3 cats", "Anna has 4 cats", "Anna works at Acme", "Anna works at Globex"} == {
        fact.text for fact in found
    }
    assert list(state.facts_alike("people/olga", cats.fingerprint, cats.skeleton, ["employer"])) == []


def test_the_state_names_what_ends_where_a_plan_begins_as_long_as_it_does() -> None:
    old, new = "Anna lives in Riga", ("Anna lives in Tartu", {"valid_from": "2030-01-01"})

    state, _ = tell([old, new])

    assert [old] == [fact.text for fact in state.facts_to_end()]
    assert state.facts_to_end() == [
        fact for fact in state.facts.values() if fact.status == Status.ACTIVE and fact.superseded_by is not None
    ]

    ended = state.facts_to_end()[0].model_copy(update={"status": Status.SUPERSEDED})
    state.put_fact(ended)

    assert not state.facts_to_end()
