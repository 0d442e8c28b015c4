"""Corrections in notes and conversations: what they mean is superseded, in the same batch and in a later one."""

from collections.abc import Sequence
from typing import Any

import pytest

from engram.heartbeat.child import child_answer
from engram.heartbeat.child.limited_process import ENDED
from engram.heartbeat.child.limited_process import Ending
from engram.heartbeat.extraction.batches import Batch
from engram.heartbeat.extraction.missed.corrections import find_missed
from engram.heartbeat.extraction.missed.corrections import said_as
from engram.heartbeat.run.options import RunOptions
from engram.heartbeat.run.runner import run_heartbeat
from engram.model.conversation import Turn
from engram.model.fact import Category
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.handoff import Handoff
from engram.model.handoff import HandoffFact
from engram.model.handoff import HandoffStatus
from engram.ports.database import FactFilter
from engram.rules.handoff.handoff import render_handoff
from engram.workspace import Workspace
from tests.cases import for_each
from tests.heartbeat.notes import put_note
from tests.making import NOW

REVIEW = HandoffFact(entity="projects/parser", fact="The review is on Tuesday", quote="The review is on Tuesday")
LIMIT = HandoffFact(entity="projects/parser", fact="The upload limit is 32 MB", quote="The upload limit is 32 MB")


def turn(place: int, text: str, speaker: str = "user", session: str = "talk") -> Turn:
    return Turn(id=f"turn/{place}", session=session, speaker=speaker, text=text, ordinal=place, at=NOW)


def missed(*turns: Turn, facts: Sequence[HandoffFact] = (REVIEW, LIMIT)) -> list[tuple[str, str]]:
    placed = [fact.model_copy(update={"entry": one.id}) for one in turns for fact in facts if fact.quote in one.text]
    found = find_missed(Batch([], list(turns), []), placed, [])
    return [(fact.entity, fact.fact) for fact in found if fact not in placed]


@for_each(
    ("text", "quote", "said"),
    [
        ("no wait, the limit is 64, says Ann", "the limit is 64", "no wait, the limit is 64, says Ann"),
        ("No. The limit is 64.", "The limit is 64", "No. The limit is 64."),
        ("Стоп, не так. Встреча в четверг.", "Встреча в четверг", "Стоп, не так. Встреча в четверг."),
        ("- **not Tuesday** but Thursday", "not Tuesday** but Thursday", "not Tuesday but Thursday"),
        ("The limit is 64.", "The limit is 64", ""),
        ("We need a cat. The limit is 64.", "The limit is 64", ""),
        ("No. We need a cat. The limit is 64.", "The limit is 64", ""),
    ],
)  # fmt: skip
def test_how_a_statement_was_said_is_known(text: str, quote: str, said: str) -> None:
    assert said_as(text, quote) == said


def test_a_bare_correction_of_what_was_said_before_it_is_not_missed() -> None:
    assert missed(turn(0, "The review is on Tuesday"), turn(1, "no, I meant Thursday")) == [
        ("projects/parser", "no, I meant Thursday")
    ]
    assert missed(turn(0, "The review is on Tuesday. No wait, Thursday.")) == [
        ("projects/parser", "No wait, Thursday.")
    ]


def test_what_is_put_right_by_the_way_is_not_missed_when_it_says_of_what() -> None:
    move = HandoffFact(entity="people/jen", fact="Jen moves to Porto in January", quote="Jen moves to Porto in January")
    put_off = "actually Jen's move got pushed to February"

    said = (turn(0, "Jen moves to Porto in January"), turn(1, "The review is on Tuesday"), turn(2, put_off))
    assert missed(*said, facts=(move, REVIEW)) == [("people/jen", put_off)]
    later = turn(1, "Actually the trip of Omar got pushed to February")
    assert missed(said[0], later, facts=(move,)) == []


def test_what_corrects_nothing_is_left_in_its_text() -> None:
    assert missed(turn(0, "The review is on Tuesday"), turn(1, "No, thanks. Actually, it rains.")) == []
    assert missed(turn(0, "no, I meant Thursday"), turn(1, "The review is on Tuesday")) == []


def test_another_conversation_and_a_program_correct_nothing() -> None:
    said = turn(0, "The review is on Tuesday")

    assert missed(said, turn(1, "no, I meant Thursday", session="other")) == []
    assert missed(said, turn(1, "no, I meant Thursday", speaker="assistant")) == []


def test_what_a_speaker_says_of_themselves_is_not_missed_as_a_correction_of_another_one() -> None:
    born = HandoffFact(entity="people/ann", fact="My birthday is on 3 May", quote="My birthday is on 3 May")
    ann = turn(0, "My birthday is on 3 May", "Ann")

    assert missed(ann, turn(1, "No, my birthday is on 5 May", "Bob"), facts=[born]) == []
    assert missed(ann, turn(1, "No, the birthday is on 5 May", "Bob"), facts=[born]) != []


def test_what_became_a_fact_is_not_taken_twice() -> None:
    right = HandoffFact(entity="projects/parser", fact="The review is on Thursday", quote="the review is on Thursday")

    turns = (turn(0, "The review is on Tuesday"), turn(1, "no, the review is on Thursday"))
    assert missed(*turns, facts=(REVIEW, right)) == []


class Agent:
    """An agent in the test's own process that makes a fact of each statement that it knows."""

    def __init__(self, *facts: HandoffFact) -> None:
        self.facts = facts

    def __call__(self, command: Sequence[str], prompt: str, *_: object, **__: object) -> Ending:
        known = [fact for fact in self.facts if fact.quote in prompt]
        handoff = Handoff(status=HandoffStatus.OK, summary="read", facts=tuple(known))
        return Ending(ENDED, render_handoff(handoff, "HB-EXTRACT"), "", 0)


def read(workspace: Workspace, monkeypatch: pytest.MonkeyPatch, *facts: HandoffFact) -> None:
    monkeypatch.setattr(child_answer, "run_limited", Agent(*facts))
    (phase,) = run_heartbeat(workspace, RunOptions(phases=("extraction",), agent_command=("some-agent",))).phases
    assert phase.status in {"ok", "succeeded", "warning"}


def capture(workspace: Workspace, *texts: str, session: str = "talk", **more: Any) -> None:
    turns = [{"id": f"{session}{len(text)}", "session": session, "text": text, **more} for text in texts]
    workspace.submit("capture", {"session": session, "turns": turns})


def held(workspace: Workspace) -> dict[str, str]:
    with workspace.reading() as database:
        facts: list[Fact] = database.list_facts(FactFilter())
    return {fact.text: fact.entity for fact in facts if fact.status == Status.ACTIVE}


def test_a_statement_of_the_same_batch_is_corrected(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    capture(workspace, "The review is on Tuesday", "no, I meant Thursday")
    read(workspace, monkeypatch, REVIEW)

    assert held(workspace) == {"The review is on Thursday": "projects/parser"}


def test_a_statement_of_an_earlier_batch_is_corrected_by_one_about_somebody_else(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    capture(workspace, "The review is on Tuesday")
    read(workspace, monkeypatch, REVIEW)
    capture(workspace, "No wait, I meant the review is on Thursday, Anna told me")
    about_anna = HandoffFact(
        entity="people/anna", fact="The review is on Thursday, Anna told me", quote="the review is on Thursday"
    )
    read(workspace, monkeypatch, about_anna)

    assert held(workspace) == {"The review is on Thursday, Anna told me": "projects/parser"}


def test_an_old_conversation_corrects_one_that_is_older_still_and_was_read_before(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = HandoffFact(
        entity="projects/parser", fact="We keep backups for 30 days", quote="We keep backups for 30 days"
    )
    now = "we keep backups for 60 days, not 30"
    right = HandoffFact(entity="projects/parser", fact=now, quote=now, category=Category.CORRECTION)
    capture(workspace, kept.fact, session="first", at="2026-02-20T10:00:00Z")
    read(workspace, monkeypatch, kept)  # what is said in it is recorded long after both were said
    capture(workspace, f"No, actually {now}", session="second", at="2026-02-25T10:00:00Z")
    read(workspace, monkeypatch, right)

    assert held(workspace) == {"We keep backups for 60 days": "projects/parser"}


def test_conversations_are_read_in_the_order_of_their_days_whatever_they_are_called(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = "Correction: the upload limit is 64 MB, not 32 MB"
    fact = HandoffFact(entity="projects/parser", fact=right, quote=right, category=Category.CORRECTION)
    capture(workspace, right, session="a", at="2026-02-25T10:00:00Z")
    capture(workspace, LIMIT.quote, session="b", at="2026-02-20T10:00:00Z")

    read(workspace, monkeypatch, fact, LIMIT)

    assert held(workspace) == {"The upload limit is 64 MB": "projects/parser"}


def test_a_note_corrects_itself(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    put_note(workspace, "main/main/2026-03-01.md", "# Day\n\n- The upload limit is 32 MB\n- no wait, it is 64\n")
    put_note(workspace, "main/main/2026-03-02.md", "# Day\n\n- no wait, it is 128\n")
    read(workspace, monkeypatch, LIMIT)

    assert held(workspace) == {"The upload limit is 64 MB": "projects/parser"}


def test_words_of_somebody_who_is_not_trusted_correct_nothing(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    capture(workspace, "The review is on Tuesday", trust="trusted")
    capture(workspace, "no, I meant Thursday", trust="unverified")
    read(workspace, monkeypatch, REVIEW)

    assert "The review is on Tuesday" in held(workspace)


LEDGER = HandoffFact(entity="projects/ledger", fact="The ledger uses MySQL 8", quote="The ledger uses MySQL 8")
DUTY = HandoffFact(entity="projects/parser", fact="Anna hands it to Boris", quote="Anna hands it to Boris")


def test_a_bare_name_right_behind_a_statement_takes_the_place_of_the_only_one_there(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    capture(workspace, "The ledger uses MySQL 8", "no, it's Postgres")
    read(workspace, monkeypatch, LEDGER)

    assert held(workspace) == {"The ledger uses Postgres": "projects/ledger"}


def test_also_whom_a_statement_is_about_may_be_wrong(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    about = HandoffFact(entity="people/anna", fact="Anna gives the talk", quote="Anna gives the talk")
    capture(workspace, "Anna gives the talk", "no, it's Boris")
    read(workspace, monkeypatch, about)

    assert held(workspace) == {"Boris gives the talk": "people/anna"}


def test_of_two_names_a_person_says_which_one_is_meant(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    capture(workspace, "Anna hands it to Boris", "no, it's Maria")
    read(workspace, monkeypatch, DUTY)

    assert held(workspace).keys() == {"Anna hands it to Boris", "Anna hands it to Maria"}
    with workspace.reading() as database:
        [tension] = database.list_tensions()
    assert "Maria" in tension.text


def test_a_bare_name_long_after_a_statement_corrects_nothing(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    capture(workspace, "The ledger uses MySQL 8", "The cat sleeps", "no, it's Postgres")
    read(workspace, monkeypatch, LEDGER)

    assert held(workspace) == {"The ledger uses MySQL 8": "projects/ledger"}
