"""What a question asks for: every example beside the patterns, and what no pattern may take for a question."""

import re

import pytest

from engram.language.compare.slots.value_questions import asks_for_value
from engram.language.matching.language_id import language_of
from tests.cases import for_each
from tests.language.examples import PATTERNS
from tests.language.examples import Example
from tests.language.examples import patterns_without_both
from tests.language.examples import read_examples

FILES = sorted((PATTERNS / "asking").glob("*.toml"))
EXAMPLES = [example for path in FILES for example in read_examples(path)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_pattern_has_examples_of_both_kinds(path: object) -> None:
    assert patterns_without_both(path) == []  # type: ignore[arg-type]


@for_each("example", EXAMPLES)
def test_an_example(example: Example) -> None:
    found = re.search(example.entry["pattern"], example.text.casefold().replace("ё", "е"))

    assert (found is not None) is example.found
    if example.table == "value":
        assert asks_for_value(example.text) is example.found
    if example.table == "not" and example.found:
        assert not asks_for_value(example.text)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_examples_are_in_the_language_of_their_file(path: object) -> None:
    texts = [example.text for example in read_examples(path)]  # type: ignore[arg-type]

    assert {language_of(text) for text in texts} == {path.stem}  # type: ignore[attr-defined]


@for_each("text", ["", "?", "what " * 200, "Qual è il prezzo?", "42"])
def test_no_question_for_a_value(text: str) -> None:
    assert not asks_for_value(text)
