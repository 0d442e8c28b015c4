"""Questions for what only people have, so that the answer is about whoever gives it."""

from engram.language.compare.slots.person_questions import asks_of_a_person
from tests.cases import for_each


@for_each(
    ("question", "is_of_a_person"),
    [
        ("Where do you live?", True),
        ("What's your name?", True),
        ("How old are you?", True),
        ("Где вы живёте?", True),
        ("你叫什么名字？", True),
        ("어디 사세요?", True),
        ("Which region do you deploy to?", False),
        ("When is the launch?", False),
        ("What Python version do you target?", False),
        ("Shall I go on?", False),
    ],
)
def test_a_question_asks_for_what_only_people_have(question: str, is_of_a_person: bool) -> None:
    assert asks_of_a_person(question) is is_of_a_person
