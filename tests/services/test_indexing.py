"""From the journal to the index: what is searched, what stops being live, and how far a catch-up gets."""

import datetime as dt
import itertools
from collections.abc import Iterator
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from typing import NamedTuple
from zoneinfo import ZoneInfo

import pytest

from engram.base.text import sha256_hex
from engram.errors import DegradedIndexError
from engram.model.change import GENESIS
from engram.model.change import Change
from engram.model.change import FactRecorded
from engram.model.change import FactRetracted
from engram.model.change import FactSuperseded
from engram.model.change import NoteRecorded
from engram.model.change import Record
from engram.model.change import TurnCaptured
from engram.model.conversation import NoteEntry
from engram.model.conversation import Turn
from engram.model.document import Document
from engram.ports.index import SearchFilter
from engram.services.indexing import Lag
from engram.services.indexing import catch_up
from engram.services.indexing import documents_of
from engram.services.indexing import fact_document
from engram.services.indexing import note_document
from engram.services.indexing import turn_document
from engram.store.edge_index import EdgeVectorIndex
from engram.store.journal import FileJournal
from engram.workspace import Workspace
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


# --- documents -------------------------------------------------------------------------------------------------


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
    assert (document.session, document.trust) == ("main", "trusted")


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


# --- catching up -----------------------------------------------------------------------------------------------


class ListJournal:
    """Records in memory."""

    def __init__(self, *batches: tuple[Change, ...]) -> None:
        self.records: list[Record] = []
        for place, changes in enumerate(batches, 1):
            self.records.append(make_record(*changes, position=place).model_copy(update={"previous": self.head()[1]}))

    def head(self) -> tuple[int, str]:
        return len(self.records), sha256_hex(self.encode(self.records[-1])) if self.records else GENESIS

    def encode(self, record: Record) -> bytes:
        return record.model_dump_json().encode()

    def append(self, records: Sequence[Record]) -> list[bytes]:
        self.records.extend(records)
        return [self.encode(record) for record in records]

    def read(self, after: int = 0) -> Iterator[tuple[Record, bytes]]:
        for record in self.records[after:]:
            yield record, self.encode(record)


def turns(count: int, *, first: int = 0) -> list[tuple[Change, ...]]:
    return [
        (TurnCaptured(turn=TURN.model_copy(update={"id": f"turn/{number}", "text": f"tea {number}"})),)
        for number in range(first, first + count)
    ]


def bring_up(journal: ListJournal, index: EdgeVectorIndex, budget_s: float | None = None) -> Lag:
    ticks = itertools.count()
    return catch_up(journal, index, budget_s=budget_s, clock=lambda: float(next(ticks)))


def live(index: EdgeVectorIndex, query: str = "tea") -> set[str]:
    return {one.document.id for one in index.search(query, SearchFilter(), limit=5000)["lexical"]}


def test_catching_up_takes_in_everything_and_stands_at_the_head(tmp_path: Path) -> None:
    journal = ListJournal((FactRecorded(fact=make_fact()),), (TurnCaptured(turn=TURN),), ())
    with EdgeVectorIndex(tmp_path, None) as index:
        assert bring_up(journal, index) == Lag(3, 0)
        assert live(index) == {"people/anna-001", "turn/1"}
        assert bring_up(journal, index) == Lag(3, 0)


@pytest.mark.parametrize("change", [SUPERSEDED, RETRACTED], ids=["superseded", "retracted"])
@pytest.mark.parametrize("apart", [False, True], ids=["in one batch", "in two catch-ups"])
def test_a_retired_fact_is_no_longer_live(tmp_path: Path, change: Change, *, apart: bool) -> None:
    journal = ListJournal((FactRecorded(fact=make_fact()),), (change,))
    with EdgeVectorIndex(tmp_path, None) as index:
        if apart:
            bring_up(ListJournal((FactRecorded(fact=make_fact()),)), index)
            assert live(index) == {"people/anna-001"}
        bring_up(journal, index)

        assert live(index) == set()
        assert index.count() == 1


def test_without_time_nothing_is_begun_and_the_lag_is_told(tmp_path: Path) -> None:
    with EdgeVectorIndex(tmp_path, None) as index:
        assert bring_up(ListJournal(*turns(5)), index, budget_s=0) == Lag(0, 5)
        assert index.count() == 0


def test_a_batch_that_takes_longer_than_there_is_time_gets_in_when_asked_for(tmp_path: Path) -> None:
    ticks = itertools.count()
    with EdgeVectorIndex(tmp_path, None) as index:
        clock = lambda: float(next(ticks))  # noqa: E731
        lag = catch_up(ListJournal(*turns(2000)), index, budget_s=0, clock=clock, at_least_one=True)

        assert 0 < lag.position == index.count() < 2000


def test_when_time_runs_out_the_finished_batches_stay(tmp_path: Path) -> None:
    journal = ListJournal(*turns(2000))
    with EdgeVectorIndex(tmp_path, None) as index:
        lag = bring_up(journal, index, budget_s=2)

        assert 0 < lag.position < 2000
        assert lag == Lag(index.position(), 2000 - index.position())
        assert index.count() == lag.position
        assert bring_up(journal, index) == Lag(2000, 0)


class CountedIndex(EdgeVectorIndex):
    """An index that notes where its position is moved to: each time waits for the disk."""

    moved: list[int]

    def advance(self, position: int, head_hash: str = "") -> None:
        self.moved.append(position)
        super().advance(position, head_hash)


@pytest.mark.parametrize(("count", "moved"), [(5, [5]), (2000, [2000]), (2100, [2048, 2100])])
def test_the_position_moves_behind_several_batches_at_once(tmp_path: Path, count: int, moved: list[int]) -> None:
    with CountedIndex(tmp_path, None) as index:
        index.moved = []
        bring_up(ListJournal(*turns(count)), index)
        assert index.moved == moved


def test_an_index_ahead_of_the_journal_is_refused(tmp_path: Path) -> None:
    with EdgeVectorIndex(tmp_path, None) as index:
        bring_up(ListJournal(*turns(3)), index)

        with pytest.raises(DegradedIndexError, match="journal ends at 1"):
            bring_up(ListJournal(*turns(1)), index)


def test_an_index_of_another_journal_is_refused_whether_it_is_as_long_or_longer(tmp_path: Path) -> None:
    ours = turns(3)
    with EdgeVectorIndex(tmp_path, None) as index:
        bring_up(ListJournal(*ours), index)
        assert bring_up(ListJournal(*ours, *turns(2, first=3)), index) == Lag(5, 0)

        for others in (turns(5, first=10), turns(9, first=10)):
            with pytest.raises(DegradedIndexError, match="another journal, which differs at position 5"):
                bring_up(ListJournal(*others), index)
        assert index.position() == 5


def test_work_repeated_after_a_crash_gives_the_same_index(tmp_path: Path) -> None:
    journal = ListJournal((FactRecorded(fact=make_fact()),), (SUPERSEDED,), *turns(600))
    with EdgeVectorIndex(tmp_path / "clean", None) as clean, EdgeVectorIndex(tmp_path / "torn", None) as torn:
        bring_up(journal, clean)
        bring_up(journal, torn)
        torn.advance(0)  # as when a crash came after the points and before the position
        bring_up(journal, torn)

        assert torn.digest() == clean.digest()


# --- what was said before --------------------------------------------------------------------------------------


class Spoken(NamedTuple):
    """One turn of a conversation as a test writes it."""

    session: str
    ordinal: int
    text: str
    scope: str = "shared"
    trust: str = "unverified"
    id: str = ""


def conversation(*spoken: Spoken) -> list[tuple[Change, ...]]:
    return [
        (
            TurnCaptured(
                turn=Turn.model_validate(
                    {**one._asdict(), "id": one.id or f"turn/{one.session}-{place}", "text": one.text}
                )
            ),
        )
        for place, one in enumerate(spoken)
    ]


def contexts(tmp_path: Path, *catch_ups: list[tuple[Change, ...]]) -> dict[str, str]:
    """Return text -> context of every document that was given to the index."""
    given: dict[str, str] = {}
    batches: list[tuple[Change, ...]] = []
    with EdgeVectorIndex(tmp_path / "contexts", None) as index:
        upsert = index.upsert

        def watch(documents: Sequence[Document]) -> None:
            given.update((document.text, document.context) for document in documents)
            upsert(documents)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(index, "upsert", watch)
            for more in catch_ups:
                batches += more
                bring_up(ListJournal(*batches), index)
    return given


FIVE = [Spoken("a", place, f"word{place}") for place in range(6)]
LONG = "tea " * 98 + "tea"


@pytest.mark.parametrize("apart", [False, True], ids=["in one catch-up", "each in its own"])
@pytest.mark.parametrize(
    ("spoken", "expected"),
    [
        (FIVE, "word1\nword2\nword3\nword4"),  # four turns back
        ([Spoken("a", 0, "one"), Spoken("b", 0, "other"), Spoken("a", 1, "two")], "one"),
        ([Spoken("a", 0, "one"), Spoken("b", 1, "two")], ""),
        ([Spoken("a", 0, LONG), Spoken("a", 1, "yes")], LONG),  # 100 terms fit
        ([Spoken("a", 0, LONG), Spoken("a", 1, "yes indeed friday")], ""),
        ([Spoken("a", 0, "one"), Spoken("a", 1, LONG), Spoken("a", 2, "yes indeed friday")], ""),  # none beyond it
        ([Spoken("a", 0, "one"), Spoken("a", 2, "three")], ""),  # the turn between them is missing
        ([Spoken("a", 0, "one", scope="session:a"), Spoken("a", 1, "two")], ""),
        ([Spoken("a", 0, "one", trust="quarantined"), Spoken("a", 1, "two")], ""),
        ([Spoken("a", 0, "one"), Spoken("a", 0, "again"), Spoken("a", 1, "two")], "again"),  # a place claimed twice
        ([Spoken("a", 0, "one", id="turn/z"), Spoken("a", 0, "again"), Spoken("a", 1, "two")], "one"),
        ([Spoken("a", 0, "one", id="turn/z"), Spoken("a", 0, "new", id="turn/z"), Spoken("a", 1, "two")], "new"),
    ],
)
def test_the_context_of_a_turn_is_the_turns_right_before_it(
    tmp_path: Path, spoken: list[Spoken], expected: str, *, apart: bool
) -> None:
    journal = conversation(*spoken)
    given = contexts(tmp_path, *([[one] for one in journal] if apart else [journal]))

    assert given[spoken[-1].text] == expected


def test_facts_have_no_context_and_what_the_journal_holds_of_notes_is_no_document(tmp_path: Path) -> None:
    first = (TurnCaptured(turn=TURN.model_copy(update={"session": "main"})),)
    given = contexts(tmp_path, [first, (NoteRecorded(entry=NOTE),), (FactRecorded(fact=make_fact()),)])

    assert given == {"Anna: Tea, please": "", "Anna prefers tea": ""}


def test_an_answer_is_found_by_the_words_of_what_it_answers(tmp_path: Path) -> None:
    journal = ListJournal(*conversation(Spoken("a", 0, "When does the samovar arrive?"), Spoken("a", 1, "On Friday")))
    with EdgeVectorIndex(tmp_path, None) as index:
        bring_up(journal, index)
        found = index.search("samovar", SearchFilter(), limit=5)["lexical"]

    assert [one.document.text for one in found] == ["When does the samovar arrive?", "On Friday"]


def test_an_index_built_step_by_step_equals_one_built_at_once(workspace: Workspace, tmp_path: Path) -> None:
    steps = []
    for number in range(4):
        args = {"entity": "people/anna", "text": f"Anna has {number} cats", "create": True, "attribute": "cats"}
        workspace.submit("write", {**args, "value": str(number), "category": "correction"})
        workspace.submit("capture", {"session": "demo", "turns": [{"id": f"turn/{number}", "text": f"cat {number}"}]})
        steps.append(workspace.catch_up_index())
    with workspace.searching() as index:
        built = index.digest()
    journal = FileJournal(workspace.paths.journal, segment_bytes=1 << 20)
    with EdgeVectorIndex(tmp_path / "other", None) as other:
        lag = catch_up(journal, other, budget_s=None, clock=lambda: 0.0)

        assert lag == Lag(steps[-1]["position"], 0)
        assert other.digest() == built
        assert other.count() > 4
