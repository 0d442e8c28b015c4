"""Which candidates hold the kind of answer that a question asks for, and whether the hits do."""

from engram.model.document import Document
from engram.model.document import Hit
from engram.rules.recall.fusion import Fused
from engram.services.recall.fitness.asked_kind import answering_first
from engram.services.recall.fitness.asked_kind import lacks_answer
from tests.cases import for_each

HOME = "Gus: Dad moved into the home on Friday"
OTHER = "Nadia: The flat costs 900 a month"


def hits(*texts: str) -> list[Hit]:
    return [Hit(id=str(place), kind="turn", text=text, score=0.5) for place, text in enumerate(texts)]


@for_each(
    ("question", "shown", "lacks"),
    [
        ("what does the home cost?", (HOME,), True),
        ("what does the home cost?", (HOME, "The home costs 3,400 a month"), False),
        ("what does the home cost?", (HOME, OTHER), False),  # "costs" is a word of the question
        ("what's the name of the home?", (HOME, "It is called Elm Lodge, the home"), False),
        ("what's the name of the home?", (HOME, "Maeve lives in Riga"), True),  # of no word of the question
        ("what's the name of the home?", (), True),
        ("why did dad move into the home?", (HOME,), False),
    ],
)
def test_only_what_is_about_the_question_can_hold_its_answer(
    question: str, shown: tuple[str, ...], *, lacks: bool
) -> None:
    assert lacks_answer(hits(*shown), {}, question) is lacks


def test_what_lies_nearly_as_close_as_the_closest_is_about_it_too() -> None:
    found = hits(HOME, "Elm Lodge, that is where Maeve is from")

    assert lacks_answer(found, {"0": 0.6, "1": 0.2}, "how old is the home?")
    assert not lacks_answer(found, {"0": 0.6, "1": 0.55}, "which hotel did we choose?")


def test_what_only_came_forward_for_its_kind_is_no_answer() -> None:
    found = hits("The home costs 3,400 a month", HOME)

    assert not lacks_answer(found, {}, "what does the home cost?")
    assert lacks_answer(found, {}, "what does the home cost?", {"0"})


def order(question: str, *scored: tuple[str, float]) -> tuple[list[str], frozenset[str]]:
    ranked = [Fused(text, score, {}) for text, score in scored]
    documents = {text: Document(id=text, kind="turn", text=text, indexed_text="") for text, _ in scored}
    found = answering_first(ranked, documents, question)
    return [one.id for one in found.ranked], found.come_forward


@for_each(
    ("question", "about", "answer"),
    [
        ("what does the punt cost?", "The punt is for sale", "Olaf wants 4,000 for it"),
        ("how old is the ferryman?", "The ferryman fell ill", "Olaf, 81 years old"),
        ("when is the regatta?", "The regatta is off and on", "we row on 3 June"),
        ("who steers the eight?", "The eight won again", "the boat goes where Olaf wants"),
        ("сколько стоит лодка?", "Лодка продаётся", "просит 40 000 руб"),
        ("wie viel kostet der Kahn?", "Der Kahn steht zum Verkauf", "Olaf will 4.000 € dafür"),
        ("船要多少钱？", "船要卖", "他要四万块"),
        ("배는 얼마예요?", "배를 팝니다", "40만 원에 내놨어요"),
    ],
)
def test_what_holds_the_kind_of_answer_goes_before_what_only_has_the_words(
    question: str, about: str, answer: str
) -> None:
    assert order(question, (about, 1.0), (answer, 0.9)) == ([answer, about], frozenset())


def test_holding_the_kind_is_no_relevance() -> None:
    assert order("what does the punt cost?", ("The punt is for sale", 1.0), ("Oars are 4,000", 0.4))[0] == [
        "The punt is for sale",
        "Oars are 4,000",
    ]


def test_a_question_of_no_kind_changes_no_order() -> None:
    asked = (("The punt is for sale", 1.0), ("Olaf wants 4,000 for it", 0.95))

    assert order("why is the punt for sale?", *asked) == ([text for text, _ in asked], frozenset())


def test_it_is_known_which_came_from_behind_the_first_few() -> None:
    before = [(f"The punt is for sale ({letter})", 1.0) for letter in "abcde"]
    answer = "Olaf wants 4,000 for it"

    ordered, come_forward = order("what does the punt cost?", *before, (answer, 0.9))

    assert ordered[0] == answer
    assert come_forward == {answer}
