"""What is asked for often waits in the review as a line of MEMORY.md, and of everything else it is said why not."""

import datetime as dt
from typing import Any

import pytest

from engram.heartbeat.intake.observations import apply_suggestions
from engram.heartbeat.intake.used_facts import propose_used
from engram.model.document import Hit
from engram.model.fact import Actor
from engram.operations.pages.review_items import review_items
from engram.operations.promotion import explain_promotion
from engram.operations.review import settle
from engram.operations.use_count import fold_accesses
from engram.services.commands.access_counts import RecallReceipt
from engram.services.synthesis import patterns
from engram.services.synthesis import promotion
from engram.workspace import Workspace
from tests.conftest import Engram
from tests.making import NOW

FACT = "projects/billing-001"
QUESTIONS = ("What does billing run on?", "Which database has billing?", "Where do invoices lie?")


@pytest.fixture
def known(workspace: Workspace) -> Workspace:
    done = workspace.submit(
        "write", {"entity": "projects/billing", "text": "Billing runs on PostgreSQL 16", "create": True}
    )
    assert done.id == FACT
    return workspace


def ask(workspace: Workspace, question: str, days_ago: int, fact_id: str = FACT) -> None:
    hit = Hit.model_validate({"id": fact_id, "kind": "fact", "text": "Billing runs on PostgreSQL 16", "score": 1.0})
    workspace.now = lambda: NOW - dt.timedelta(days=days_ago)
    workspace.answers.note([RecallReceipt([hit], 10, question)])
    workspace.now = lambda: NOW


def ask_enough(workspace: Workspace, fact_id: str = FACT) -> None:
    for number in range(6):
        ask(workspace, QUESTIONS[number % 3], number % 3, fact_id)


def proposals(workspace: Workspace) -> list[dict[str, Any]]:
    return [one for one in review_items(workspace, None).items if one["kind"] == "observation"]


def test_what_is_asked_often_enough_waits_in_the_review_with_why(known: Workspace, engram: Engram) -> None:
    ask_enough(known)
    fold_accesses(known)

    assert propose_used(known, phase="maintenance") == 1

    (waiting,) = proposals(known)
    assert waiting["suggestion"]["target"] == "memory"
    assert waiting["why_promoted"] == "it was asked for 6 times, by 3 different questions, on 3 days"
    assert "why promoted: it was asked for 6 times" in engram("review", "next").out
    assert not known.paths.self_file.exists() or "PostgreSQL" not in known.paths.self_file.read_text()


def test_it_is_put_forward_once_and_not_again_after_it_was_dismissed(known: Workspace) -> None:
    ask_enough(known)
    fold_accesses(known)
    propose_used(known, phase="maintenance")
    settle(known, {"id": "observation-0001", "outcome": "dismiss"}, actor=Actor.USER)
    before = known.journal.head()
    ask_enough(known)

    assert propose_used(known, phase="maintenance") == 0
    assert (known.journal.head(), proposals(known)) == (before, [])


@pytest.mark.parametrize("left_out", [0, 1, 2])
def test_too_few_times_questions_or_days_are_not_enough_and_why_says_so(known: Workspace, left_out: int) -> None:
    for number in range(6):
        if left_out or number:
            question = QUESTIONS[0] if left_out == 1 else QUESTIONS[number % 3]
            ask(known, question, 0 if left_out == 2 else number % 3)
    fold_accesses(known)

    assert propose_used(known, phase="maintenance") == 0

    found = explain_promotion(known, FACT)["by_use"]
    assert (
        found["said"]
        == [
            "asked for 5 times of 6, by 3 different questions of 3, on 3 days of 3",
            "asked for 6 times of 6, by 1 different question of 3, on 3 days of 3",
            "asked for 6 times of 6, by 3 different questions of 3, on 1 day of 3",
        ][left_out]
    )


def test_what_is_private_disputed_or_of_nobody_knows_whom_is_not_put_forward(known: Workspace) -> None:
    known.submit("session-add", {"name": "kept", "kind": "personal"})
    told = [
        known.submit("write", {"entity": "projects/billing", "text": "Anna pays late", "scope": "session:kept"}),
        known.submit("write", {"entity": "projects/billing", "text": "Billing is slow", "source": {"actor": "tool"}}),
    ]
    for one in told:
        ask_enough(known, one.id or "")
    fold_accesses(known)

    assert propose_used(known, phase="maintenance") == 0
    assert [explain_promotion(known, one.id or "")["against"] for one in told] == [
        ["it is private to session kept"],
        ["nobody vouches for whose words it is"],
    ]


def test_an_old_fact_of_something_much_is_known_of_was_said_too(
    known: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (patterns, promotion):
        monkeypatch.setattr(module, "MOST_FACTS", 2)
    for text in ("Billing is written in Rust", "Invoices lie in Riga"):
        known.submit("write", {"entity": "projects/billing", "text": text})

    assert explain_promotion(known, FACT)["by_repetition"]["has"] == 1


def test_the_setting_that_applies_proposals_applies_none_by_use(known: Workspace) -> None:
    ask_enough(known)
    fold_accesses(known)
    propose_used(known, phase="maintenance")

    assert apply_suggestions(known) == (0, [])
    assert len(proposals(known)) == 1


def test_questions_are_kept_as_hashes_and_another_order_is_the_same_question(known: Workspace) -> None:
    ask(known, "What does billing run on?", 0)
    ask(known, "billing runs on what", 0)

    first, second = known.answers.accesses.rows()

    assert first["asks"] == second["asks"]
    assert first["question"] != second["question"]
    assert "billing" not in str([first["asks"], first["question"]])


def test_why_promotion_tells_of_use_of_repetition_and_of_what_is_in_the_way(known: Workspace, engram: Engram) -> None:
    ask(known, QUESTIONS[0], 0)

    told = engram("why", FACT, "--promotion", "--now", "2026-03-02T12:00:00Z").out

    assert "by use: asked for 1 time of 6, by 1 different question of 3, on 1 day of 3, in the last 90 days" in told
    assert "by repetition: said on 1 occasion of 3 to be a pattern" in told
    assert "not enough of either yet" in told
    assert engram("why", FACT, "--promotion", "--json").json["by_repetition"]["has"] == 1
