"""The templates: exactly the slots that are filled, exactly the fields that are read."""

import re
from pathlib import Path

import pytest

from engram.base.templates import fill_template
from engram.base.templates import slots_of
from engram.errors import DamagedStateError
from engram.errors import MalformedInputError
from engram.heartbeat.child.phases import PHASES
from engram.model.handoff import Handoff
from engram.model.value import Value
from engram.rules.handoff.handoff import ACCEPTED
from engram.rules.handoff.handoff import COMMON_FIELDS
from engram.rules.handoff.handoff import parse_handoff

REFERENCES = Path(__file__).parents[2] / "references"
SLOTS = {
    "owner": "people/me",
    "entities": "projects/billing: Billing",
    "entries": '{"id": "note/1", "text": "{{owner}}"}',
}
TEMPLATES = sorted(ACCEPTED)
OPTIONAL = {  # fields of an item that one phase has no use for
    "HB-SYNTHESIS": {"domain"},
    "HB-DOMAINS": {"entity", "category", "abstraction", "sources"},
}


def template_of(name: str) -> str:
    return (REFERENCES / f"{name}.md").read_text(encoding="utf-8")


def example_of(name: str) -> str:
    found = re.search(rf"~~~text\n(=== {name} HANDOFF ===\n.*?=== END ===\n)~~~", template_of(name), re.DOTALL)
    assert found
    return found[1]


def items_of(handoff: Handoff) -> list[Value]:
    return [
        item for name in Handoff.model_fields for item in getattr(handoff, name) if isinstance(item, Value)
    ]  # fmt: skip


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


def test_every_phase_has_a_template_and_every_template_a_phase() -> None:
    assert {path.stem for path in REFERENCES.glob("HB-*.md")} == set(ACCEPTED)
    assert {phase.template for phase in PHASES} <= set(ACCEPTED)


@pytest.mark.parametrize("name", TEMPLATES)
def test_the_example_of_a_template_is_an_answer_that_shows_every_field_of_its_phase(name: str) -> None:
    shown = re.findall(r"^([A-Z][A-Za-z-]*): ", example_of(name), re.MULTILINE)
    handoff = parse_handoff(example_of(name), name)

    assert set(shown) == {*COMMON_FIELDS, *ACCEPTED[name]}
    for field in ACCEPTED[name]:
        assert getattr(handoff, field.casefold().replace("-", "_")), f"{field} shows nothing"
    for item in items_of(handoff):
        assert set(type(item).model_fields) - OPTIONAL.get(name, set()) == item.model_fields_set


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_speaks_of_no_field_that_its_phase_does_not_have(name: str) -> None:
    others = {field for fields in ACCEPTED.values() for field in fields} - set(ACCEPTED[name])

    assert {field for field in others if f"`{field}`" in template_of(name)} == set()
    for field in ACCEPTED[name]:
        assert f"`{field}`" in template_of(name) or field in template_of(name).partition("## Answer")[2]


@pytest.mark.parametrize("name", TEMPLATES)
def test_the_example_is_no_answer_where_it_stands(name: str) -> None:
    with pytest.raises(MalformedInputError, match="inside a code fence"):
        parse_handoff(template_of(name), name)


def test_the_readme_names_every_template_with_its_slots_and_fields() -> None:
    readme = (REFERENCES / "README.md").read_text(encoding="utf-8")
    rows = {row.split("`")[1]: row for row in readme.splitlines() if row.partition(" | ")[0].endswith(".md`")}

    assert set(rows) == {path.name for path in REFERENCES.glob("*.md")} - {"README.md", "SKILL.md", "AGENTS.md"}
    for file, row in rows.items():
        name = file.removesuffix(".md")
        _, _, _, slots, fields, _ = (cell.strip() for cell in row.split("|"))
        assert set(re.findall(r"`(\w+)`", slots)) == slots_of(name)
        assert set(fields.split(", ")) == ({*COMMON_FIELDS, *ACCEPTED[name]} if name in ACCEPTED else {"none"})
