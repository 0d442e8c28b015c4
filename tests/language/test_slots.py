import re

import pytest

from engram.language.lexicon import fold
from engram.language.slots import find_slot
from engram.language.slots import read_slot
from engram.language.slots import single_valued
from tests.language.examples import PATTERNS

ENTRY = re.compile(r"(?m)^\[(\w+)\]$")


def examples() -> list[tuple[str, str, str, str]]:
    text = (PATTERNS / "attributes.toml").read_text("utf-8")
    sections = ENTRY.split(text)[1:]
    return [
        (attribute, mark, *(words.partition(" => ")[::2]))
        for attribute, section in zip(sections[::2], sections[1::2], strict=True)
        for mark, words in re.findall(r"(?m)^ +# ([+-]) (.*)$", section)
    ]


@pytest.mark.parametrize(("attribute", "mark", "sentence", "value"), examples())
def test_templates_read_their_examples_and_only_those(attribute: str, mark: str, sentence: str, value: str) -> None:
    assert find_slot(sentence) == ((attribute, value) if mark == "+" else None)


def test_every_template_has_both_examples() -> None:
    sections = ENTRY.split((PATTERNS / "attributes.toml").read_text("utf-8"))[1:]
    for section in sections[1::2]:
        templates = len(re.findall(r"(?m)^  ['\"]", section))
        assert len(re.findall(r"(?m)^  # \+ ", section)) == templates
        assert len(re.findall(r"(?m)^  # - ", section)) == templates


def test_the_value_keeps_its_spelling_and_the_subject_is_folded() -> None:
    slot = read_slot("Anna  works at  Acme GmbH.")

    assert slot is not None
    assert (slot.who, slot.attribute, slot.value) == ("anna", "employer", "Acme GmbH")


def test_a_question_states_nothing() -> None:
    assert find_slot("Anna works at Acme?") is None


@pytest.mark.parametrize("name", ["employer", "Company", "due date", "due_date", "город"])
def test_single_valued_attributes_are_known_by_all_their_names(name: str) -> None:
    assert single_valued(name)


@pytest.mark.parametrize("name", ["skill", "hobby", "tag", "favourite smell", ""])
def test_other_attributes_may_hold_many_values(name: str) -> None:
    assert not single_valued(name)


def test_folding_joins_spellings() -> None:
    assert fold("ЁЛКА\u00a0\u2019s  Ｃ") == "елка 's c"
