"""Whether the hits hold the kind of answer that a question asks for."""

from engram.model.document import Hit
from engram.services.recall.relevance import lacks_answer
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
