"""Words of two statements, as something is learned of them."""

import pytest

from engram.language.compare.updates.likely_words import TellingWords
from engram.language.compare.updates.likely_words import list_pair_words
from engram.language.compare.updates.likely_words import list_words
from tests.cases import for_each

LEARNED = {"n:now": 0.5, "s:rent": 0.25, "o:was": -1.0, "n:rent": 9.0, "o:rent": 7.0, "n:了$": 2.0}


@for_each(
    ("text", "words"),
    [
        ("The rents rise, now", ("the", "rent", "the rents", "rise", "rents rise", "now")),
        ("At 9 now", ("at", "#", "now", "# now")),
        ("停了。改", ("停", "了", "停了", "了$", "改", "改$")),
        ("이제 안", ("이제", "제$", "이제$", "안$", "안")),
        ("", ()),
    ],
)
def test_words_of_a_statement(text: str, words: tuple[str, ...]) -> None:
    assert list_words(text) == words


def test_each_word_is_marked_by_the_statement_that_has_it() -> None:
    assert list_pair_words("rent now", "rent was") == ["s:rent", "n:now", "n:rent now", "o:was", "o:rent was"]


@for_each(
    ("new", "old"),
    [("rent now", "rent was"), ("rent", "now"), ("now", "the rent was"), ("停了", "停"), ("", "rent"), ("rent", "")],
)
def test_what_words_tell_adds_up(new: str, old: str) -> None:
    told = sum(LEARNED.get(word, 0.0) for word in list_pair_words(new, old))

    assert TellingWords(LEARNED).score(new, old) == pytest.approx(told)
