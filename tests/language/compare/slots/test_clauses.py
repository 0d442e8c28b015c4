"""The clauses of a compound statement: the examples beside the patterns, and whose slots they state."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language.compare.reading.stems import fold
from engram.language.compare.slots.clauses import clauses_about
from engram.language.compare.slots.clauses import read_clauses
from engram.language.compare.slots.slots import may_state
from engram.language.compare.slots.slots import read_slot
from tests.cases import for_each
from tests.language.examples import PATTERNS

FILES = sorted((PATTERNS / "clauses").glob("*.toml"))
KEY = re.compile(r"(?m)^(?=(?:joint|begins|speaker|other|unreal|before|elsewhen|finite) = )")


def examples() -> list[tuple[str, str, str]]:
    found = [re.findall(r"(?m)^# ([+-]) (.*)$", path.read_text("utf-8")) for path in FILES]
    return [(mark, *(words.partition(" => ")[::2])) for lines in found for mark, words in lines]


def stated(text: str) -> str:
    slots = [clause.slot for clause in read_clauses(text)]
    return "; ".join(f"{slot.who} {slot.attribute} {slot.value}" if slot else "-" for slot in slots)


@for_each(("mark", "sentence", "expected"), examples())
def test_clauses_state_what_the_examples_say(mark: str, sentence: str, expected: str) -> None:
    assert stated(sentence) == (expected if mark == "+" else "")


@for_each(
    ("text", "expected"),
    [
        ("Anna works at Acme, and Omar lives in Riga", [("employer", "Acme"), None]),
        (
            "Anna works at Acme, and her email is anna@example.com",
            [("employer", "Acme"), ("email", "anna@example.com")],
        ),
        ("Omar works at Acme, and Anna lives in Riga", [None, ("city", "Riga")]),
        ("Omar works at Acme, and she lives in Riga", []),
        ("My brother works at Acme, and he lives in Riga", []),
        ("My brother works at Acme, and I live in Riga", [None, ("city", "Riga")]),
        ("Anna works at Acme, and her brother lives in Riga", [("employer", "Acme"), None]),
        ("Her company is Acme, and its phone number is +49 30 123456", [("employer", "Acme"), None]),
        ("Anna works at Acme", []),
    ],
)
def test_a_clause_states_only_what_is_said_of_the_entity(text: str, expected: list[tuple[str, str] | None]) -> None:
    clauses = clauses_about(text, "people/anna", ("Anna", "Anna Petrova"))

    assert [clause.slot and (clause.slot.attribute, clause.slot.value) for clause in clauses] == expected


@for_each(
    ("text", "expected"),
    [
        ("Anna works at Acme and lives in Riga", ("Anna works at Acme", "Anna lives in Riga")),
        ("I'm based in Riga and work at Acme", ("I'm based in Riga", "I work at Acme")),
        ("Anna works at Acme, and she loves it", ("Anna works at Acme", "she loves it")),
        ("安娜在腾讯工作，住在北京", ("安娜在腾讯工作", "安娜住在北京")),
        ("안나는 카카오에서 일하고 부산에 산다", ("안나는 카카오에서 일한다", "안나는 부산에 산다")),
    ],
)
def test_each_clause_is_a_statement_of_its_own(text: str, expected: tuple[str, ...]) -> None:
    assert tuple(clause.text for clause in read_clauses(text)) == expected


@given(st.text(alphabet="I work at Acmeandlivus,.;我在腾讯工作，住北京저는일하고 ", max_size=120))
def test_any_text_is_read_and_no_clause_says_what_the_statement_does_not(text: str) -> None:
    clauses = read_clauses(text)

    assert len(clauses) != 1
    for clause in clauses:
        assert clause.slot is None or clause.slot.value in " ".join(text.split())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_expression_has_both_examples(path: object) -> None:
    parts = KEY.split(path.read_text("utf-8"))[1:]  # type: ignore[attr-defined]
    assert len(parts) >= 6
    for part in parts:
        lines = re.findall(r"(?m)^# [+-] .*$", part)
        assert any(line.startswith("# + ") for line in lines), part[:60]
        other = part.startswith("other")  # it never keeps a statement from being read: one clause states nothing
        assert other or any(line.startswith("# - ") for line in lines), part[:60]


@for_each(
    ("text", "clauses"),
    [
        ("我住在杭州，下个月搬到上海", [("我住在杭州", "杭州"), ("我下个月搬到上海", None)]),
        ("我下个月搬到上海，在阿里工作", [("我下个月搬到上海", "上海"), ("我在阿里工作", "阿里")]),
        (
            "Анна живёт в Риге, а с мая живёт в Берне",
            [("Анна живёт в Риге", "Риге"), ("Анна с мая живёт в Берне", None)],
        ),
    ],
)
def test_a_clause_of_a_day_to_come_is_about_the_same_subject_and_contests_nothing(
    text: str, clauses: list[tuple[str, str | None]]
) -> None:
    read = read_clauses(text)

    assert [(clause.text, clause.slot.value if clause.slot else None) for clause in read] == clauses
    assert len({clause.who for clause in read}) == 1


@for_each(("mark", "sentence", "expected"), examples())
def test_no_part_of_a_text_states_what_its_words_rule_out(mark: str, sentence: str, expected: str) -> None:
    del mark, expected
    words = sentence.split()
    parts = [" ".join(words[begin:end]) for begin in range(len(words)) for end in range(begin + 1, len(words) + 1)]

    assert may_state(fold(sentence)) or [part for part in parts if read_slot(part)] == []
