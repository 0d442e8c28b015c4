from pathlib import Path

import pytest

from engram.language.signal import detect
from engram.language.signal import normalize
from engram.language.signal_rules import is_near
from engram.language.signal_rules import load_rules
from tests.language.examples import PATTERNS
from tests.language.examples import Example
from tests.language.examples import patterns_without_both
from tests.language.examples import read_examples

FILES = sorted((PATTERNS / "signal").glob("*.toml"))
EXAMPLES = [(path.stem, example) for path in FILES for example in read_examples(path)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_pattern_has_a_positive_and_a_negative_example(path: Path) -> None:
    assert patterns_without_both(path) == []


@pytest.mark.parametrize(("language", "example"), [pair for pair in EXAMPLES if pair[1].table == "rule"], ids=str)
def test_rules_find_their_examples_and_only_those(language: str, example: Example) -> None:
    result = detect(example.text)

    spoke = example.entry["name"] in result.reason and "but it" not in result.reason
    assert spoke == example.found, result
    if example.found:
        assert result.language == language
        assert example.entry["category"] in result.categories
        assert result.spans[0].text in example.text


@pytest.mark.parametrize(("language", "example"), [pair for pair in EXAMPLES if pair[1].table == "guards"], ids=str)
def test_guards_match_their_examples_and_only_those(language: str, example: Example) -> None:
    rules = load_rules(language)
    assert rules is not None

    assert (rules.guards[example.entry["name"]].end_in(normalize(example.text)) >= 0) == example.found


@pytest.mark.parametrize(("language", "example"), [pair for pair in EXAMPLES if pair[1].table == "smalltalk"], ids=str)
def test_small_talk_is_a_whole_message_of_phrases(language: str, example: Example) -> None:
    rules = load_rules(language)
    assert rules is not None

    assert rules.is_smalltalk(normalize(example.text)) == example.found


def test_a_message_of_many_phrases_is_no_small_talk() -> None:
    rules = load_rules("en")
    assert rules is not None

    assert rules.is_smalltalk("ok " * 8)
    assert not rules.is_smalltalk("ok " * 9)


def test_a_language_without_a_file_has_no_rules() -> None:
    assert load_rules("tlh") is None


def test_narrowing_keeps_exactly_the_rules_that_are_near() -> None:
    rules = load_rules("en")
    assert rules is not None

    narrowed = rules.narrowed("i prefer tea")

    assert "says what is preferred" in [rule.name for rule in narrowed.rules]
    assert all(is_near(rule.near, "i prefer tea") for rule in narrowed.rules)
    assert len(narrowed.rules) < len(rules.rules)
