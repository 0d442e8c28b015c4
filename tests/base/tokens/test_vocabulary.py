"""Counting tokens with a real vocabulary: known counts of o200k, and what holds for every text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.base.tokens.vocabulary import count_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 1),  # nothing counts as one: a budget is always spent
        ("a", 1),
        ("hello world", 2),
        ("The cat sat on the mat.", 7),
        ("tiktoken is great!", 6),
        ("    " * 8 + "return", 2),
        ("2026", 2),  # digits by threes
    ],
)
def test_known_counts_of_o200k(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


def test_marks_of_a_model_are_plain_text() -> None:
    assert count_tokens("<|endoftext|>") > 1


def test_half_a_character_is_counted_and_not_refused() -> None:
    assert count_tokens("a \ud83d b") >= 3


@given(st.text(max_size=200))
def test_a_text_has_at_most_as_many_tokens_as_bytes(text: str) -> None:
    assert 1 <= count_tokens(text) <= max(1, len(text.encode("utf-8", "replace")))
