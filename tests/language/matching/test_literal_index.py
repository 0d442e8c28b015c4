"""Literal texts in the words of a text."""

from hypothesis import given
from hypothesis import strategies as st

from engram.language.matching.literal_index import Literals

LETTERS = st.text("ab1é지시", min_size=2, max_size=5)


@given(
    st.sets(LETTERS, max_size=6), st.sets(LETTERS, max_size=6), st.lists(st.text("ab1é지시", max_size=50), max_size=6)
)
def test_holds_what_stands_in_a_word_also_of_literals_that_come_later(
    first: set[str], later: set[str], words: list[str]
) -> None:
    literals = Literals()
    for known, added in ((first, first), (first | later, later)):
        literals.add(added)
        assert literals.held_by(words) == {one for one in known for word in words if one in word}


def test_remembers_short_words_of_letters_only() -> None:
    literals = Literals()
    literals.add(["ab"])
    assert literals.held_by(["xab", "xab1", "ab" * 13]) == {"ab"}
    assert set(literals) == {"xab"}
