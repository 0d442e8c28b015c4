"""What says that a promise is kept is kept itself, whatever a judge thinks it is worth."""

from collections.abc import Sequence
from typing import Any

from engram.heartbeat.extraction.batches import Batch
from engram.heartbeat.extraction.missed.kept_promises import find_kept_promises
from engram.model.conversation import NoteEntry
from engram.model.conversation import Turn
from engram.model.fact import Fact
from engram.model.handoff import HandoffFact
from tests.cases import for_each
from tests.making import NOW
from tests.making import make_fact

PROMISE, DONE = "I'll order the disk by the end of May", "Ordered the disk today"
HARBOUR = "projects/harbour"


def turn(text: str, speaker: str = "user") -> Turn:
    return Turn(id="turn/0", session="second", speaker=speaker, text=text, ordinal=0, at=NOW)


def owed(number: int = 1, entity: str = HARBOUR, **fields: Any) -> Fact:
    return make_fact(number, PROMISE, entity=entity, category="commitment", valid_to=NOW, **fields)


def found(row: Turn | NoteEntry, facts: Sequence[HandoffFact] = (), known: Sequence[Fact] = ()) -> list[HandoffFact]:
    notes, turns = ([row], []) if isinstance(row, NoteEntry) else ([], [row])
    return find_kept_promises(Batch(notes, turns, []), facts, known)


@for_each("said", [DONE, f"- [x] {DONE}", f"Long day.\n- done: {DONE.lower()}\n"])
def test_what_says_that_a_promise_is_kept_is_kept_for_whom_the_promise_is_about(said: str) -> None:
    kept = found(turn(said), known=[owed()])

    assert [(one.entity, one.category, one.quote in said) for one in kept] == [(HARBOUR, "milestone", True)]


@for_each(
    "said", [f"- [ ] {DONE}", f"~~{DONE}~~", "Ordered the wrong disk today", "Ordered the disk?", "Read the mail"]
)
def test_what_does_not_say_so_is_left_to_the_judge(said: str) -> None:
    assert found(turn(said), known=[owed()]) == []


def test_nothing_is_kept_without_a_promise_that_is_due_nor_of_two_who_promised_the_same() -> None:
    habit = make_fact(1, "I'll order the disk", entity=HARBOUR, category="commitment")

    assert found(turn(DONE)) == found(turn(DONE), known=[habit]) == []
    assert found(turn(DONE, speaker="assistant"), known=[owed()]) == []
    assert found(turn(DONE), known=[owed(), owed(2, "people/anna")]) == []


def test_what_waits_is_believed_and_not_kept_twice() -> None:
    waits = HandoffFact(entity=HARBOUR, fact=DONE, quote=DONE, entry="turn/0", candidate=True)

    assert found(turn(DONE), [waits], [owed()]) == [waits.model_copy(update={"candidate": False})]


def test_a_promise_of_the_same_batch_may_be_kept_in_it() -> None:
    said = turn(f"{PROMISE}. {DONE}.")
    promise = HandoffFact(entity=HARBOUR, fact=PROMISE, category="commitment", quote=PROMISE, entry="turn/0")

    assert [one.fact for one in found(said, [promise])] == [PROMISE, f"{DONE}."]
