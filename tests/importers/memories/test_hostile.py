"""No reader fails on what it was not made for, and none gives a statement without a text or a path that leads out."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.base.text import parse_entity_path
from engram.importers.memories.formats import FORMATS
from engram.importers.memories.items import EntityItem
from engram.importers.memories.items import FactItem
from tests.importers.memories.reading import only
from tests.importers.memories.reading import read

NAMES = {
    "engram-v2": "life/people/x/items.json",
    "openclaw": "MEMORY.md",
    "openclaw-mem": "observations.jsonl",
    "teammates": "otter/memory/project_x.md",
    "mem0": "memories.json",
    "mcp-memory": "memory.jsonl",
    "basic-memory": "x.md",
    "chatgpt": "memories.json",
}
KEYS = st.sampled_from(
    [
        *("id", "fact", "facts", "text", "memory", "memories", "results", "content", "type", "name", "entityType"),
        *("observations", "entities", "relations", "from", "to", "relationType", "category", "tags", "timestamp"),
        *("supersededBy", "relatedEntities", "status", "summary", "kind", "ts", "session_id", "user_id", "metadata"),
    ]
)
WORDS = st.sampled_from(["entity", "relation", "x", "", "\ud800", "a\x00b", "../../x", "people/x", "2025-01-01"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=20,
)


@pytest.mark.parametrize("form", FORMATS)
@given(value=VALUES)
def test_any_json_is_read_or_told(form: str, value: object) -> None:
    items = read(form, {NAMES[form]: json.dumps(value) + "\n"})

    assert all(item.text.strip() for item in only(FactItem, items))
    assert all(parse_entity_path(item.entity) for item in only(FactItem, items))
    assert all(parse_entity_path(item.path) for item in only(EntityItem, items))


@pytest.mark.parametrize("form", FORMATS)
@given(data=st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_are_read_or_told(form: str, data: bytes) -> None:
    for item in only(FactItem, read(form, {NAMES[form]: data})):
        assert item.text.strip()


@pytest.mark.parametrize("form", FORMATS)
def test_a_line_of_ten_megabytes_is_read_or_told(form: str) -> None:
    assert read(form, {NAMES[form]: b"- [fact] " + b"x" * 10_000_000})
