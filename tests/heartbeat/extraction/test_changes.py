"""Changes of what is known are kept, whatever a judge thinks they are worth by themselves."""

from collections.abc import Sequence
from typing import Any

from engram.heartbeat.extraction.batches import Batch
from engram.heartbeat.extraction.missed.changes import find_missed_changes
from engram.model.changes.state import State
from engram.model.conversation import NoteEntry
from engram.model.conversation import Session
from engram.model.conversation import Turn
from engram.model.fact import Fact
from engram.model.handoff import HandoffFact
from tests.making import NOW
from tests.making import make_entity
from tests.making import make_fact

OLD, NEW = "The staging server runs on port 7350", "staging now runs on 8200"
HARBOUR = "projects/harbour"


def turn(text: str, session: str = "second", speaker: str = "user", place: int = 0) -> Turn:
    return Turn(id=f"turn/{place}", session=session, speaker=speaker, text=text, ordinal=place, at=NOW)


def known(text: str = OLD, session: str = "first", **fields: Any) -> Fact:
    source = {"actor": "user", "session": session, "turn": "turn/9"}
    return make_fact(1, text, entity=HARBOUR, source=source, **fields)


def missed(
    *rows: Turn | NoteEntry, facts: Sequence[HandoffFact] = (), store: Sequence[Fact] = (), project: str = HARBOUR
) -> list[tuple[str, str]]:
    """Return the facts that are added to those of a batch, in a store of two sessions held about one project."""
    state = State()
    state.put_entity(make_entity(HARBOUR, "Harbour"))
    for fact in store:
        state.put_fact(fact)
    for name, about in (("first", HARBOUR), ("second", project)):
        state.sessions[name] = Session(name=name, created_at=NOW, project=about)
    notes, turns = [row for row in rows if isinstance(row, NoteEntry)], [row for row in rows if isinstance(row, Turn)]
    found = find_missed_changes(Batch(notes, turns, []), facts, lambda _: state)
    return [(fact.entity, fact.fact) for fact in found if fact not in facts]


def test_a_change_of_a_known_fact_is_kept_for_whom_the_fact_is_about() -> None:
    assert missed(turn(f"Good morning. {NEW.capitalize()}."), store=[known()]) == [(HARBOUR, f"{NEW.capitalize()}.")]


def test_a_change_of_what_stands_in_the_same_batch_is_kept() -> None:
    said = turn(OLD, session="second", place=0)
    fact = HandoffFact(entity=HARBOUR, fact=OLD, quote=OLD, entry=said.id)

    assert missed(said, turn(NEW, place=1), facts=[fact]) == [(HARBOUR, NEW)]


def test_what_became_a_fact_is_not_kept_twice() -> None:
    fact = HandoffFact(entity="people/mara", fact=NEW, quote=NEW, entry="turn/0")

    assert missed(turn(NEW), facts=[fact], store=[known()]) == []


def test_another_project_a_program_and_what_nobody_knows_change_nothing() -> None:
    assert missed(turn(NEW), store=[known()], project="projects/other") == []
    assert missed(turn(NEW, speaker="assistant"), store=[known()]) == []
    assert missed(turn(NEW), store=[]) == []
    assert missed(turn(NEW), store=[known(status="retracted")]) == []


def test_a_statement_that_tells_of_no_change_is_left_to_the_judge() -> None:
    assert missed(turn(OLD.replace("7350", "8200")), store=[known()]) == []


def test_of_a_note_the_thing_has_to_be_named() -> None:
    entry = NoteEntry(
        id="note/1", path="memory/main/main/2026-03-02.md", heading=(), text=f"- {NEW}", sha256="0" * 64,
        start=0, end=9, line=1, on="2026-03-02", session="second", scope="shared", actor="agent",
    )  # fmt: skip
    named = entry.model_copy(update={"text": "- The port of Lantern is now 9090"})

    assert missed(entry, store=[known()]) == []
    assert missed(named, store=[known("The port of Lantern is 8080")]) == [(HARBOUR, "The port of Lantern is now 9090")]
