"""The MCP reference server: entities with observations, and relations."""

import json
from typing import Any

import pytest

from engram.importers.memories.items import EntityItem
from engram.importers.memories.items import FactItem
from tests.importers.memories.reading import only
from tests.importers.memories.reading import read
from tests.importers.memories.reading import reasons
from tests.importers.memories.reading import texts


def graph(*rows: Any) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def entity(name: str, kind: str = "person", *observations: Any) -> dict[str, Any]:
    return {"type": "entity", "name": name, "entityType": kind, "observations": list(observations)}


def relation(begin: str, verb: str, end: str) -> dict[str, Any]:
    return {"type": "relation", "from": begin, "to": end, "relationType": verb}


TOM, PIER = entity("Tom Reed", "person", "Speaks Welsh", "Sails"), entity("Pier 9", "place")


def test_observations_are_facts_about_their_entity() -> None:
    items = read("mcp-memory", {"memory.jsonl": graph(TOM, PIER)})

    assert texts(items) == [("people/tom-reed", "Speaks Welsh"), ("people/tom-reed", "Sails")]
    assert [item.path for item in only(EntityItem, items)] == ["people/tom-reed", "projects/pier-9"]
    assert [item.title for item in only(EntityItem, items)] == ["Tom Reed", "Pier 9"]


def test_a_relation_is_a_fact_that_is_related_to_its_target_also_when_it_stands_first() -> None:
    items = read("mcp-memory", {"memory.jsonl": graph(relation("Tom Reed", "works_at", "Pier 9"), TOM, PIER)})

    (found,) = (item for item in only(FactItem, items) if item.category == "relationship")
    assert (
        found.entity,
        found.text,
        found.related,
    ) == ("people/tom-reed", "Tom Reed works at Pier 9", ("projects/pier-9",))


def test_the_answer_of_read_graph_is_read_too() -> None:
    whole = {"entities": [{**TOM, "type": "x"}], "relations": [relation("Tom Reed", "owns", "Boat")]}

    items = read("mcp-memory", {"graph.json": json.dumps(whole)})

    assert [text for _, text in texts(items)] == ["Speaks Welsh", "Sails", "Tom Reed owns Boat"]


@pytest.mark.parametrize(
    ("whole", "told"),
    [
        ({"graph": {"entities": [TOM]}}, [("", "it has no list under entities or relations")]),
        ({"entities": 5, "relations": []}, [("entities", "it is no list")]),
        ({"entities": None, "relations": {"from": "Tom"}}, [("relations", "it is no list")]),
    ],
)
def test_an_object_without_the_lists_is_told(whole: object, told: list[tuple[str, str]]) -> None:
    assert told == reasons(read("mcp-memory", {"graph.json": json.dumps(whole)}))


def test_two_names_of_one_slug_stay_two_entities() -> None:
    items = read("mcp-memory", {"memory.jsonl": graph(entity("Tom Reed"), entity("Tom  reed"), entity("TOM REED"))})

    assert len({item.path for item in only(EntityItem, items)}) == 3


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{oops", "it is not valid JSON"),
        ("[1]", "it is not a JSON object"),
        ('{"type": "node"}', "type 'node' is neither entity nor relation"),
        ('{"type": "entity", "name": "!!!"}', "it has no name that an entity could have here"),
        ('{"type": "entity", "name": "Tom"}', "it has no list of observations"),
        ('{"type": "entity", "name": "Tom", "observations": [7]}', "it is not a text"),
        ('{"type": "relation", "from": "Tom", "to": "Pier"}', "it needs from, to and relationType"),
        ('{"a":' * 50_000, "it is nested too deeply"),
    ],
)
def test_a_bad_line_is_told_with_its_number_and_the_others_are_read(line: str, reason: str) -> None:
    items = read("mcp-memory", {"memory.jsonl": graph(TOM) + line + "\n" + graph(PIER)})

    (place, told), *_ = reasons(items)
    assert place.startswith("line 2")
    assert told.startswith(reason)
    assert {"people/tom-reed", "projects/pier-9"} <= {item.path for item in only(EntityItem, items)}
