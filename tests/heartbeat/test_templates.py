"""The templates: exactly the slots that are filled, exactly the fields that are read."""

import re
from pathlib import Path

import pytest

from engram.errors import DamagedStateError
from engram.errors import MalformedInputError
from engram.heartbeat.templates import fill_template
from engram.model.handoff import HandoffFact
from engram.rules.handoff import parse_handoff

REFERENCES = Path(__file__).parents[2] / "references"
SLOTS = {
    "owner": "people/me",
    "entities": "projects/billing: Billing",
    "entries": '{"id": "note/1", "text": "{{owner}}"}',
}


def test_what_is_filled_in_is_never_taken_for_a_slot() -> None:
    text = fill_template("HB-EXTRACT", SLOTS)

    assert SLOTS["entries"] in text
    assert "people/me" in text


def test_a_slot_too_many_or_too_few_is_found() -> None:
    for slots in ({**SLOTS, "extra": ""}, {"owner": ""}):
        with pytest.raises(DamagedStateError, match="slots"):
            fill_template("HB-EXTRACT", slots)


def test_a_template_that_is_not_there_is_named() -> None:
    with pytest.raises(DamagedStateError, match="HB-NOTHING"):
        fill_template("HB-NOTHING", {})


def test_the_example_of_the_template_is_an_answer_that_shows_every_field_but_is_none_where_it_stands() -> None:
    template = (REFERENCES / "HB-EXTRACT.md").read_text(encoding="utf-8")
    example = re.search(r"~~~text\n(=== HB-EXTRACT.*?=== END ===\n)~~~", template, re.DOTALL)
    assert example
    (fact,) = parse_handoff(example[1], "HB-EXTRACT").facts

    assert set(HandoffFact.model_fields) == fact.model_fields_set
    with pytest.raises(MalformedInputError, match="no complete block"):
        parse_handoff(template, "HB-EXTRACT")


def test_the_readme_names_every_template() -> None:
    readme = (REFERENCES / "README.md").read_text(encoding="utf-8")

    for template in REFERENCES.glob("HB-*.md"):
        assert f"`{template.name}`" in readme
        assert set(re.findall(r"\{\{([a-z_]+)\}\}", template.read_text(encoding="utf-8"))) <= set(
            re.findall(r"`(\w+)`", readme)
        )
