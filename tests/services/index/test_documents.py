"""What of a fact, a turn and an entry of a note is searched, and what of it may be served."""

import datetime as dt
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from engram.model.changes.change import Change
from engram.model.changes.change import FactRecorded
from engram.model.changes.change import FactRetracted
from engram.model.changes.change import FactSuperseded
from engram.model.changes.change import TurnCaptured
from engram.model.changes.record import Record
from engram.model.conversation import NoteEntry
from engram.model.conversation import Turn
from engram.services.index.documents import documents_of
from engram.services.index.documents import fact_document
from engram.services.index.documents import note_document
from engram.services.index.documents import turn_document
from tests.making import DAY0
from tests.making import NOW
from tests.making import make_fact

TOKYO = ZoneInfo("Asia/Tokyo")
TURN = Turn(id="turn/1", session="demo", ref="m1", speaker="Anna", at=DAY0, text="Tea, please", ordinal=0)
NOTE = NoteEntry(
    id="note/1", path="memory/main/main/2026-02-24.md", heading=("Tuesday", "Decisions"), text="- Use tea\n  always",
    sha256="0" * 64, start=10, end=30, line=12, on="2026-02-24", session="main",
)  # fmt: skip
SUPERSEDED = FactSuperseded(id="people/anna-001", by="people/anna-002", at=NOW, valid_to=NOW, was_wrong=False)
RETRACTED = FactRetracted(id="people/anna-001", at=NOW, reason="wrong", actor="user")


def make_record(*changes: Change, position: int = 1) -> Record:
    result = {"command_id": f"c{position}", "kind": "write", "status": "done"}
    decision = {"actor": "user", "asked_at": NOW, "result": result, "changes": changes}
    return Record.model_validate({"position": position, "previous": "0" * 64, "at": NOW, "decisions": [decision]})


def test_a_fact_is_searched_by_its_entity_its_slot_its_tags_and_its_day() -> None:
    fact = make_fact(attribute="favourite_drink", value="tea", tags=("kitchen",), entity="people/anna-smith")

    document = fact_document(fact)

    assert document.text == "Anna prefers tea"
    for words in ("anna-smith", "Anna prefers tea", "favourite drink: tea", "kitchen", "1 March 2026", "2026-03-01"):
        assert words in document.indexed_text
    assert (document.kind, document.entity, document.at) == ("fact", "people/anna-smith", DAY0)


def test_a_day_is_a_day_of_the_workspaces_zone() -> None:
    assert "2026-03-02" in fact_document(make_fact(), TOKYO).indexed_text
    assert "2 March 2026" in turn_document(TURN, TOKYO).indexed_text
    assert note_document(NOTE, TOKYO).at == dt.datetime(2026, 2, 23, 15, tzinfo=dt.UTC)
    assert "24 February 2026" in note_document(NOTE, TOKYO).indexed_text


def test_a_russian_text_is_also_searched_by_its_day_in_russian() -> None:
    assert "1 марта 2026" in fact_document(make_fact(text="Анна любит чай")).indexed_text
    assert "марта" not in fact_document(make_fact()).indexed_text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I saw her yesterday", "28 February 2026"),
        ("We moved last month, and next year again", "February 2026 2027"),
        ("last week, this week", "February 2026"),
        ("Вчера и в прошлом году", "28 February 2026 2025 28 февраля 2026"),
        ("昨天见面", "28 February 2026"),
        ("어제 만났다", "28 February 2026"),
        ("today, and on 2026-02-28", ""),  # that is there already
    ],
)
def test_a_turn_is_also_searched_by_the_days_that_its_words_mean(text: str, words: str) -> None:
    plain = turn_document(TURN.model_copy(update={"text": text, "at": None})).indexed_text
    dated = turn_document(TURN.model_copy(update={"text": text})).indexed_text

    assert dated.partition(plain)[2].strip() == words


def test_a_note_entry_is_also_searched_by_the_days_that_its_words_mean() -> None:
    document = note_document(NOTE.model_copy(update={"text": "- decided yesterday"}))

    assert "23 February 2026" in document.indexed_text
    assert document.text == "- decided yesterday"


def test_a_note_entry_is_searched_by_its_headings_and_shown_with_its_place() -> None:
    document = note_document(NOTE)

    assert "Tuesday > Decisions" in document.indexed_text
    assert (document.text, document.path, document.lines) == (NOTE.text, NOTE.path, "12-13")
    assert (document.session, document.trust) == ("main", "unverified")


def test_a_turn_is_shown_with_its_speaker_and_keeps_the_id_it_came_with() -> None:
    document = turn_document(TURN)

    assert document.text == "Anna: Tea, please"
    assert (document.ref, document.session, document.trust) == ("m1", "demo", "unverified")


def test_a_turn_without_speaker_and_time_is_just_its_text() -> None:
    assert turn_document(TURN.model_copy(update={"speaker": None, "at": None})).indexed_text == "Tea, please"


@pytest.mark.parametrize("fields", [{"status": "pending"}, {"trust": "quarantined"}, {"status": "retracted"}])
def test_what_must_not_be_served_is_not_live(fields: dict[str, Any]) -> None:
    assert not fact_document(make_fact(**fields)).live
    assert fact_document(make_fact()).live


@pytest.mark.parametrize(
    ("speaker", "is_program"),
    [
        ("assistant", True), ("AI", True), (" Claude ", True), ("ChatGPT", True), ("tool", True), ("System", True),
        ("Anna", False), ("user", False), ("Claudette", False), ("Modelo", False), ("", False), (None, False),
    ],
)  # fmt: skip
def test_what_a_program_said_is_known_by_its_speaker(speaker: str | None, *, is_program: bool) -> None:
    assert turn_document(TURN.model_copy(update={"speaker": speaker})).by_assistant is is_program


def test_a_turn_keeps_its_place_and_what_is_no_turn_has_none() -> None:
    assert turn_document(TURN.model_copy(update={"ordinal": 7})).ordinal == 7
    assert (note_document(NOTE).ordinal, fact_document(make_fact()).ordinal) == (None, None)


@pytest.mark.parametrize(
    ("text", "words_only"), [("2026-02-24 10:15:30 ERROR no tea", True), ("We are out of tea", False)]
)
def test_what_a_program_wrote_is_for_words_only(text: str, *, words_only: bool) -> None:
    assert turn_document(TURN.model_copy(update={"text": text})).words_only is words_only
    assert note_document(NOTE.model_copy(update={"text": text})).words_only is words_only


def test_a_quarantined_turn_is_not_live() -> None:
    assert not turn_document(TURN.model_copy(update={"trust": "quarantined"})).live


def test_a_record_gives_documents_and_what_it_retires() -> None:
    indexed = documents_of(make_record(FactRecorded(fact=make_fact(2)), SUPERSEDED, TurnCaptured(turn=TURN)))

    assert [document.id for document in indexed.documents] == ["people/anna-002", "turn/1"]
    assert indexed.dead == ("people/anna-001",)
