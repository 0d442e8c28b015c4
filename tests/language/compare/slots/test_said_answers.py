"""Whether a statement answers a question in the question's own words."""

import pytest

from engram.language.compare.slots.said_answers import read_question
from engram.language.compare.slots.said_answers import says_answer
from tests.cases import for_each


@for_each(
    ("question", "text", "about", "is_answer"),
    [
        ("who is our vet?", "Our vet is Petra Lindqvist", "", True),
        ("who is our vet?", "The vet comes tomorrow", "", False),  # nobody is named
        ("who is our vet?", "Our baker is Petra Lindqvist", "", False),
        ("who is the vet of the orchard?", "Our vet is Petra Lindqvist", "orchard", True),
        ("when is the shearing?", "The shearing is on 4 May", "", True),
        ("when is the shearing?", "The shearing is at 7:30", "", True),
        ("when is the shearing?", "The shearing takes place outside", "", False),
        ("when is the plan due?", "The deadline for the plan is 9 September", "", True),
        ("when is the plan due?", "The plan was written on 9 September", "", False),
        ("where is the key?", "The key is behind the dairy", "", True),
        ("where is the key?", "The key", "", False),  # says no more than the question
        ("how much does the hay cost?", "The hay costs 40 euros", "", True),
        ("how much does the hay cost?", "The hay costs less than straw", "", False),
        ("Wo ist unser Schlüssel?", "Der Schlüssel liegt im Stall", "", True),
        ("Quand commence la tonte ?", "La tonte commence lundi", "", True),
        ("¿Quién es la contable?", "La contable es Nerea Ruiz", "", True),
        ("兽医是谁？", "我们的兽医是周敏", "", True),
        ("兽医是谁？", "我们的会计是周敏", "", False),
        ("수의사는 누구예요?", "우리 수의사는 한지우 씨예요", "", True),
    ],
)
def test_a_statement_answers_or_not(question: str, text: str, about: str, is_answer: bool) -> None:
    asked = read_question(question)

    assert asked is not None
    assert says_answer(asked, text, about) is is_answer


@pytest.mark.parametrize("question", ["did the vet come?", "who is it?", "who was our first vet?", "what is new?", ""])
def test_of_some_questions_it_cannot_be_told(question: str) -> None:
    assert read_question(question) is None
