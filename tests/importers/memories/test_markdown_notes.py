"""OpenClaw's folder: what was curated becomes facts, and every file a note."""

from engram.importers.memories.items import FactItem
from engram.importers.memories.items import NoteItem
from tests.importers.memories.reading import only
from tests.importers.memories.reading import read
from tests.importers.memories.reading import reasons
from tests.importers.memories.reading import texts

CURATED = """# Memory

## Preferences

- Prefers short answers
- **Tea**, never coffee

## Background

The shop opened in May.

```
not a statement
```
"""


def test_each_statement_of_memory_md_is_a_fact_of_the_category_its_heading_promises() -> None:
    items = read("openclaw", {"MEMORY.md": CURATED})

    assert [
        ("people/anna", "Prefers short answers"),
        ("people/anna", "Tea, never coffee"),
        ("people/anna", "The shop opened in May."),
    ] == texts(items)
    assert ["preference", "preference", "context"] == [item.category for item in only(FactItem, items)]
    assert [CURATED] == [item.text for item in only(NoteItem, items)]


def test_notes_by_day_and_what_hooks_write_are_kept_as_they_are() -> None:
    notes: dict[str, str | bytes] = {
        "memory/2026-01-02.md": "- Met Tom\n",
        "memory/important/2026-01-02-move.md": "# Move\n",
        "2026-01-03.md": "- Swam\n",
        "memory/empty.md": "\n",
        "src/readme.md": "no memory",
        "memory/picture.png": b"\x89PNG",
    }

    found = {item.name: item.text for item in only(NoteItem, read("openclaw", notes))}

    assert {
        "2026-01-02.md": "- Met Tom\n",
        "important-2026-01-02-move.md": "# Move\n",
        "2026-01-03.md": "- Swam\n",
    } == found


def test_memory_md_under_two_names_counts_once() -> None:
    assert 3 == len(texts(read("openclaw", {"MEMORY.md": CURATED, "memory.md": CURATED})))


def test_what_is_no_text_is_told_once() -> None:
    assert [("", "it is not UTF-8 text (byte 0)")] == reasons(read("openclaw", {"MEMORY.md": b"\xff\x00"}))
