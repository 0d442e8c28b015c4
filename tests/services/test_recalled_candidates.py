"""What recall makes of candidates: like a note, marked, below what is known."""

import pytest

from engram.services.recall.presentation.render import answer_text
from engram.services.recall.query import RecallQuery
from engram.workspace import Workspace
from tests.services.test_recall import Memory

LIMIT = "The upload limit of Billing is 64 MB"
QUESTION = "what is the upload limit of billing"


@pytest.fixture
def memory(workspace: Workspace) -> Memory:
    return Memory(workspace)


@pytest.mark.parametrize("indexed", [True, False])
def test_a_candidate_is_found_and_marked(memory: Memory, *, indexed: bool) -> None:
    waiting = memory.write(LIMIT, "projects/billing", candidate=True)

    with memory.open(indexed=indexed) as recall:
        answer = recall.answer(RecallQuery(query=QUESTION))

    (hit,) = answer.hits
    assert (hit.id, hit.kind, hit.tier) == (waiting, "candidate", None)
    assert f"1. {waiting}  (trusted, candidate, not confirmed, " in answer_text(answer)


def test_a_fact_stands_above_a_candidate_in_as_good_words(memory: Memory) -> None:
    waiting = memory.write(LIMIT, "projects/billing", candidate=True)
    known = memory.write("The upload limit of Billing is 32 MB", "projects/billing")

    assert [hit.id for hit in memory.ask(QUESTION).hits] == [known, waiting]


def test_neither_the_facts_alone_nor_the_past_hold_a_candidate(memory: Memory) -> None:
    memory.write(LIMIT, "projects/billing", candidate=True)

    assert memory.texts(QUESTION, space="notes") == []
    assert memory.texts(QUESTION, as_of="2027-01-01T00:00:00Z") == []


def test_what_is_believed_meanwhile_is_a_fact_and_what_was_rejected_is_gone(memory: Memory) -> None:
    waiting = memory.write(LIMIT, "projects/billing", candidate=True)
    memory.ask(QUESTION)
    memory.workspace.submit("confirm", {"id": waiting})
    assert [hit.kind for hit in memory.ask(QUESTION).hits] == ["fact"]

    other = memory.write("The retry limit of Billing is 5", "projects/billing", candidate=True)
    memory.say("The retry limit of Billing is 5")
    memory.workspace.submit("retract", {"id": other, "reason": "of no use"})

    # The raw text stays: that it is not worth a fact does not make it wrong.
    assert [hit.kind for hit in memory.ask("what is the retry limit").hits if "retry" in hit.text] == ["turn"]


def test_a_candidate_of_a_silo_is_for_that_silo(memory: Memory) -> None:
    memory.say("Good morning", session="family")
    memory.write(LIMIT, "projects/billing", candidate=True, scope="session:family")

    assert memory.texts(QUESTION) == []
    assert memory.texts(QUESTION, session="family") == [LIMIT]


def test_a_candidate_in_quarantine_is_not_brought(memory: Memory) -> None:
    memory.write(LIMIT, "projects/billing", candidate=True, trust="quarantined")

    assert memory.texts(QUESTION) == []
