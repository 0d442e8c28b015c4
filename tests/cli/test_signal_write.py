"""`engram signal --write`: what is high becomes a fact, what is not does not."""

import pytest

from engram.workspace import Workspace
from tests.conftest import Engram


def test_each_high_statement_becomes_a_fact_of_the_entity(engram: Engram) -> None:
    text = "Hello! I prefer short meetings. We decided to use Kafka."

    answer = engram("signal", text, "--write", "--entity", "people/anna", "--create", "--session", "demo", "--json")

    assert answer.code == 0, answer.err
    assert answer.json["signal"]["signal"] == "high"
    assert [one["status"] for one in answer.json["written"]] == ["created", "created"]
    facts = engram("facts", "--json").json["facts"]
    assert [(one["category"], one["source"]["session"]) for one in facts] == [
        ("preference", "demo"),
        ("decision", "demo"),
    ]


def test_a_statement_of_two_categories_becomes_one_fact_under_the_surest(engram: Engram) -> None:
    text = "I prefer Rust and we decided to use it for the gateway."

    answer = engram("signal", text, "--write", "--entity", "people/anna", "--create", "--json")

    assert {"preference", "decision"} == set(answer.json["signal"]["categories"])
    assert [one["status"] for one in answer.json["written"]] == ["created"]
    assert [answer.json["signal"]["spans"][0]["category"]] == [
        one["category"] for one in engram("facts", "--json").json["facts"]
    ]


def test_small_talk_is_classified_and_not_written(engram: Engram, workspace: Workspace) -> None:
    answer = engram("signal", "Hello, how are you?", "--write", "--entity", "people/anna", "--create", "--json")

    assert answer.json["written"] == []
    assert workspace.journal.head()[0] == 0


def test_a_dry_run_says_what_would_be_written(engram: Engram, workspace: Workspace) -> None:
    answer = engram("signal", "I prefer tea", "--write", "--entity", "people/anna", "--create", "--dry-run", "--json")

    assert [one["status"] for one in answer.json["written"]] == ["created"]
    assert answer.json["dry_run"]
    assert workspace.journal.head()[0] == 0


def test_without_an_entity_it_is_found(engram: Engram) -> None:
    answer = engram("signal", "I prefer tea", "--write", "--json")

    assert [one["guessed"] for one in answer.json["written"]] == [{"entity": "people/user", "new": True}]


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("Always use absolute paths", "instruction"),
        ("I live in Tartu", "identity"),
        ("I'll send the report by Friday", "commitment"),
        ("Marta is my manager", "relationship"),
        ("We launched the shop", "milestone"),
    ],
)
def test_what_was_signalled_is_kept_under_a_category_of_facts(engram: Engram, text: str, category: str) -> None:
    answer = engram("signal", text, "--write", "--entity", "people/anna", "--create", "--json")

    assert [category] == [one["fact"]["category"] for one in answer.json["written"]]


def test_the_words_say_until_when_it_holds(engram: Engram) -> None:
    write = ("--write", "--entity", "people/anna", "--create")

    answer = engram("signal", "I'll send the report by Friday", *write, "--now", "2026-02-24T10:00:00Z", "--json")

    assert answer.code == 0, answer.err
    (fact,) = engram("facts", "--now", "2026-02-24T11:00:00Z", "--json").json["facts"]
    assert fact["valid_to"] == "2026-02-27T23:59:59Z"
