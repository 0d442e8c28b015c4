"""`engram write TEXT`: entity and category are found and said, and `engram undo` takes the fact back."""

from typing import Any

import pytest

from engram.workspace import Workspace
from tests.conftest import Engram


@pytest.fixture(autouse=True)
def _anna_and_boris(engram: Engram) -> None:
    for name in ("Anna", "Boris"):
        assert engram("entity", "add", f"people/{name.casefold()}", "--title", name).code == 0


def active(engram: Engram) -> list[tuple[str, str]]:
    return [(one["entity"], one["text"]) for one in engram("facts", "--json").json["facts"]]


@pytest.mark.parametrize(
    ("text", "entity", "category"),
    [
        ("Boris prefers green tea", "people/boris", "preference"),
        ("Anna lives in Tartu", "people/anna", "identity"),
        ("Anna's manager is Boris", "people/anna", "relationship"),
        ("Boris plays chess", "people/boris", "context"),
        ("Never call Boris before ten", "people/boris", "instruction"),
    ],
)
def test_whom_and_what_are_found_and_told(engram: Engram, text: str, entity: str, category: str) -> None:
    found = engram("write", text, "--json").json

    assert {"entity": entity, "new": False, "category": category} == found["guessed"]
    assert (entity, category, text) == tuple(found["fact"][name] for name in ("entity", "category", "text"))


def test_words_need_no_quotes_and_a_dash_reads_standard_input(engram: Engram) -> None:
    engram("write", "Boris", "plays", "chess")
    engram("write", "-", stdin="Anna plays the violin\n")

    assert active(engram) == [("people/anna", "Anna plays the violin"), ("people/boris", "Boris plays chess")]


@pytest.mark.parametrize(
    "text", ["Ich wohne in Berlin", "Mein Chef ist Jonas", "J'habite à Lyon", "Mon chef s'appelle Luc"]
)
def test_who_speaks_of_themselves_in_german_or_french_is_the_owner(engram: Engram, text: str) -> None:
    assert engram("entity", "add", "people/kim", "--title", "Kim", "--alias", "I").code == 0
    assert engram("config", "owner", "people/kim").code == 0

    assert engram("write", text, "--json").json["fact"]["entity"] == "people/kim"


def test_a_path_before_the_statement_says_whom_it_is_about(engram: Engram) -> None:
    known = engram("write", "people/boris", "Prefers", "green tea", "--json").json
    new = engram("write", "projects/lantern", "Runs on PostgreSQL 16", "--json").json

    assert (known["fact"]["entity"], known["fact"]["text"]) == ("people/boris", "Prefers green tea")
    assert known["guessed"] == {"category": "preference"}
    assert (new["fact"]["entity"], new["guessed"]["new"]) == ("projects/lantern", True)
    assert engram("write", "people/boris").code == 2
    assert engram("write", "people/boris", "Plays chess", "--entity", "anna").code == 0
    assert ("people/anna", "people/boris Plays chess") in active(engram)


def test_a_person_sees_what_was_chosen_and_how_to_take_it_back(engram: Engram) -> None:
    answer = engram("write", "Clara plays the violin")

    assert "about people/clara (new), as " in answer.out
    assert "engram undo takes it back" in answer.out


def test_what_is_said_is_not_guessed(engram: Engram) -> None:
    found = engram("write", "Boris prefers green tea", "--entity", "anna", "--category", "status", "--json").json

    assert "guessed" not in found
    assert (found["fact"]["entity"], found["fact"]["category"]) == ("people/anna", "status")


def test_undo_takes_the_fact_back_and_it_may_be_said_again(engram: Engram) -> None:
    engram("write", "Boris prefers green tea")

    undone = engram("undo", "--json")

    assert undone.code == 0, undone.err
    assert active(engram) == []
    assert engram("undo").code == 4
    assert engram("write", "Boris prefers green tea", "--json").json["status"] == "created"


def test_undo_gives_what_was_replaced_its_life_back(engram: Engram) -> None:
    slot = ("--entity", "people/boris", "--attribute", "employer", "--value", "Acme")
    engram("write", "--fact", "Boris works at Acme", *slot)
    before = engram("facts", "--json").json["facts"]
    newer = ("--attribute", "employer", "--value", "Globex")
    assert engram("write", "Boris works at Globex", *newer, "--json").json["status"] == "superseded"

    assert engram("undo").code == 0

    assert before == engram("facts", "--json").json["facts"]


def test_undo_settles_the_tension_that_came_of_it(engram: Engram) -> None:
    engram("write", "--entity", "people/boris", "--fact", "Boris drinks coffee")
    found = engram("write", "Boris does not drink coffee", "--json").json
    assert found["status"] == "tension"

    engram("undo")

    assert active(engram) == [("people/boris", "Boris drinks coffee")]
    assert engram("tension", "list", "--json").json["tensions"] == []


def test_a_fact_that_was_corrected_since_is_not_undone(engram: Engram) -> None:
    made = engram("write", "Boris prefers green tea", "--json").json
    engram("correct", made["id"], "--fact", "Boris prefers white tea")

    answer = engram("undo", made["command_id"])

    assert answer.code == 4
    assert "changed since" in answer.err
    assert active(engram) == [("people/boris", "Boris prefers white tea")]


def test_a_fact_that_was_known_leaves_nothing_to_undo(engram: Engram) -> None:
    engram("write", "--entity", "people/boris", "--fact", "Boris prefers green tea")

    answer = engram("write", "Boris prefers green tea")

    assert answer.out.startswith("confirmed")
    assert "undo" not in answer.out


def test_a_group_is_told_no_name_that_is_private_to_others(engram: Engram) -> None:
    engram("session", "add", "club", "--kind", "group")
    secret = ("--entity", "people/zoe", "--create", "--title", "Zoe Quist", "--scope", "agent:main")
    engram("entity", "alias", "people/boris", "Borya")
    engram("write", "--fact", "Zoe Quist is ill", *secret)
    engram("entity", "alias", "people/zoe", "the patient")

    found = engram("write", "the patient sleeps now", "--session", "club", "--dry-run", "--json").json

    assert found["guessed"]["entity"] != "people/zoe"


def test_a_plan_says_what_was_found_and_changes_nothing(engram: Engram, workspace: Workspace) -> None:
    position = workspace.journal.head()[0]

    answer = engram("write", "Boris prefers green tea", "--dry-run", "--json")

    assert answer.json["guessed"]["entity"] == "people/boris"
    assert position == workspace.journal.head()[0]


@pytest.mark.parametrize("args", [["write", "a", "--fact", "b"], ["write", "a", "--jsonl", "-"], ["write", " "]])
def test_what_does_not_go_together_is_refused(engram: Engram, args: list[str]) -> None:
    assert engram(*args).code == 2


def test_undo_holds_after_a_rebuild(engram: Engram) -> None:
    engram("write", "Boris prefers green tea")
    engram("rebuild", "database")

    assert engram("undo").code == 0
    assert active(engram) == []


def test_signal_write_finds_whom_each_statement_is_about(engram: Engram) -> None:
    found: dict[str, Any] = engram("signal", "Boris prefers tea. We decided that Anna leads.", "--write", "--json").json

    assert [one["guessed"]["entity"] for one in found["written"]] == ["people/boris", "people/anna"]
    assert engram("undo").code == 0
    assert active(engram) == [("people/boris", "Boris prefers tea.")]


def test_a_fact_whose_entity_was_named_is_undone_too(engram: Engram) -> None:
    slot = ("--entity", "people/boris", "--attribute", "city", "--value")
    engram("write", "--fact", "Boris lives in Oslo", *slot, "Oslo")
    before = engram("facts", "--json").json["facts"]
    moved = engram("write", "--fact", "Boris lives in Bergen", *slot, "Bergen", "--json").json
    assert moved["status"] == "superseded"

    undone = engram("undo")

    assert undone.code == 0, undone.err
    assert "Boris lives in Bergen" in undone.out
    assert before == engram("facts", "--json").json["facts"]
    assert engram("undo").code == 0
    assert active(engram) == []


def test_what_was_written_last_is_undone_first_and_any_by_its_id(engram: Engram) -> None:
    said = ["Boris sings", "Boris swims", "Boris skis"]
    ids = [engram("write", "--entity", "boris", "--fact", text, "--json").json["command_id"] for text in said]

    assert engram("undo", ids[0]).code == 0
    assert engram("undo").code == 0
    assert active(engram) == [("people/boris", "Boris swims")]
    assert "taken back already" in engram("undo", ids[0]).err


def test_what_signal_wrote_about_a_named_one_is_undone(engram: Engram) -> None:
    engram("signal", "I prefer dark mode.", "--write", "--entity", "people/anna")
    assert active(engram) == [("people/anna", "I prefer dark mode.")]

    assert engram("undo").code == 0
    assert active(engram) == []


def test_of_many_lines_none_is_undone(engram: Engram) -> None:
    line = '{"entity": "people/boris", "fact": "Boris sings"}'
    done = engram("write", "--jsonl", "-", "--json", stdin=line).json

    answer = engram("undo", done["command_id"])

    assert (answer.code, active(engram)) == (4, [("people/boris", "Boris sings")])
    assert "engram retract" in answer.err


def test_sound_16_nothing_is_guessed_of_what_is_too_long(engram: Engram, monkeypatch: pytest.MonkeyPatch) -> None:
    def guess(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr("engram.cli.facts.write_guess.guess", guess)

    answer = engram("write", "-", stdin="Anna likes tea and Bo lives in Riga. " * 1000)

    assert answer.code == 2
    assert "2000 is the most" in answer.err
