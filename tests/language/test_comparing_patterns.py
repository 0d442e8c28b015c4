import re
import tomllib
from pathlib import Path

import pytest

from engram.language.compare.contradiction.compare import compare
from engram.language.compare.reading.lexicon import load_lexicon
from engram.language.compare.reading.stems import fold
from engram.language.compare.reading.stems import stem
from engram.language.compare.reading.tokens import DATE
from engram.language.compare.reading.tokens import NUMBER
from engram.language.compare.reading.tokens import OPPOSITE
from engram.language.compare.reading.tokens import VERSION
from engram.language.compare.reading.tokens import may_hold_value
from engram.language.compare.reading.tokens import tokenize
from engram.language.matching.patterns import phrases
from engram.model.comparison import EXCLUDING
from tests.cases import for_each
from tests.language.examples import PATTERNS
from tests.language.examples import Example
from tests.language.examples import patterns_without_both
from tests.language.examples import read_examples

FILES = sorted((PATTERNS / "comparing").glob("*.toml"))
PAIRS = (
    "lasting",
    "cessation",
    "changed",
    "replaced",
    "reversed",
    "groups",
    "status",
)  # examples are pairs: new | old => kind
SINGLE = ("nobody", "asks", "roots", "logged", "occasions")  # examples are single statements
EVERY = sorted(
    path for kind in ("changes", "comparing", "dates", "signal", "updates") for path in (PATTERNS / kind).glob("*.toml")
)
SIDES = re.compile(r" \| | => ")
EXAMPLES = [example for path in FILES for example in read_examples(path)]
PREDICATE = {
    "de": "Es ist {}",
    "en": "It is {}",
    "es": "La puerta es {}",
    "fr": "La porte est {}",
    "ru": "Оно — {}",
    "zh": "这是{}",
    "ko": "이것은 {}이다",
}  # says what something is


def sides(lists: list[list[str]]) -> list[tuple[str, str, str]]:
    """Return (word, first word of the pair, the other side's first word) of every word of the pairs."""
    return [
        (word, pair[0].split()[0], pair[1 - side].split()[0])
        for pair in lists
        for side, words in enumerate(pair)
        for word in words.split()
    ]


def read(path: str, key: str) -> list[list[str]]:
    data = tomllib.loads((PATTERNS / "comparing" / path).read_text("utf-8"))
    return list(data[key])


@for_each("example", [e for e in EXAMPLES if e.table in PAIRS])
def test_patterns_decide_their_examples(example: Example) -> None:
    pair, _, kind = example.text.partition(" => ")
    new, _, old = pair.partition(" | ")
    result = compare(new, old)

    assert (result.kind == kind) if example.found else (result.kind not in EXCLUDING), result


@for_each("example", [e for e in EXAMPLES if e.table in PAIRS and "pattern" in e.entry])
def test_the_expression_itself_finds_what_is_in_its_positive_example(example: Example) -> None:
    if example.found:
        assert re.search(example.entry["pattern"], fold(example.text.partition(" | ")[0]))


@for_each("example", [e for e in EXAMPLES if e.table in SINGLE])
def test_expressions_that_judge_one_statement_find_their_examples(example: Example) -> None:
    assert bool(re.search(example.entry["pattern"], fold(example.text))) == example.found


@for_each("example", [e for e in EXAMPLES if e.table == "states"])
def test_states_are_told_from_likings(example: Example) -> None:
    assert bool(re.search(example.entry["being"], fold(example.text))) == example.found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_pattern_and_group_has_both_examples(path: Path) -> None:
    sections = re.split(r"(?m)^(?=\[)", path.read_text("utf-8"))[1:]
    lacking = [s[:60] for s in sections if not (re.search(r"(?m)^# \+ ", s) and re.search(r"(?m)^# - ", s))]

    assert lacking == []
    assert patterns_without_both(path) == []


@for_each(
    ("path", "word", "pair"),
    [
        (f.name, word, pair)
        for f in FILES
        for key in ("opposites", "contraries")
        for word, pair, _ in sides(read(f.name, key))
    ],
)
def test_words_of_opposites_are_read_as_a_side_of_a_pair(path: str, word: str, pair: str) -> None:
    del path
    root = stem(fold(word))

    assert root in load_lexicon().opposites, pair
    assert [token.kind for token in tokenize(f"x1 {word}").items if token.shown == fold(word)] == [OPPOSITE]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_stem_stands_on_both_sides_of_a_pair(path: Path) -> None:
    for key in ("opposites", "contraries"):
        for one, other in read(path.name, key):
            assert not {stem(fold(word)) for word in one.split()} & {stem(fold(word)) for word in other.split()}


@for_each(
    ("path", "pair"),
    [(f.stem, pair) for f in FILES for pair in tomllib.loads(f.read_text("utf-8")).get("antonyms", [])],
)
def test_contraries_exclude_each_other_as_predicates(path: str, pair: str) -> None:
    one, other = (side.split(",")[0].strip() for side in pair.split("/"))
    sentence = PREDICATE[path]

    assert compare(sentence.format(other), sentence.format(one)).kind in EXCLUDING
    assert compare(sentence.format(one), sentence.format(other)).kind in EXCLUDING


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_names_of_the_same_do_not_exclude_each_other(path: Path) -> None:
    for entry in tomllib.loads(path.read_text("utf-8"))["groups"]:
        for member in entry["members"].split("/"):
            first, *others = (name.strip() for name in member.split(","))
            for name in others:
                sentence = PREDICATE[path.stem]
                assert compare(sentence.format(name), sentence.format(first)).kind not in EXCLUDING, (first, name)


def test_near_words_stand_in_every_text_that_a_pattern_finds() -> None:
    for example in EXAMPLES:
        if example.found and example.entry.get("near"):
            assert any(word in fold(example.text) for word in map(fold, phrases(example.entry["near"]))), example.text


def test_what_is_told_to_hold_no_value_holds_none() -> None:
    texts = [part.strip() for path in EVERY for example in read_examples(path) for part in SIDES.split(example.text)]

    missed = [
        text
        for text in texts
        if {token.kind for token in tokenize(text).items} & {NUMBER, DATE, VERSION} and not may_hold_value(text)
    ]

    assert len(texts) > 1000
    assert not missed
    assert not may_hold_value("Anna prefers tea to coffee")


@for_each("name", ["asks", "cessation", "lasting", "changed"])
def test_phrases_are_found_just_where_their_expression_matches(name: str) -> None:
    phrases_of_all = getattr(load_lexicon(), name)
    expression = re.compile("|".join(sources_of(name)))
    texts = [fold(part) for example in EXAMPLES for part in SIDES.split(example.text)]

    assert any(map(phrases_of_all.found_in, texts))
    for text in texts:
        assert phrases_of_all.found_in(text) == (expression.search(text) is not None), text
        assert phrases_of_all.blank(text) == expression.subn(" ", text), text


def sources_of(name: str) -> list[str]:
    tables = [tomllib.loads(path.read_text("utf-8")).get(name, []) for path in FILES]
    return [entry["pattern"] for table in tables for entry in ([table] if isinstance(table, dict) else table)]
