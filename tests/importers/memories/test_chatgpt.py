"""ChatGPT: memories as they are copied out, or as JSON."""

import json

import pytest

from engram.importers.memories.items import FactItem
from tests.importers.memories.reading import only
from tests.importers.memories.reading import read
from tests.importers.memories.reading import reasons
from tests.importers.memories.reading import texts

COPIED = """Has a dog called Bo.

- Lives near the river.
2. Plays the cello
```
## Preferences
[2025-04-01] - Likes short answers
[unknown] - Dislikes lists
```
"""


def test_each_line_is_one_memory() -> None:
    items = read("chatgpt", {"memories.txt": COPIED})

    assert [text for _, text in texts(items)] == [
        "Has a dog called Bo.",
        "Lives near the river.",
        "Plays the cello",
        "Likes short answers",
        "Dislikes lists",
    ]
    assert [item.category for item in only(FactItem, items)] == [
        "context",
        "context",
        "context",
        "preference",
        "preference",
    ]
    assert [item.at.date().isoformat() if item.at else None for item in only(FactItem, items)] == [
        None,
        None,
        None,
        "2025-04-01",
        None,
    ]


def test_a_bold_line_is_a_heading_only_above_a_memory() -> None:
    lines = ["**Lives in Riga**", "**Has a dog**", "**Preferences:**", "Likes tea", "**Work**", "- Is a nurse"]
    items = read("chatgpt", {"memories.md": "\n".join([*lines, "**Swims** and **sings**", "", "**Plays chess**", ""])})

    assert [(item.text, item.category) for item in only(FactItem, items)] == [
        ("Lives in Riga", "context"),
        ("Has a dog", "context"),
        ("Likes tea", "preference"),
        ("Is a nurse", "context"),
        ("**Swims** and **sings**", "context"),
        ("Plays chess", "context"),
    ]


@pytest.mark.parametrize(
    "rows",
    [
        ["Has a dog"],
        [{"content": "Has a dog", "enabled": True}],
        {"memories": [{"memory": "Has a dog", "created_at": 1_750_000_000}]},
    ],
)
@pytest.mark.parametrize("name", ["memory.json", "memory.txt"])
def test_json_is_read_whatever_the_file_is_called(rows: object, name: str) -> None:
    assert texts(read("chatgpt", {name: json.dumps(rows)})) == [("people/anna", "Has a dog")]


def test_a_memory_that_was_switched_off_is_past() -> None:
    (found,) = only(FactItem, read("chatgpt", {"memory.json": '[{"content": "Has a dog", "enabled": false}]'}))

    assert found.is_past


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"[", b'{"conversations": []}', b"7", b"[{}]"])
def test_what_is_no_list_of_memories_is_told(content: bytes) -> None:
    items = read("chatgpt", {"memory.json": content})

    assert texts(items) == []
    assert len(reasons(items)) == 1
