"""Searching facts by words without the index."""

from engram.services.index.documents import fact_document
from engram.services.recall.retrieval.lexical_fallback import match_words
from tests.making import make_fact

DOCUMENTS = [
    fact_document(make_fact(number, text))
    for number, text in enumerate(["Tea is drunk", "Tea and samovar", "Tea tea tea", "Coffee"], 1)
]


def found(question: str) -> list[str]:
    return [one.document.text for one in match_words(question, DOCUMENTS)]


def test_a_rare_word_counts_more_than_a_frequent_one() -> None:
    assert found("tea samovar")[0] == "Tea and samovar"


def test_what_shares_no_word_with_the_question_is_not_found() -> None:
    assert found("submarine") == []
    assert found("the and of") == []
    assert "Coffee" not in found("tea")


def test_a_word_said_often_counts_more_but_a_second_word_of_the_question_counts_most() -> None:
    assert found("tea")[0] == "Tea tea tea"
    assert found("tea drunk")[0] == "Tea is drunk"


def test_without_documents_nothing_is_found() -> None:
    assert match_words("tea", []) == []
