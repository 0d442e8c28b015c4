"""A turn that only asks stands behind what may answer it."""

import pytest

from engram.language.compare.slots.question_words import only_asks
from engram.model.document import Document
from engram.rules.recall.fusion import Fused
from engram.services.recall.fitness.said_questions import answers_before_questions
from tests.cases import for_each


def turn(ordinal: int, text: str) -> Document:
    return Document(id=f"turn-{ordinal}", kind="turn", text=text, indexed_text="", session="talk", ordinal=ordinal)


ASKED = turn(3, "user: Which ferry do we take to Gotland?")
ELSEWHERE = turn(7, "user: The ferry to Gotland is cheap in May.")
FACT = Document(id="fact", kind="fact", text="We take the ferry from Nynäshamn", indexed_text="")


def order(*scored: tuple[Document, float]) -> list[str]:
    ranked = [Fused(document.id, score, {}) for document, score in scored]
    return [one.id for one in answers_before_questions(ranked, {document.id: document for document, _ in scored})]


def test_the_fact_that_was_made_of_an_answer_comes_before_the_question() -> None:
    assert order((ASKED, 1.0), (FACT, 0.8)) == ["fact", "turn-3"]


def test_what_is_said_right_after_a_question_gains_by_it() -> None:
    answer = turn(4, "assistant: The files say Nynäshamn at 9.")

    assert order((ASKED, 1.0), (ELSEWHERE, 0.6), (answer, 0.5)) == ["turn-4", "turn-3", "turn-7"]


def test_an_answer_that_tells_nothing_gains_nothing() -> None:
    answer = turn(4, "assistant: I don't know, your file doesn't say.")

    assert order((ASKED, 1.0), (ELSEWHERE, 0.7), (answer, 0.55)) == ["turn-7", "turn-3", "turn-4"]


def test_where_nothing_only_asks_all_stay_where_they_are() -> None:
    assert order((ELSEWHERE, 1.0), (FACT, 1.0), (turn(3, "user: I asked which ferry we take."), 0.2)) == [
        "turn-7",
        "fact",
        "turn-3",
    ]


@for_each(
    ("text", "asks"),
    [
        ("Who leads the altos?", True),
        ("Who leads the altos? And who the basses?", True),
        ("Which file has v2.3?", True),
        ("谁负责女低音？", True),
        ("알토는 누가 이끌어요?", True),
        ("Кто ведёт альтов?", True),
        ("Wer leitet den Alt?", True),
        ("Polina left. Who leads the altos?", False),
        ("Could you book the hotel that Anna liked?", False),
        ("Who leads the altos", False),
        ("I know who leads the altos.", False),
        (
            "Since Polina moved to Riga in May with her two children, who of the others can lead the altos?",
            False,
        ),
        ("", False),
    ],
)
def test_a_text_only_asks_or_tells_something(text: str, asks: bool) -> None:
    assert only_asks(text) is asks


@pytest.mark.parametrize("text", ["?" * 120, "a?" * 60, "who " * 30 + "?", ". " * 60])
def test_strange_texts_take_no_time_and_harm_nothing(text: str) -> None:
    assert only_asks(text) in {True, False}
