"""Every category of facts has its place wherever categories are told apart; CONTRIBUTING.md lists these places."""

import re
import typing
from pathlib import Path

from engram.api.values import CategoryName
from engram.importers.export.items import V2_CATEGORIES
from engram.importers.memories.fields import _CATEGORIES
from engram.model.vocabulary import Category
from engram.rules.life.importance import WORTH_OF_KIND
from engram.rules.life.shelves import SHELVES
from engram.services.synthesis.rollup_lines import _SECTION_OF

REFERENCES = Path(__file__).resolve().parent.parent / "references"
ALL = set(Category)
OF_V2 = {"relationship", "milestone", "status", "preference", "context", "decision", "correction"}  # for good


def test_every_category_has_one_shelf_but_a_correction_stands_where_what_it_corrects_stood() -> None:
    placed = [category for shelf in SHELVES for category in shelf.categories]

    assert len(set(placed)) == len(placed)
    assert set(placed) == ALL - {Category.CORRECTION}


def test_every_category_is_weighed_and_has_a_section_of_roll_ups() -> None:
    assert set(WORTH_OF_KIND) == ALL
    assert set(_SECTION_OF) == ALL


def test_every_category_goes_out_to_another_memory_and_comes_in_from_one() -> None:
    assert {category.value for category in ALL - set(V2_CATEGORIES)} == OF_V2
    assert {category.value for category in V2_CATEGORIES.values()} <= OF_V2
    assert set(_CATEGORIES) == ALL


def test_every_category_is_named_to_programs_and_to_agents() -> None:
    extract, skill = ((REFERENCES / f"{name}.md").read_text(encoding="utf-8") for name in ("HB-EXTRACT", "SKILL"))
    (rule,) = re.findall(r"`category` is one of (.+?\))\.", extract, flags=re.DOTALL)
    rows = re.findall(r"^\| .+? \| `(\w+)`", skill, flags=re.MULTILINE)

    assert set(typing.get_args(CategoryName)) == {category.value for category in ALL}
    assert [category.value for category in ALL if not re.search(rf"\b{category.value}\b", rule)] == []
    assert set(rows) == {category.value for category in ALL}
