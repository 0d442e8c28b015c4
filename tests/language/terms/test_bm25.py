"""What terms weigh: in a document by count, length and context; in a question by whether they are identifiers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language.terms.bm25 import document_terms
from engram.language.terms.bm25 import names_identifier
from engram.language.terms.bm25 import query_terms
from tests.cases import for_each

WORDS = st.lists(st.sampled_from(["tea", "samovar", "кошка", "v1.2.3", "머리", "Riga"]), max_size=8).map(" ".join)


def weights(text: str, context: str = "") -> dict[int, float]:
    return dict(zip(*document_terms(text, context), strict=True))


def term(word: str) -> int:
    (index,) = document_terms(word).indices
    return index


def test_the_weight_of_a_term_grows_with_its_count_but_less_and_less() -> None:
    tea = term("tea")
    found = [weights("tea " * count + "cup pot " * (4 - count))[tea] for count in (1, 2, 3)]

    assert found == sorted(found)
    assert found[1] - found[0] > found[2] - found[1]


def test_a_term_weighs_less_in_a_longer_text() -> None:
    samovar = term("samovar")

    assert weights("samovar")[samovar] > weights("samovar " + " ".join(f"w{n}" for n in range(50)))[samovar]


def test_the_weights_of_a_text_alone_are_those_of_bm25() -> None:
    assert weights("samovar")[term("samovar")] == pytest.approx(1 * 1.9 / (1 + 0.9 * (0.4 + 0.6 * 1 / 20)))


def test_a_word_of_the_context_weighs_less_than_the_same_word_in_the_text() -> None:
    found = weights("tea", "samovar")

    assert 0 < found[term("samovar")] < found[term("tea")]


def test_a_context_takes_some_weight_from_the_text_but_not_all() -> None:
    assert (
        0.4 * weights("tea")[term("tea")]
        < weights("tea", "samovar and cups")[term("tea")]
        < weights("tea")[term("tea")]
    )


@given(WORDS, WORDS)
def test_a_document_has_the_terms_of_its_text_and_of_its_context(text: str, context: str) -> None:
    found = weights(text, context)

    assert set(found) == set(weights(text)) | set(weights(context))
    assert all(weight > 0 for weight in found.values())


@given(WORDS, st.sampled_from(["", "  ", "the and", "..."]))
def test_a_context_that_says_nothing_changes_nothing(text: str, context: str) -> None:
    assert document_terms(text, context) == document_terms(text)


def test_a_text_without_meaning_has_no_weights() -> None:
    assert document_terms("") == query_terms("the and") == ((), ())


def test_a_word_said_twice_in_a_question_counts_once() -> None:
    assert query_terms("tea tea") == query_terms("tea")
    assert set(query_terms("green tea").values) == {1.0}


@for_each(
    "name",
    [
        "POSTGRES_URL",
        "v2.3.1",
        "2.3.1",
        "2.3",
        "E0432",
        "ORA-00942",
        "#12",
        "--no-verify",
        ".env",
        "C++",
        "a@b.org",
        "src/a.py",
    ],
)
def test_an_identifier_weighs_more_in_a_question_than_words(name: str) -> None:
    found = dict(zip(*query_terms(f"why did we change {name}?"), strict=True))

    assert max(found.values()) > 1
    assert found[term("change")] == 1
    assert names_identifier(f"why did we change {name}?")


@for_each("text", ["on 2026-02-24 at 12:30", "tea and/or coffee", "in the U.S.", "the 2nd cup", "pre-commit", "503"])
def test_a_date_a_number_or_plain_words_weigh_what_words_weigh(text: str) -> None:
    assert set(query_terms(text).values) == {1.0}
    assert not names_identifier(text)


@for_each("text", ["why PodSecurityPolicies?", "what does parseConfig do"])
def test_a_name_with_humps_is_an_identifier_though_its_words_weigh_what_words_weigh(text: str) -> None:
    assert names_identifier(text)
    assert set(query_terms(text).values) == {1.0}
