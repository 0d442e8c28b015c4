"""Whether an answer is about the question."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.rules.relevance import CLOSE
from engram.rules.relevance import is_probably_unknown
from engram.rules.relevance import is_relevant
from engram.rules.relevance import words_shared

WORDS = st.frozensets(st.sampled_from("abcdefgh"))


@pytest.mark.parametrize(
    ("asked", "best", "share"),
    [
        ("abcd", ["ab", "c"], 0.5),
        ("abcd", ["x", "abcd"], 1.0),
        ("aab", ["a"], 0.5),
        ("abcd", [], 0.0),
        ("", [], 1.0),
    ],
    ids=["the best one counts", "not the first", "distinct terms", "no candidate", "no terms"],
)
def test_the_share_of_the_words(asked: str, best: list[str], share: float) -> None:
    assert words_shared(asked, best) == share


@given(WORDS, st.lists(WORDS), WORDS)
def test_one_more_candidate_never_makes_the_share_smaller(
    asked: frozenset[str], best: list[frozenset[str]], more: frozenset[str]
) -> None:
    assert 0 <= words_shared(asked, best) <= words_shared(asked, [*best, more]) <= 1


@pytest.mark.parametrize(
    ("words", "closeness", "relevant"),
    [
        (0.25, None, True),
        (0.24, None, False),
        (0.0, CLOSE, True),
        (0.0, CLOSE - 0.01, False),
        (0.25, -0.3, True),
    ],
)
def test_one_sign_is_enough(words: float, closeness: float | None, *, relevant: bool) -> None:
    assert is_relevant(words, closeness, 0.25) is relevant


def test_a_threshold_of_nothing_brings_everything() -> None:
    assert is_relevant(0.0, None, 0.0)
    assert not is_probably_unknown(0.0, None, 0.0)


@given(st.floats(0, 1), st.none() | st.floats(-1, 1), st.floats(0, 1))
def test_more_words_never_make_an_answer_less_known(words: float, closeness: float | None, threshold: float) -> None:
    fewer = words / 2

    assert is_probably_unknown(fewer, closeness, threshold) >= is_probably_unknown(words, closeness, threshold)
    assert is_relevant(words, closeness, threshold) >= is_relevant(fewer, closeness, threshold)
