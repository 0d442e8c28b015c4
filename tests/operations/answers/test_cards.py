"""Retrieval cards on a real workspace: asked by doctor, kept with their trend, and gone with what is forgotten."""

import pytest

from engram.errors import RefusedError
from engram.errors import UnknownFactError
from engram.model.card import Card
from engram.model.card import Cards
from engram.operations.answers.cards import add_card
from engram.operations.answers.cards import list_cards
from engram.operations.answers.cards import remove_card
from engram.operations.answers.cards import run_cards
from engram.operations.examine import examine_workspace
from engram.operations.forget import Forgetting
from engram.services.erasure.plan import ForgetQuery
from engram.workspace import Workspace
from engram.workspace.card_file import write_cards
from tests.conftest import Engram
from tests.conftest import WorkspaceWith
from tests.making import NOW

QUESTION = "what does Anna drink"


def _tea(workspace: Workspace) -> None:
    workspace.submit("write", {"entity": "people/anna", "text": "Anna drinks green tea", "create": True})
    with workspace.reading():
        pass


@pytest.fixture
def known(workspace_with: WorkspaceWith) -> Workspace:
    """A workspace that knows what Anna drinks."""
    return workspace_with(_tea)


def places(workspace: Workspace) -> dict[str, list[int | None]]:
    return {card.id: [run.place for run in card.runs] for card in list_cards(workspace)}


def test_a_card_is_asked_when_it_is_added(known: Workspace) -> None:
    asked = add_card(known, QUESTION, "people/anna-001")

    assert (asked.card.fact, asked.run.place) == ("people/anna-001", 1)
    assert places(known) == {"card-1": [1]}


@pytest.mark.parametrize("words", ["2026-05-01", "utf-8", "covid-19"])
def test_what_only_looks_like_a_short_id_is_words(known: Workspace, words: str) -> None:
    known.submit("write", {"entity": "people/anna", "text": f"Anna noted {words} for the report"})

    card = add_card(known, "what did Anna note for the report", words).card

    assert (card.fact, card.words, card.runs[0].place) == (None, words, 1)


def test_an_id_of_no_fact_is_refused_and_a_short_one_is_kept_in_full(known: Workspace) -> None:
    for unknown in ("people/anna-007", "people/anna-7", "anna-007"):
        with pytest.raises(UnknownFactError):
            add_card(known, QUESTION, unknown)
    assert add_card(known, QUESTION, "anna-001").card.fact == "people/anna-001"


def test_a_trial_keeps_nothing(known: Workspace) -> None:
    add_card(known, QUESTION, "green tea", dry_run=True)

    assert list_cards(known) == ()
    assert not known.paths.cards.exists()


def test_doctor_says_which_card_is_found_no_more(known: Workspace) -> None:
    add_card(known, QUESTION, "green tea")
    add_card(known, "where does Anna live", "Riga")

    missed = [one for one in examine_workspace(known) if one.code == "card-missed"]

    assert [(one.level, one.message) for one in missed] == [
        ("warning", "card-2 expects Riga: it is not among the hits")
    ]
    assert places(known) == {"card-1": [1], "card-2": [None]}


def test_a_newer_version_of_the_fact_counts(known: Workspace) -> None:
    add_card(known, QUESTION, "people/anna-001")
    known.submit("correct", {"id": "people/anna-001", "text": "Anna drinks black tea"})

    assert [one.run.place for one in run_cards(known)] == [1]


def test_asking_counts_as_no_use(known: Workspace) -> None:
    add_card(known, QUESTION, "green tea")

    assert list(known.answers.accesses.rows()) == []


def test_there_are_five_at_most(known: Workspace) -> None:
    cards = tuple(Card(id=f"card-{number}", question="x", words="y", added=NOW.date()) for number in range(1, 6))
    write_cards(known.paths, Cards(cards=cards))

    with pytest.raises(RefusedError):
        add_card(known, QUESTION, "tea")
    remove_card(known, "card-3")
    assert [card.id for card in list_cards(known)] == ["card-1", "card-2", "card-4", "card-5"]


def test_secrets_reach_no_card(known: Workspace) -> None:
    asked = add_card(known, "what is the password: hunter2-Xy9!", "tea")

    assert "hunter2" not in asked.card.question
    assert b"hunter2" not in known.paths.cards.read_bytes()


def test_what_is_forgotten_takes_its_card_with_it(known: Workspace) -> None:
    add_card(known, QUESTION, "green tea")
    add_card(known, "where does Boris live", "Riga")
    forgetting = Forgetting(known)

    receipt = forgetting.run(forgetting.plan(ForgetQuery(fact="people/anna-001")), "she asked")

    assert [card.id for card in list_cards(known)] == ["card-2"]
    assert ".engram/cards.json" in receipt.files
    assert receipt.left == ()


def test_cards_that_do_not_read_are_a_finding(known: Workspace) -> None:
    known.paths.cards.write_text("[")

    assert [one.code for one in examine_workspace(known) if one.path == ".engram/cards.json"] == ["cards-damaged"]


def test_the_command_line(known: Workspace, engram: Engram) -> None:
    added = engram("card", "add", QUESTION, "--expect", "green tea", "--json").json
    listed = engram("card", "list", "--json").json["cards"]

    assert (added["id"], added["place"], added["found"], added["status"]) == ("card-1", 1, True, "done")
    assert [(one["id"], one["words"], one["trend"]) for one in listed] == [("card-1", "green tea", "1")]
    assert "green tea  1       20" in engram("card", "list").out
    assert engram("card", "run").out == "card-1: found at place 1\n"
    assert engram("card", "remove", "card-1", "--dry-run").out.startswith("nothing is changed")
    assert engram("card", "remove", "card-1").out == f"removed card-1: {QUESTION}\n"
