import re

from hypothesis import given
from hypothesis import strategies as st

from engram.language.matching.prefilter import Alternatives
from engram.language.matching.prefilter import required_words
from engram.language.matching.prefilter import split_alternatives
from tests.cases import for_each


@for_each(
    ("source", "parts"),
    [
        ("a|b", ["a", "b"]),
        ("(?:a|b)c|[|]d", ["(?:a|b)c", "[|]d"]),
        (r"a\|b|\(|c", [r"a\|b", r"\(", "c"]),
        ("[^]|)]x|y", ["[^]|)]x", "y"]),
        ("", [""]),
    ],
)
def test_an_expression_is_taken_apart_at_its_outermost_bars(source: str, parts: list[str]) -> None:
    assert split_alternatives(source) == parts


@for_each(
    ("source", "words"),
    [
        (r"\bi (?:really )?(?:like|love)\b", {"like", "love"}),
        ("реш(?:ил|ила)", {"реш"}),
        ("colou?r", {"colo"}),
        (r"x[yz]{2}foo\.bar", {"foo.bar"}),
        ("(?!not)bar(?=baz)", {"bar"}),
        ("a+b", {"a"}),
        ("(?:long )*b", {"b"}),
        (r"\w+\d", set()),
        ("abc|.", set()),
        ("(?:ab|cd)?", set()),
        ("(?:abc|x)", {"abc", "x"}),
        ("abc{2}", {"abc"}),
        ("(?:no){2,3}", {"no"}),
    ],
)
def test_the_words_that_every_match_holds_are_read_off_an_expression(source: str, words: set[str]) -> None:
    assert required_words(source) == words


PIECES = [
    "a",
    "bc",
    "(?:b|ca)",
    "[ab]",
    "(?:bc)?",
    "c+",
    r"\b",
    r"\ba",
    r"|\bc",
    "|^",
    "(?!b)",
    "a{1,2}",
    ".{0,2}",
    "|",
    "(?:a|(?:b|c)a)*",
]


@for_each(
    ("source", "parts"),
    [
        ("^(?!x)(?:a|b(?:c|d))", [{"a"}, {"b"}]),
        ("^(?!x|y)(?=z)(?:ab|cd)", [{"ab"}, {"cd"}]),
        ("(?!x)(?:ab|cd)e", [{"ab", "cd"}]),
        ("^(?:ab|cd)", [{"ab"}, {"cd"}]),
        ("(?:ab|cd)", [{"ab", "cd"}]),
        ("(?!x)(?:ab|cd)?", [set()]),
    ],
)
def test_alternatives_behind_looks_ahead_are_taken_apart(source: str, parts: list[set[str]]) -> None:
    (whole,) = Alternatives(source).parts

    assert [set().union(*part.required()[:1]) for part in whole.alternatives()] == parts


@for_each(
    ("source", "groups"),
    [
        (r"\b(?:i|we) (?:really )?(?:like|love)\b", [{"i", "we"}, {" "}, {"like", "love"}]),
        ("(?:a|b)?c(?!d)(?:e|.)f", [{"c"}, {"f"}]),
        (r"\w+", []),
    ],
)
def test_every_set_of_required_words_is_read_off(source: str, groups: list[set[str]]) -> None:
    (part,) = Alternatives(source).parts

    assert part.required() == groups


@for_each(
    ("source", "most_joined", "groups"),
    [
        (
            r"\bi(?:'m| am) (?:really )?(?:a|an) ",
            9,
            [{"i"}, {"'m", " am"}, {"i'm ", "i am "}, {"a", "an"}, {"a ", "an "}],
        ),
        (r"\bi(?:'m| am) x", 1, [{"i"}, {"'m", " am"}, {" x"}]),
        ("(?:a|b)(?:c|d|e)f", 6, [{"a", "b"}, {"c", "d", "e"}, {x + y + "f" for x in "ab" for y in "cde"}]),
        ("(?:a|b)(?:c|d|e)f", 5, [{"a", "b"}, {"c", "d", "e"}, {"f"}]),
        ("x[ab]y", 2, [{"x"}, {"a", "b"}, {"xay", "xby"}]),
        ("x[^ab]y[a-c]z", 9, [{"x"}, {"y"}, {"z"}]),
        ("x(?!no)yz(?=w)", 9, [{"xyz"}]),
        ("x(?:ab)+y", 9, [{"xab"}, {"y"}]),
        ("x(?:a|b)?y", 9, [{"x"}, {"y"}]),
    ],
)
def test_what_stands_side_by_side_is_joined(source: str, most_joined: int, groups: list[set[str]]) -> None:
    (part,) = Alternatives(source).parts

    assert part.required(most_joined) == groups


@given(
    st.sampled_from(["^", ""]),
    st.lists(st.sampled_from(["(?!a)", "(?!.{0,2}b)", "(?=.{0,3}c)", "(?=(?:a|b).)"]), max_size=2),
    st.lists(st.sampled_from(PIECES[:-2]), min_size=1, max_size=5),
    st.text(alphabet="abc ", max_size=12),
)
def test_looks_ahead_and_alternatives_behind_them_find_the_same(
    beginning: str, looks: list[str], pieces: list[str], text: str
) -> None:
    source = f"{beginning}{''.join(looks)}(?:{''.join(pieces)})"
    parts = [part for whole in Alternatives(source).parts for part in whole.alternatives()]

    assert any(part.found_in(text) for part in parts) == (re.search(source, text) is not None)
    for part in parts:
        if part.found_in(text):
            assert all(any(word in text for word in group) for joined in (1, 9) for group in part.required(joined))


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=7), st.text(alphabet="abc ", max_size=12))
def test_alternatives_find_what_the_whole_expression_finds(pieces: list[str], text: str) -> None:
    source = "".join(pieces)
    whole = re.compile(source)
    match = whole.match(text)

    assert Alternatives(source).found_in(text) == (whole.search(text) is not None)
    assert Alternatives(source).end_in(text) == (match.end() if match else -1)
