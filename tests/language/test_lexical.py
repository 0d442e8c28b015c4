"""The terms of the lexical leg: the same for the forms of a word, different for what differs in meaning."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language.lexical import stop_words
from engram.language.lexical import terms


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("cats", "cat"),
        ("Anna's", "Anna"),
        ("deployed", "deploying"),
        ("кошки", "кошку"),
        ("ёлка", "елка"),
        ("РЕШЕНИЕ", "решения"),
        ("Straße", "STRASSE"),
        ("ｆｕｌｌｗｉｄｔｈ", "fullwidth"),
        ("don’t", "don't"),
    ],
)
def test_forms_of_one_word_are_one_term(one: str, other: str) -> None:
    assert terms(one) == terms(other)


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("set POSTGRES_URL first", "postgres_url"),
        ("release v2.3.1.", "v2.3.1"),
        ("see src/engine.py, line 3", "src/engine.py"),
        ("written in C++.", "c++"),
        ("written in C#!", "c#"),
        ("mail anna@example.com", "anna@example.com"),
        ("on 2026-02-24 we met", "2026-02-24"),
    ],
)
def test_an_identifier_is_a_term_as_a_whole(text: str, whole: str) -> None:
    assert whole in terms(text)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("POSTGRES_URL", {"postgr", "url"}),
        ("src/engine.py", {"src", "engin", "py"}),
        ("EdgeShard", {"edgeshard", "edg", "shard"}),
        ("2026-02-24", {"2026", "02", "24"}),
    ],
)
def test_an_identifier_is_also_found_by_its_parts(text: str, parts: set[str]) -> None:
    assert parts <= set(terms(text))


@pytest.mark.parametrize(("one", "other"), [("C++", "C#"), ("version 3.1", "version 31"), ("v2", "v3")])
def test_what_differs_in_meaning_differs_in_terms(one: str, other: str) -> None:
    assert set(terms(one)) != set(terms(other))


def test_chinese_and_japanese_become_pairs_of_characters() -> None:
    assert terms("数据库很好") == ["数据", "据库", "库很", "很好"]
    assert terms("茶") == ["茶"]


def test_a_korean_word_gives_its_pairs_and_its_first_syllable() -> None:
    assert terms("머리를 빗") == ["머", "머리", "리를", "빗"]


def test_a_latin_name_with_a_korean_ending_is_still_that_name() -> None:
    assert "postgresql" in terms("PostgreSQL은 좋다")


def test_decomposed_hangul_gives_the_same_terms_as_composed() -> None:
    assert terms(unicodedata.normalize("NFD", "머리를")) == terms("머리를")


@pytest.mark.parametrize("text", ["", "  \n", "I am the", "и не в", "--- ... !!!", "\u0000"])
def test_a_text_without_meaning_has_no_terms(text: str) -> None:
    assert terms(text) == []


def test_stop_words_are_in_the_form_in_which_words_are_compared() -> None:
    assert all(word == word.casefold() and "ё" not in word for word in stop_words())
    assert {"the", "don't", "она"} <= stop_words()


def test_a_stop_word_that_can_be_a_month_is_kept() -> None:
    assert terms("in May") == ["may"]


@given(st.text())
def test_any_text_gives_terms_in_folded_form_and_none_empty(text: str) -> None:
    assert all(term and term == term.casefold() for term in terms(text))


@given(st.lists(st.sampled_from(["tea", "кошка", "C++", "v1.2", "머리", "数据"]), max_size=6))
def test_words_apart_give_the_terms_of_each_in_order(words: list[str]) -> None:
    assert terms(" ".join(words)) == [term for word in words for term in terms(word)]
