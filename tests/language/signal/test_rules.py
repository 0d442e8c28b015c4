from pathlib import Path

import pytest

from engram.language.matching.near_index import INDEXED_AFTER
from engram.language.signal.detector import detect
from engram.language.signal.rules import Guard
from engram.language.signal.rules import RuleSet
from engram.language.signal.rules import load_rules
from engram.language.signal.user_statements import normalize
from tests.cases import for_each
from tests.language.examples import PATTERNS
from tests.language.examples import Example
from tests.language.examples import patterns_without_both
from tests.language.examples import read_examples

FILES = sorted((PATTERNS / "signal").glob("*.toml"))
EXAMPLES = [(path.stem, example) for path in FILES for example in read_examples(path)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_pattern_has_a_positive_and_a_negative_example(path: Path) -> None:
    assert patterns_without_both(path) == []


@for_each(("language", "example"), [pair for pair in EXAMPLES if pair[1].table == "rule"])
def test_rules_find_their_examples_and_only_those(language: str, example: Example) -> None:
    result = detect(example.text)

    spoke = example.entry["name"] in result.reason and "but it" not in result.reason
    assert spoke == example.found, result
    if example.found:
        assert result.language == language
        assert example.entry["category"] in result.categories
        assert result.spans[0].text in example.text


@for_each(("language", "example"), [pair for pair in EXAMPLES if pair[1].table == "guards"])
def test_guards_match_their_examples_and_only_those(language: str, example: Example) -> None:
    rules = load_rules(language)
    assert rules is not None

    assert (rules.guards[example.entry["name"]].end_in(normalize(example.text)) >= 0) == example.found


@for_each(("language", "example"), [pair for pair in EXAMPLES if pair[1].table == "smalltalk"])
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


def test_the_rules_near_a_statement_are_those_with_a_word_in_it_in_the_order_of_the_file() -> None:
    rules = _fresh("en")
    lines = ["nothing", "i prefer tea", "i prefer tea, and we decided to buy it"]

    near = rules.near(lines)

    assert near == {
        place: listed
        for place, line in enumerate(lines)
        if (listed := [(rule, rule) for rule in rules.rules if rule.is_near(line)])
    }
    assert "says what is preferred" in [rule.name for rule, _ in near[1]]


@for_each(("language", "example"), [pair for pair in EXAMPLES if pair[1].table == "rule"])
def test_a_process_that_has_read_much_finds_the_same_as_one_that_begins(language: str, example: Example) -> None:
    rules = load_rules(language)
    assert rules is not None
    words = normalize(example.text)
    rules.near(["x" * INDEXED_AFTER])

    spoken = {rule.name for rule in rules.rules if rule.is_near(words) and rule.found_in(words)}
    near = rules.near([words]).get(0, [])

    assert all(pattern is not rule for rule, pattern in near)
    assert {rule.name for rule, part in near if part.found_in(words) and rule.is_near(words)} == spoken
    assert [rules.rules.index(rule) for rule, _ in near] == sorted(rules.rules.index(rule) for rule, _ in near)


def _fresh(language: str) -> RuleSet:
    """Read the rules of a language as a new process does."""
    rules = load_rules.__wrapped__(language)
    assert rules is not None
    return rules


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_guard_has_a_positive_and_a_negative_example(path: Path) -> None:
    marks = {(example.entry["name"], example.found) for example in read_examples(path) if example.table == "guards"}
    rules = load_rules(path.stem)
    assert rules is not None

    assert marks == {(name, found) for name in rules.guards for found in (True, False)}


@for_each(
    ("words", "end"),
    [
        ("다크 모드를 좋아하나요", 12),
        ("다크 모드를 좋아하나요ㅋㅋ !!", 17),
        ("다크 모드를 좋아하나요 :)", 15),
        ("좋아하나요 라고 적었다", -1),
        ("하나요" + "가" * 90, -1),
        ("나요", -1),
    ],
)
def test_a_guard_may_stand_at_the_end_before_marks_faces_and_laughter(words: str, end: int) -> None:
    guard = Guard({"last": "나요 까", "ending": "[가-힣]나요|{asked}"}, {"asked": "[가-힣]까"})

    assert guard.end_in(words) == end


@for_each(
    ("words", "end"), [("well, i like tea", 6), ("wellington is far", -1), ("好吧我喜欢茶", 2), ("好茶", -1), ("", -1)]
)
def test_a_guard_is_known_by_its_first_words_or_beginnings(words: str, end: int) -> None:
    assert Guard({"first": "well 好吧", "pattern": "{opening}"}, {"opening": "well, |好吧"}).end_in(words) == end


def test_a_guard_without_words_is_always_tried_and_one_with_an_ending_may_begin_too() -> None:
    assert Guard({"pattern": "ab"}, {}).end_in("abc") == 2
    assert Guard({"pattern": "ab", "last": "z", "ending": "yz"}, {}).end_in("abc") == 2
    assert Guard({"pattern": "ab", "last": "z", "ending": "yz"}, {}).end_in("xyz.") == 4


@for_each(
    ("message", "is_smalltalk"),
    [
        ("谢谢你好的", True),
        ("好 的 ， 谢谢", True),
        ("哈哈哈哈哈哈", True),
        ("谢谢茶", False),
        ("네 감사합니다ㅎㅎ", True),
        ("네감사합니다", False),
        ("감사 합니다", True),
        ("ㅋㅋㅋ", True),
        ("ok谢谢", True),
        ("好的" * 8, True),
        ("好的" * 9, False),
    ],
)
def test_phrases_of_scripts_without_reliable_spaces_are_a_run_of_letters(message: str, *, is_smalltalk: bool) -> None:
    rules = RuleSet({}, (), frozenset({"好的", "谢谢", "你", "哈", "ok", "네", "감사합니다"}))

    assert rules.is_smalltalk(message) == is_smalltalk


def test_of_several_categories_of_a_statement_the_surest_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = load_rules("en")
    assert rules is not None
    text = "We decided to use Rust for the gateway and I prefer it to Go."
    for surest in ("preference", "decision"):
        for rule in rules.rules:
            monkeypatch.setattr(rule, "confidence", 0.9 if rule.category == surest else 0.8)

        spans = detect(text).spans

        assert {span.category for span in spans} == {"preference", "decision"}
        assert spans[0].category == surest
