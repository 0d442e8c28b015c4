"""Every data file keeps to the one grammar, and every pattern in it has examples of both kinds."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engram.language.compare.reading.stems import fold
from engram.language.matching.language_files import find_language
from engram.language.matching.language_files import list_languages
from engram.language.matching.language_files import read_languages
from engram.language.matching.patterns import NOTHING
from engram.language.matching.patterns import Pattern
from engram.language.matching.patterns import ScriptRules
from engram.language.matching.patterns import filled
from engram.language.matching.patterns import joined
from engram.language.matching.patterns import phrases
from tests.cases import for_each
from tests.language.examples import PATTERNS
from tests.language.examples import Example
from tests.language.examples import patterns_without_both
from tests.language.examples import read_examples

FILES = sorted(PATTERNS.rglob("*.toml"))
KINDS = sorted({path.parent.name for path in FILES if path.parent != PATTERNS})
OWN_EXAMPLES = {"clauses", "updates"}  # kinds whose examples stand beside single expressions; their tests read them
ANY_LANGUAGE = {"any", "other"}
GIVEN = {  # parts that do not stand in the file itself
    "attributes": dict.fromkeys(["nouns", "places"], ""),
    "secrets": dict.fromkeys(["passwords", "joins", "for"], ""),
}
LISTS = ("near", "also", "signs", "pieces")  # phrases divided by bars, wherever they stand


def entries(table: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield every table of a file that has a pattern."""
    if isinstance(table.get("pattern"), str):
        yield table
    for value in table.values():
        inner = value if isinstance(value, list) else [value]
        for one in inner:
            if isinstance(one, dict):
                yield from entries(one)


def tables(table: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield table
    for value in table.values():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, dict):
                yield from tables(one)


def said(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text("utf-8"))


@for_each("path", FILES)
def test_every_pattern_names_parts_that_its_file_has(path: Path) -> None:
    data = said(path)
    given = {**GIVEN.get(path.parent.name if path.parent != PATTERNS else path.stem, {}), **data.get("parts", {})}

    for entry in entries(data):
        assert "\n" not in filled(entry["pattern"], given)


@for_each("path", FILES)
def test_lists_of_phrases_are_written_in_one_way(path: Path) -> None:
    for table in tables(said(path)):
        for name in LISTS:
            listed = table.get(name, "")
            assert isinstance(listed, str), (path, name)
            assert len(phrases(listed)) == len(set(phrases(listed))), (path, name, listed)


@for_each("path", [path for path in FILES if path.parent.name not in OWN_EXAMPLES])
def test_every_pattern_has_examples_of_both_kinds(path: Path) -> None:
    assert patterns_without_both(path) == []


EXAMPLES = [
    example
    for path in FILES
    if path.parent.name not in {*OWN_EXAMPLES, "injection"} and path.parent != PATTERNS
    for example in read_examples(path)
    if example.found and "near" in example.entry and "pattern" in example.entry
]


@for_each("example", EXAMPLES)
def test_a_phrase_of_near_stands_in_what_a_pattern_must_find(example: Example) -> None:
    text = example.text.partition(" => ")[0].lower()

    stands = any(word in form for word in phrases(example.entry["near"]) for form in (text, fold(text), f" {text} "))
    assert stands or "ending" in example.entry or "first" in example.entry


@for_each("kind", KINDS)
def test_files_are_named_by_the_code_of_a_language(kind: str) -> None:
    assert set(list_languages(kind)) - ANY_LANGUAGE
    assert all(re.fullmatch("[a-z]{2}", code) for code in set(list_languages(kind)) - ANY_LANGUAGE)


def test_files_are_read_in_the_order_of_their_names() -> None:
    assert list(read_languages("clock")) == list_languages("clock") == sorted(list_languages("clock"))


def test_a_language_without_a_file_says_nothing() -> None:
    assert find_language("signal", "tlh") is None


@for_each(
    ("listed", "expected"),
    [
        ("", ()),
        ("tea", ("tea",)),
        (" tea|green tea ", (" tea", "green tea ")),
        (r"\| sh|a\|b", ("| sh", "a|b")),
        ("\nsystem:|x", ("\nsystem:", "x")),
    ],
)
def test_phrases_are_divided_by_bars(listed: str, expected: tuple[str, ...]) -> None:
    assert phrases(listed) == expected


def test_a_part_may_name_another_one_and_one_that_is_not_there_is_an_error() -> None:
    assert filled("a{x}\nb{1,2}", {"x": "({y}|c)", "y": "d"}) == "a(d|c)b{1,2}"
    with pytest.raises(KeyError):
        filled("{nowhere}", {})


def test_a_pattern_is_looked_for_where_a_phrase_near_it_stands() -> None:
    pattern = Pattern({"near": "tea", "pattern": "{drink}+"}, {"drink": "te?a"})

    assert pattern.search("green tea")
    assert not pattern.search("ta")
    assert Pattern({"pattern": "x"}).search("x")


def test_rules_are_for_texts_of_their_script() -> None:
    kanji = ScriptRules({"script": "[\u4e00-\u9fff]", "not_script": "[\u3040-\u30ff]"})

    assert [kanji.are_for(text) for text in ("日本", "日本の", "Japan")] == [True, False, False]
    assert ScriptRules({"script": ""}).are_for("")


def test_what_no_language_has_matches_nothing() -> None:
    assert joined("clock", "no such list") == NOTHING
