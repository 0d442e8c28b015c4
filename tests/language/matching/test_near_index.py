"""The words near patterns, looked up plainly and by an automaton."""

import pytest

from engram.language.matching import near_index
from engram.language.matching.near_index import NearIndex
from tests.cases import for_each

NEAR = [("tea", "coffee"), (), ("green tea",), ("чай", "茶")]


@for_each(
    ("text", "places"),
    [
        ("", [1]),
        ("green tea", [0, 1, 2]),
        ("coffee", [0, 1]),
        ("зелёный чай", [1, 3]),
        ("绿茶", [1, 3]),
        ("steam", [0, 1]),
    ],
)
def test_the_patterns_near_a_text_are_those_with_a_word_in_it_and_those_without_words(
    text: str, places: list[int]
) -> None:
    assert NearIndex(NEAR).places_in(text) == places


@for_each("text", ["", "green tea", "coffee", "зелёный чай", "绿茶", "steam", "none"])
def test_a_process_that_has_read_much_finds_the_same(text: str) -> None:
    index = NearIndex(NEAR)
    index.places_in("x" * near_index.INDEXED_AFTER)

    assert index.places_in(text) == NearIndex(NEAR).places_in(text)


def test_the_automaton_is_built_when_much_was_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near_index, "INDEXED_AFTER", 10)
    index = NearIndex(NEAR)

    index.places_in("12345")
    assert index._automaton is None
    index.places_in("67890")
    assert index._automaton is not None
