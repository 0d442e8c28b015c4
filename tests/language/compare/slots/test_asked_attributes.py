"""Which attributes a question asks for, in any of the languages."""

from engram.language.compare.slots.asked_attributes import find_asked
from engram.language.compare.slots.asked_attributes import names_one_of
from tests.cases import for_each


@for_each(
    ("question", "language", "form", "asked"),
    [
        ("who is my boss", "en", "who", [["manager"]]),
        ("who is in charge of", "en", "who", [["lead", "owner"]]),
        ("how old is", "en", "what", [["age"]]),
        ("кто мой начальник", "ru", "who", [["lead", "manager"]]),
        ("какую базу данных использует", "ru", "what", [["database"]]),
        ("что за работа у неё", "ru", "what", []),
        ("谁负责", "zh", "who", [["lead", "owner"]]),
        ("在哪里上班", "zh", "where", [["employer"]]),
        ("为什么上班", "zh", "who", []),
        ("몇 살이야", "ko", "what", [["age"]]),
        ("어디에 살아", "ko", "where", [["city"]]),
        ("wie heißt meine Frau", "de", "what", [["spouse"]]),
        ("wie heißt", "de", "what", [["name"]]),
        ("Comment s’appelle", "fr", "what", [["name"]]),
        ("which port has the database", "en", "what", [["database"], ["port"]]),
    ],
)
def test_words_of_a_question_ask_for_attributes(
    question: str, language: str, form: str, asked: list[list[str]]
) -> None:
    assert [sorted(one) for one in find_asked(question, language, form=form)] == asked


def test_a_statement_names_an_attribute_in_its_own_language() -> None:
    assert names_one_of("Meine Chefin ist Olga", {"manager"})
    assert names_one_of("У меня новый руководитель", {"manager", "lead"})
    assert not names_one_of("Meine Chefetage ist oben", {"manager"})
