"""The first order of candidates: a roll-up stands behind what it retells, unless its time is asked for."""

from engram.model.document import Document
from engram.ports.index import Candidate
from engram.services.recall.retrieval.candidate_set import CandidateSet
from engram.services.recall.standing_order import rank
from tests.making import NOW

DAY = Document(id="day", kind="note", text="The lift is out of order", indexed_text="", path="memory/2026-02-24.md")
WEEK = DAY.model_copy(update={"id": "week", "path": "memory/weekly/2026-W09.md"})


def ordered(*, of_that_time: bool) -> list[str]:
    pool = CandidateSet()
    pool.add("lexical", [Candidate(WEEK, 4.0), Candidate(DAY, 3.5)])
    pool.add("time", [Candidate(WEEK, 1.0), Candidate(DAY, 1.0)] if of_that_time else [])
    return [one.id for one in rank(pool, set(), "is the lift working", NOW)]


def test_a_line_of_a_roll_up_stands_behind_the_note_that_it_retells() -> None:
    assert ordered(of_that_time=False) == ["day", "week"]


def test_a_roll_up_of_the_time_that_is_asked_for_keeps_its_place() -> None:
    assert ordered(of_that_time=True) == ["week", "day"]
