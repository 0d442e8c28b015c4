"""Whether an answer is about the question."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.rules.recall.relevance import CLOSE
from engram.rules.recall.relevance import Signs
from engram.rules.recall.relevance import is_far
from engram.rules.recall.relevance import is_probably_unknown
from engram.rules.recall.relevance import is_relevant
from engram.rules.recall.relevance import words_shared

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
    ("words", "closeness", "length", "relevant"),
    [
        (0.25, None, 30, True),
        (0.24, None, 30, False),
        (0.0, CLOSE, 30, True),
        (0.0, CLOSE - 0.01, 30, False),
        (0.25, -0.3, 30, True),
        (0.05, 0.2, 6, True),
        (0.04, 0.1, 6, False),
        (0.05, None, 6, True),
        (0.05, 0.2, 16, False),
    ],
    ids=[
        *("words are enough", "too few", "meaning is enough", "too far", "words although far"),
        *("near a short question", "not near it", "a short question without a model", "not near a longer one"),
    ],
)
def test_one_sign_is_enough_and_short_questions_need_less(
    words: float, closeness: float | None, length: int, *, relevant: bool
) -> None:
    assert is_relevant(Signs(words, closeness, None, length), 0.25) is relevant


def test_what_nobody_asked_for_needs_a_whole_sign_however_short_it_is() -> None:
    assert not is_relevant(Signs(0.2, 0.5, None, 3), 0.25, surely=True)
    assert is_relevant(Signs(0.2, 0.6, None, 3), 0.25, surely=True)


def test_a_name_that_a_candidate_has_is_never_beside_the_point() -> None:
    assert is_relevant(Signs(0.0, 0.0, None, 40, is_named=True), 0.25)


def test_a_threshold_of_nothing_brings_everything() -> None:
    assert is_relevant(Signs(0.0), 0.0)
    assert not is_probably_unknown(Signs(0.0), 0.0)


@pytest.mark.parametrize(
    ("near", "lacks", "doubted"),
    [(0.4, False, False), (0.4, True, True), (0.7, True, False), (0.1, False, True), (None, True, True)],
)
def test_an_answer_without_what_is_asked_for_has_to_be_nearer(
    near: float | None, *, lacks: bool, doubted: bool
) -> None:
    assert is_probably_unknown(Signs(0.4, near, near, lacks=lacks), 0.25) is doubted


SIGNS = st.builds(
    Signs,
    st.floats(0, 1),
    st.none() | st.floats(-1, 1),
    st.none() | st.floats(-1, 1),
    st.integers(0, 40),
    lacks=st.booleans(),
)


def test_one_that_is_surely_about_the_question_is_enough_where_little_else_is_known() -> None:
    assert is_probably_unknown(Signs(0.0, closeness=CLOSE - 0.01, near=0.2), 0.25)
    assert not is_probably_unknown(Signs(0.0, closeness=CLOSE, near=0.2), 0.25)
    assert is_probably_unknown(Signs(0.0, closeness=CLOSE, near=0.2, lacks=True), 0.25)


@given(SIGNS, st.floats(0, 1))
def test_more_words_never_make_an_answer_less_known(signs: Signs, threshold: float) -> None:
    fewer = signs._replace(words=signs.words / 2)

    assert is_probably_unknown(fewer, threshold) >= is_probably_unknown(signs, threshold)
    assert is_relevant(signs, threshold) >= is_relevant(fewer, threshold)


@pytest.mark.parametrize(
    ("words", "closeness", "far"),
    [(4.0, 0.1, False), (3.0, 0.4, False), (3.0, 0.3, True), (0.0, None, True)],
    ids=["near in words", "near in meaning", "far in both", "not found by meaning"],
)
def test_far_is_what_is_far_in_words_and_in_meaning(words: float, closeness: float | None, *, far: bool) -> None:
    assert is_far(words, closeness, best_words=10.0, best_closeness=0.5) is far


def test_by_words_alone_only_what_shares_next_to_nothing_is_far() -> None:
    assert is_far(1.9, None, best_words=10.0, best_closeness=None)
    assert not is_far(2.0, None, best_words=10.0, best_closeness=None)
