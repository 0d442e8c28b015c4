"""How far a catch-up of the index with the journal gets, and what stops being live by it."""

import itertools
from collections.abc import Iterator
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from engram.base.text import sha256_hex
from engram.errors import DegradedIndexError
from engram.model.changes.change import Change
from engram.model.changes.change import FactRecorded
from engram.model.changes.change import NoteRecorded
from engram.model.changes.change import TurnCaptured
from engram.model.changes.record import GENESIS
from engram.model.changes.record import Record
from engram.model.conversation import Turn
from engram.model.document import Document
from engram.ports.index import SearchFilter
from engram.services.index.catch_up import Lag
from engram.services.index.catch_up import catch_up
from engram.store.index.edge_index import EdgeVectorIndex
from engram.store.journal.file_journal import FileJournal
from engram.workspace import Workspace
from tests.making import make_fact
from tests.services.index.test_documents import NOTE
from tests.services.index.test_documents import RETRACTED
from tests.services.index.test_documents import SUPERSEDED
from tests.services.index.test_documents import TURN
from tests.services.index.test_documents import make_record


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
        steps.append(workspace.index.catch_up())
    with workspace.index.searching() as index:
        built = index.digest()
    journal = FileJournal(workspace.paths.journal, segment_bytes=1 << 20)
    with EdgeVectorIndex(tmp_path / "other", None) as other:
        lag = catch_up(journal, other, budget_s=None, clock=lambda: 0.0)

        assert lag == Lag(steps[-1]["position"], 0)
        assert other.digest() == built
        assert other.count() > 4
