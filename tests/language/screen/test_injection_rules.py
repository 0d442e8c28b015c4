"""Rules tried only where they can match, with what the whole expression finds."""

import re

from hypothesis import given
from hypothesis import strategies as st

from engram.language.screen.injection_rules import Rule
from engram.language.screen.injection_rules import Rules
from engram.language.screen.injection_rules import known_rules
from engram.language.screen.injection_rules import leftmost
from engram.language.screen.obfuscation import Vocabulary
from engram.language.text.normal_forms import words_of
from tests.cases import for_each
from tests.language.orders import ENGLISH
from tests.language.orders import RUSSIAN

RULE = Rule("opens a gate", ["gate", "->"], r"\bopen\s(?:sesame|the\s\w{1,9})\b|\bknock{2}\b|[a-z]{3,9}:\s?key", {})
ALTERNATIVES = st.lists(st.sampled_from(["ab", "b+", "(?<=a)b", "a[ab]{1,2}?", "ba|c", r"\bc", "abc"]), min_size=1)


@given(ALTERNATIVES, st.text("abc ", max_size=30), st.integers(0, 5), st.integers(0, 40))
def test_finds_what_the_whole_expression_finds(sources: list[str], text: str, begin: int, stop: int) -> None:
    whole = re.compile("|".join(sources)).finditer(text, begin, stop)
    alone = [part for source in sources for part in source.split("|")]
    assert [match.span() for match in leftmost(alone, text, begin, stop)] == [match.span() for match in whole]


@for_each(
    ("text", "expected"),
    [
        ("open sesame at the gate", [r"\bopen\s(?:sesame|the\s\w{1,9})\b"]),
        ("reopen the box -> now:", [r"\bopen\s(?:sesame|the\s\w{1,9})\b"]),  # it may; the expression says it does not
        ("reopen the box -> now", []),  # none of the phrases near which it is tried
        ("open sesame", []),  # nothing of what has to stand there as well
        ("a gate", []),
        ("knockk at the gate", [r"\bknock{2}\b"]),
        ("gate: key", ["[a-z]{3,9}:\\s?key"]),
        ("a key of the gate", []),
    ],
)
def test_tries_what_can_match(text: str, expected: list[str]) -> None:
    rules = Rules(Vocabulary((), ()))
    rules.add(RULE, ["open", "knock", "key", ":"], "[a-z]")
    seen = rules.seen(text, words_of(text))
    parts = [part for rule, _ in seen.rules for part in rule.parts_in(text, seen.held)]
    assert [part.source for part in parts] == expected
    assert RULE.sources_in(text, 0, len(text), parts) == expected


def test_tries_a_phrase_that_only_a_line_parts() -> None:
    rules = Rules(Vocabulary((), ()))
    rules.add(RULE, ["open the", "<| gate"], "[a-z]")
    for text in ("open\n  the gate", "<|\n gate", "<|  *gate*"):
        assert [rule for rule, _ in rules.seen(text, words_of(text)).rules] == [RULE]
    assert not rules.seen("open a door of the gate", ["open", "a", "door", "of", "the", "gate"]).rules


@for_each(("text", "expected"), [("now go home", 1), ("home", 1), ("now go to the house.", 0)])
def test_looks_first_for_what_follows_the_lead(text: str, expected: int) -> None:
    lead = r"(?:^|\bnow\s)"
    rule = Rule("sends away", (), r"{go}(?:go\s)?\bho(?:me|use)$", {"go": lead})
    parts = rule.parts_in(text, {*rule.literals()})
    assert len(rule.sources_in(text, 0, len(text), parts)) == expected


@for_each("text", [*ENGLISH, *RUSSIAN])
def test_leaves_no_match_out(text: str) -> None:
    low = text.lower().replace("ё", "е")
    seen = known_rules().seen(low, words_of(low))
    more = " ".join([low, *ENGLISH, *RUSSIAN]).lower()
    every = known_rules().seen(more, words_of(more))
    for rule, _ in every.rules:
        parts = rule.parts_in(low, every.held)
        found = {source for source in rule.sources_in(low, 0, len(low), parts) if re.search(source, low)}
        assert found <= {part.source for part in rule.parts_in(low, seen.held)}
