from hypothesis import given
from hypothesis import strategies as st

from engram.language.matching.token_index import NearWords
from tests.cases import for_each


def groups(*words: str) -> list[frozenset[str]]:
    """Make one group of each text: its words stand between bars."""
    return [frozenset(one.split("|")) for one in words]


ALPHABET = [groups("ab|b"), groups("abc|ca", "b"), groups("a b"), [], groups("bab|ab", "c ", " c"), groups("b c a")]
SIGNS = [groups(chr(0x4E00 + 7 * place), chr(0x4E03 + 7 * place) + "|x") for place in range(6)]
SIGNS += [groups(chr(0x4E00) + chr(0x4E03) + chr(0x4E00)), groups(chr(0x4E07) + "|" + chr(0x4E00) + chr(0x4E03))]


def slowly(patterns: list[list[frozenset[str]]], lines: list[str]) -> dict[int, list[int]]:
    """Look for every word in every line."""
    near = {
        place: [
            number
            for number, listed in enumerate(patterns)
            if all(any(word in line for word in group) for group in listed)
        ]
        for place, line in enumerate(lines)
    }
    return {place: found for place, found in near.items() if found}


@given(st.lists(st.text(alphabet="abc ", max_size=8), max_size=5))
def test_the_patterns_are_those_of_a_search_for_every_word_in_every_line(lines: list[str]) -> None:
    assert NearWords(ALPHABET).find(lines) == slowly(ALPHABET, lines)


@given(st.lists(st.text(alphabet=[chr(0x4E00), chr(0x4E03), chr(0x4E07), chr(0x4E0A), "x"], max_size=8), max_size=5))
def test_words_of_a_script_without_spaces_are_found_wherever_they_stand(lines: list[str]) -> None:
    assert NearWords(SIGNS).find(lines) == slowly(SIGNS, lines)


@for_each(
    ("line", "is_near"),
    [
        ("so my tea", True),
        ("mystery tea", False),
        ("mine, the tea", False),
        ("my coffee", False),
        ("teapot of our", False),
        ("teapot of our own", True),
    ],
)
def test_a_word_of_every_group_must_stand_in_the_line(line: str, *, is_near: bool) -> None:
    assert NearWords([groups("my |our ", "tea")]).find([line]) == ({0: [0]} if is_near else {})


def test_of_many_groups_the_rarest_are_looked_at() -> None:
    near = NearWords([groups("a", "b", "c", "d", "teapot", "coffee")])

    assert near.find(["abcd teapot", "abcd teapot coffee", "abc teapot coffee"]) == {1: [0], 2: [0]}
    assert near.find(["a teapot coffee"]) == {}


def test_a_phrase_is_looked_for_where_its_longest_token_stands() -> None:
    assert NearWords([groups("i like|my tea", "a")]).find(["i like cats", "you like cats", "any tea"]) == {0: [0]}
