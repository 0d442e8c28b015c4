"""What is asked about a time as a whole is answered by what tells most of it."""

import datetime as dt

from engram.model.document import Document
from engram.model.fact import Category
from engram.ports.index import Candidate
from engram.services.recall.retrieval.candidate_set import CandidateSet
from engram.services.recall.retrieval.time_leg import Period
from engram.services.recall.standing_order import rank
from tests.making import NOW
from tests.making import make_fact

DAY = dt.date(2026, 3, 1)
QUESTION = "what did we do yesterday?"


def note(key: str, text: str, *beside: str) -> Document:
    return Document(id=key, kind="note", text=text, indexed_text="", beside=beside)


def first_of(*found: tuple[Document, float], is_all: bool = True) -> list[str]:
    pool = CandidateSet()
    pool.period = Period(DAY, DAY, "yesterday", is_all)
    pool.add("time", [Candidate(document, score) for document, score in found])
    pool.facts = {
        document.id: make_fact(text=document.text, id=document.id, category=Category.DECISION)
        for document, _ in found
        if document.kind == "fact"
    }
    return [one.id for one in rank(pool, set(), QUESTION, NOW)]


SHORT = note("short", "Gears: 8.5", "before", "short")
TELLING = note(
    "telling", "Moored the ferry Ulla in Visby and repaired her rudder with Olaf, for 900 kronor", "x", "telling"
)
OPENING = note("opening", "Moored the ferry in Visby", "opening", "short")
DECIDED = Document(id="decided", kind="fact", text="The ferry stays in Visby until May", indexed_text="")


def test_what_tells_most_of_a_day_goes_before_what_is_short() -> None:
    assert first_of((SHORT, 9.0), (TELLING, 1.0)) == ["telling", "short"]


def test_what_opens_a_section_goes_before_what_stands_further_down_in_it() -> None:
    later = OPENING.model_copy(update={"id": "later"})

    assert first_of((later, 1.0), (OPENING, 1.0)) == ["opening", "later"]


def test_what_was_decided_that_day_goes_before_plain_lines() -> None:
    assert first_of((SHORT, 9.0), (DECIDED, 1.0)) == ["decided", "short"]


def test_a_question_that_says_more_than_the_day_is_answered_by_its_words() -> None:
    assert first_of((SHORT, 9.0), (TELLING, 1.0), is_all=False) == ["short", "telling"]
