"""mem0: its lists under any of their names, and what each memory is about."""

import datetime as dt
import json
from typing import Any

import pytest

from engram.importers.memories.items import FactItem
from tests.importers.memories.reading import only
from tests.importers.memories.reading import read
from tests.importers.memories.reading import reasons
from tests.importers.memories.reading import texts

MEMORY: dict[str, Any] = {
    "id": "m1",
    "memory": "Enjoys rowing",
    "user_id": "tom",
    "categories": ["hobbies", "preferences"],
    "created_at": "2025-07-01T10:00:00-07:00",
    "updated_at": "2025-07-02T10:00:00-07:00",
    "expiration_date": "2027-01-01",
}


@pytest.mark.parametrize(
    "whole",
    [{"results": [MEMORY], "count": 1}, [MEMORY], {"memories": [MEMORY]}, MEMORY],
    ids=["get_all", "a list", "OpenMemory", "one memory"],
)
def test_every_shape_gives_the_same_memory(whole: object) -> None:
    (found,) = only(FactItem, read("mem0", {"export.json": json.dumps(whole)}))

    assert (
        found.entity,
        found.text,
        found.category,
        found.tags,
    ) == ("people/tom", "Enjoys rowing", "preference", ("hobbies", "preferences"))
    assert dt.datetime(2025, 7, 2, 17, tzinfo=dt.UTC) == found.at
    assert dt.datetime(2025, 7, 1, 17, tzinfo=dt.UTC) == found.valid_from
    assert dt.datetime(2027, 1, 1, tzinfo=dt.UTC) == found.valid_to


@pytest.mark.parametrize(
    ("fields", "entity"),
    [
        ({"user_id": "tom"}, "people/tom"),
        ({"agent_id": "helper"}, "people/helper"),
        ({"user_id": "default_user"}, "people/anna"),
        ({"user_id": "!!!"}, "people/anna"),
        ({}, "people/anna"),
    ],
)
def test_whom_a_memory_is_about(fields: dict[str, str], entity: str) -> None:
    items = read("mem0", {"export.json": json.dumps([{"content": "Sings", **fields}])})

    assert [(entity, "Sings")] == texts(items)


def test_what_is_no_memory_is_told_and_the_rest_is_read() -> None:
    rows = [
        {"memory": ""},
        None,
        {"memory": "x", "state": "deleted"},
        {"memory": "Sings", "created_at": "soon"},
        "Hums",
    ]

    items = read("mem0", {"export.json": json.dumps(rows)})

    assert [text for _, text in texts(items)] == ["Sings"]
    assert [place for place, _ in reasons(items)] == ["memory 1", "memory 2", "memory 3", "memory 4", "memory 5"]


@pytest.mark.parametrize("content", ["{}", "7", '{"results": 7}', "{", '{"categories": []}'])
def test_what_is_no_list_of_memories_is_told(content: str) -> None:
    assert len(reasons(read("mem0", {"export.json": content}))) == 1


def test_json_lines_are_read_line_by_line() -> None:
    items = read("mem0", {"export.jsonl": json.dumps(MEMORY) + "\n{oops\n"})

    assert texts(items) == [("people/tom", "Enjoys rowing")]
    assert [place for place, _ in reasons(items)] == ["line 2"]
