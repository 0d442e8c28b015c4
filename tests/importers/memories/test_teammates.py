"""Teammates: notes of each teammate, typed memories and wisdom."""

from engram.importers.memories.items import FactItem
from engram.importers.memories.items import NoteItem
from tests.importers.memories.reading import only
from tests.importers.memories.reading import read
from tests.importers.memories.reading import reasons

TYPED = """---
version: 0.7.1
name: Short pull requests
description: "The user wants pull requests below 300 lines"
type: feedback
---

# Short pull requests

**Why:** they are read on a phone.
"""
WISDOM = """# Otter - Wisdom

Distilled principles. Read this first.

Last compacted: 2026-03-29

---

### Build before lint
The linter reads what the build makes.

### One lock
Two locks were taken in two orders.
"""
SOURCE = {
    ".teammates/otter/SOUL.md": "# Otter",
    ".teammates/otter/WISDOM.md": WISDOM,
    ".teammates/otter/memory/2026-03-13.md": "# 2026-03-13\n\n- Split the parser\n",
    ".teammates/otter/memory/weekly/2026-W11.md": "---\ntype: weekly\n---\n\nA calm week.\n",
    ".teammates/otter/memory/monthly/2026-02.md": "---\ntype: monthly\n---\n\nA calm month.\n",
    ".teammates/otter/memory/feedback_short_pulls.md": TYPED,
    ".teammates/otter/memory/decision_one_lock.md": "---\nname: One lock\ntype: project\n---\nText\n",
    ".teammates/_standups/2026-03-15.md": "shared",
}


def test_typed_memories_and_wisdom_are_facts() -> None:
    found = only(FactItem, read("teammates", SOURCE))

    assert [(item.entity, item.text, item.abstraction) for item in found] == [
        ("people/otter", "Build before lint: The linter reads what the build makes.", "principle"),
        ("people/otter", "One lock: Two locks were taken in two orders.", "principle"),
        ("people/anna", "The user wants pull requests below 300 lines", "pattern"),
        ("people/otter", "One lock", "pattern"),
    ]


def test_every_file_of_memory_is_kept_as_a_note_of_its_teammate() -> None:
    found = {item.name for item in only(NoteItem, read("teammates", SOURCE))}

    assert {
        "otter-WISDOM.md",
        "otter-2026-03-13.md",
        "otter-weekly-2026-W11.md",
        "otter-monthly-2026-02.md",
        "otter-feedback_short_pulls.md",
        "otter-decision_one_lock.md",
    } == found


def test_the_folder_of_one_teammate_is_read_too() -> None:
    source = {name.removeprefix(".teammates/otter/"): text for name, text in SOURCE.items()}

    found = only(FactItem, read("teammates", source, source="otter"))

    assert {"people/otter", "people/anna"} == {item.entity for item in found}


def test_what_is_no_memory_is_told() -> None:
    assert reasons(read("teammates", SOURCE)) == [("", "it is no memory of a teammate")]


def test_a_typed_memory_without_a_description_is_a_note_and_told() -> None:
    items = read("teammates", {"memory/project_x.md": "just text\n"})

    assert (len(only(FactItem, items)), len(only(NoteItem, items)), len(reasons(items))) == (0, 1, 1)
