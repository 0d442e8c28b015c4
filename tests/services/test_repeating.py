"""Near-duplicates among candidates."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.document import Document
from engram.rules.recall.fusion import Fused
from engram.services.recall.presentation.near_duplicates import find_repeated
from engram.services.recall.presentation.near_duplicates import find_restated
from engram.services.recall.presentation.near_duplicates import tells_again
from engram.services.recall.presentation.near_duplicates import words_of
from engram.services.recall.presentation.passages import fold_sources
from tests.making import make_fact

SAID = "The quarterly report goes to the board on Friday before the lunch with the auditors"


def document(key: str, text: str, **fields: str) -> Document:
    return Document.model_validate({"id": key, "kind": "turn", "text": text, "indexed_text": text, **fields})


def repeated_among(documents: list[Document]) -> set[str]:
    return find_repeated(documents, 10)


def documents(*texts: str) -> list[Document]:
    return [
        Document(id=f"t{place}", kind="turn", text=text, indexed_text=text, session=f"s{place}")
        for place, text in enumerate(texts)
    ]


@pytest.mark.parametrize(
    ("other", "repeated"),
    [
        (f"{SAID}.", True),
        (SAID.replace("lunch", "meal"), False),
        (SAID + " today", True),
        (SAID.replace("goes", "never goes"), False),
        (SAID.replace("goes", "does not go"), False),
        (SAID.replace("Friday", "Friday 13"), False),
        (SAID.replace("Friday", "Monday"), False),
        ("The auditors go to the board on Friday before the lunch with the quarterly report and", False),
        ("An entirely different sentence about the weather in the north of the country", False),
    ],
    ids=[
        "a full stop",
        "another word",
        "one word more",
        "never",
        "not",
        "a number",
        "a name",
        "another order",
        "another text",
    ],
)
def test_a_long_text_in_nearly_the_same_words_is_shown_once(other: str, *, repeated: bool) -> None:
    assert repeated_among(documents(SAID, other)) == ({"t1"} if repeated else set())


def test_in_short_texts_one_word_makes_the_difference() -> None:
    assert repeated_among(documents("Anna drinks tea", "Anna drinks green tea")) == set()


def test_the_same_words_in_two_sessions_are_shown_once_when_they_are_many() -> None:
    assert repeated_among(documents(SAID, SAID)) == {"t1"}
    assert repeated_among(documents("tea", "tea")) == set()


def test_one_text_said_twice_in_a_session_is_shown_once() -> None:
    said = [document("t1", "Tea, please.", session="a"), document("t2", "tea, please", session="a")]

    assert repeated_among(said) == {"t2"}


def test_one_text_said_in_two_sessions_is_shown_twice() -> None:
    said = [document("t1", "Thanks", session="a"), document("t2", "Thanks", session="b")]

    assert repeated_among(said) == set()


def test_a_note_in_the_words_of_a_fact_above_it_is_a_repetition() -> None:
    fact = document("people/anna-001", "Anna prefers tea", kind="fact", entity="people/anna")
    note = document("note/1", "Anna prefers tea.", kind="note")

    assert repeated_among([fact, note]) == {"note/1"}
    assert repeated_among([note, fact]) == set()


def test_one_statement_about_two_entities_is_two_facts() -> None:
    facts = [document(f"{path}-001", "Likes tea", kind="fact", entity=path) for path in ("people/anna", "people/bo")]

    assert repeated_among(facts) == set()


def test_the_same_long_statement_about_two_entities_is_two_facts() -> None:
    facts = [document(f"{path}-001", SAID, kind="fact", entity=path) for path in ("people/anna", "people/bo")]

    assert repeated_among(facts) == set()


def test_nothing_is_compared_beyond_what_is_enough() -> None:
    assert find_repeated(documents("one", "two", SAID, SAID), 3) == set()
    assert find_repeated(documents("one", SAID, SAID, "two"), 3) == {"t2"}


@pytest.mark.parametrize(
    ("other", "restated"),
    [
        ("The billing service stores its invoices in PostgreSQL", True),
        ("Billing stores invoices in PostgreSQL", True),
        ("The billing service stores its invoices in PostgreSQL 16", False),
        ("The billing service does not store its invoices in PostgreSQL", False),
        ("The billing service doesn't store its invoices in PostgreSQL", False),
        ("(The billing service stores its invoices, in PostgreSQL)", True),
        ("The billing service stores its invoices in DuckDB", False),
        ("Uses PostgreSQL", False),
    ],
)
def test_a_fact_that_says_no_more_than_a_better_one_restates_it(other: str, *, restated: bool) -> None:
    said = {"a": "The billing service stores all its invoices in PostgreSQL", "b": other}

    assert find_restated(said) == ({"b"} if restated else set())


@pytest.mark.parametrize(
    ("other", "restated"),
    [
        ("船長交代：所有租船合約都要用藍色檔案夾存放，並且每年三月檢查一次", True),
        ("所有租船合約都要用藍色檔案夾存放，並且每年三月檢查一次", True),
        ("所有租船合約都不要用藍色檔案夾存放，並且每年三月檢查一次。", False),
        ("所有租船合約都要用藍色檔案夾存放，並且每年四月檢查一次。", False),
        ("所有租船合約都要用藍色檔案夾存放 5 年，並且每年三月檢查一次。", False),
    ],
)
def test_without_spaces_between_words_a_stop_or_a_lead_in_makes_no_other_statement(
    other: str, *, restated: bool
) -> None:
    said = {"a": "所有租船合約都要用藍色檔案夾存放，並且每年三月檢查一次。", "b": other}

    assert find_restated(said) == ({"b"} if restated else set())


WORDS = ("billing", "service", "stores", "invoices", "postgres", "lake", "boat", "garden", "16", "not", "keeps", "old")


@given(st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=9), max_size=12))
def test_no_restatement_is_missed_by_looking_only_at_those_that_share_a_rare_word(said: list[list[str]]) -> None:
    texts = {str(place): " ".join(words) for place, words in enumerate(said)}
    kept: dict[str, str] = {}
    for key, text in texts.items():
        if not any(find_restated({"before": before, "after": text}) for before in kept.values()):
            kept[key] = text

    assert find_restated(texts) == texts.keys() - kept.keys()


def noted(key: str, text: str, path: str, day: int = 10) -> Document:
    at = dt.datetime(2026, 2, day, tzinfo=dt.UTC)
    return Document(id=key, kind="note", text=text, indexed_text=text, path=f"memory/main/main/{path}", at=at)


NOTED = noted("note", "- 14:02 **Cargo:** pier 4 stays shut", "2026-02-10.md")
WEEK = noted("week", "Harbour: Cargo: pier 4 stays shut", "weekly/2026-W07.md")
MONTH = noted("month", "Harbour: Cargo: pier 4 stays shut", "monthly/2026-02.md")
FACT = Document(
    id="fact",
    kind="fact",
    text="Harbour: Cargo: pier 4 stays shut.",
    indexed_text="",
    entity="projects/harbour",
    at=WEEK.at,
)


@pytest.mark.parametrize(
    ("found", "repeated"),
    [
        ([WEEK, NOTED], {"week"}),
        ([NOTED, MONTH, WEEK], {"week", "month"}),
        ([MONTH, WEEK], {"month"}),
        ([MONTH], set()),
        ([WEEK, FACT], {"week"}),
        ([FACT, WEEK], {"week"}),
        ([WEEK, FACT.model_copy(update={"text": "Harbour: Cargo: pier 5 stays shut"})], set()),
        ([WEEK, NOTED.model_copy(update={"at": MONTH.at and MONTH.at + dt.timedelta(days=1)})], set()),
        ([noted("week", "Harbour: pier 5 stays shut", "weekly/2026-W07.md"), NOTED], set()),
        ([NOTED, noted("again", "- Cargo: pier 4 stays shut till May", "other.md")], set()),
    ],
    ids=[
        "ranked first",
        "all three",
        "no note",
        "alone",
        "before the fact",
        "behind the fact",
        "another pier in the fact",
        "another day",
        "another number",
        "no roll-up",
    ],
)
def test_a_line_of_a_roll_up_goes_where_the_line_that_it_retells_stands(
    found: list[Document], repeated: set[str]
) -> None:
    assert repeated_among(found) == repeated


def test_a_line_of_a_roll_up_stays_when_what_it_retells_is_not_shown() -> None:
    assert find_repeated([WEEK, NOTED], 1) == set()


@pytest.mark.parametrize(
    ("text", "again"),
    [
        ("The billing service listens on port 8080 in staging", True),
        ("Network: The billing service listens on port 8080 in staging.", True),
        ("The billing service listens on port 9090 in staging", False),
        ("The billing service listens on port 8080.1 in staging", False),
        ("The mailing service listens on port 8080 in staging", False),
        ("The billing service does not listen on port 8080 in staging", False),
        ("The billing service listens on port 8080 in staging and production", False),
        ("in staging", False),
    ],
    ids=["the same", "a heading", "a number", "a version", "a name", "a denial", "more", "less"],
)
def test_a_line_of_a_roll_up_tells_again_only_what_is_shown_in_the_same_words(text: str, *, again: bool) -> None:
    line = words_of("- The billing service listens on port 8080 in staging")

    assert tells_again(text, {line, words_of("in staging")}) is again


@pytest.mark.parametrize("line", ["- 10:00 Vera needs the keys by Friday.", "* **Vera** needs the keys by Friday"])
def test_a_line_of_a_note_that_says_what_a_fact_says_is_shown_once(line: str) -> None:
    fact = document("fact", "Vera needs the keys by Friday.", kind="fact", entity="people/vera")
    note = document("note", line, kind="note", path="memory/2026-02-24.md")

    assert repeated_among([fact, note]) == {"note"}


def test_a_fact_stands_for_the_line_of_a_day_that_it_came_from_with_its_time_of_day() -> None:
    path = "memory/2026-02-24.md"
    line = document("note", "- 10:00 Vera needs the keys by Friday.", kind="note", path=path)
    later = document("other", "- 10:30 Vera needs the keys by Friday at 9.", kind="note", path=path)
    source = {"actor": "agent", "path": path}
    fact = make_fact(1, "Vera needs the keys by Friday.", entity="people/vera", source=source)
    said = document("people/vera-001", fact.text, kind="fact", entity="people/vera")
    ranked = [Fused(one.id, score, {}) for one, score in ((line, 1.0), (said, 0.8), (later, 0.5))]

    folded = fold_sources(ranked, {one.id: one for one in (line, said, later)}, {fact.id: fact})

    assert [one.id for one in folded.ranked] == ["people/vera-001", "other"]
    assert folded.place_of == {"people/vera-001": "note"}
