"""The MCP reference server "memory": JSON lines of entities with observations, and of relations between them.

Documented in modelcontextprotocol/servers, src/memory (README and index.ts, as of 2026): each line is
{"type": "entity", "name", "entityType", "observations": [text]} or {"type": "relation", "from", "to", "relationType"},
relations in the active voice. The same two lists as one JSON object, as `read_graph` answers them, are read too.

Our reading: an observation is a fact about its entity, of which no date is known; a relation is a fact about `from`
that is related to `to`; an entity of type person and the like is a person, every other a project.
"""

from collections.abc import Iterable
from collections.abc import Iterator
from typing import Any

from engram.importers.memories.fields import Unreadable
from engram.importers.memories.fields import decode
from engram.importers.memories.fields import first_text
from engram.importers.memories.fields import json_lines
from engram.importers.memories.fields import load_json
from engram.importers.memories.items import EntityItem
from engram.importers.memories.items import FactItem
from engram.importers.memories.items import Format
from engram.importers.memories.items import Item
from engram.importers.memories.items import Remark
from engram.importers.memories.items import SourceFile
from engram.importers.memories.items import Subject
from engram.importers.memories.items import is_called
from engram.importers.memories.names import Names

_Row = tuple[str, dict[str, Any]]
_LISTS = {"entities": "entity", "relations": "relation"}  # of the one object, and what stands in them


def parse(files: Iterable[SourceFile], subject: Subject) -> Iterator[Item]:
    """Yield entities with their observations, then the relations."""
    del subject  # everything here names its entity
    for file in files:
        rows: list[_Row] = []
        for found in _rows(file):
            if isinstance(found, Remark):
                yield found
            else:
                rows.append(found)
        yield from _graph(file.name, rows)


def _rows(file: SourceFile) -> Iterator[_Row | Remark]:
    """Yield every entity and relation; the whole file may be one JSON object instead of lines."""
    try:
        whole = load_json(decode(file))
    except Unreadable:
        whole = None
    lists = whole if isinstance(whole, dict) and "type" not in whole else {}
    if not lists:
        yield from json_lines(file)
        return
    if not lists.keys() & _LISTS.keys():
        yield Remark(file.name, "", f"it has no list under {' or '.join(_LISTS)}")
    for name, kind in _LISTS.items():
        rows = lists.get(name) or []
        if not isinstance(rows, list):
            yield Remark(file.name, name, "it is no list")
            continue
        for place, row in enumerate(rows, 1):
            if isinstance(row, dict):
                yield f"{name} {place}", {**row, "type": kind}
            else:
                yield Remark(file.name, f"{name} {place}", "it is not a JSON object")


def _graph(file: str, rows: list[_Row]) -> Iterator[Item]:
    names = Names()
    for _, row in rows:
        if row.get("type") == "entity":
            names.add(first_text(row, "name"), first_text(row, "entityType"))
    for place, row in rows:
        match row.get("type"):
            case "entity":
                yield from _entity(file, place, row, names)
            case "relation":
                yield from _relation(file, place, row, names)
            case other:
                yield Remark(file, place, f"type {str(other)[:40]!r} is neither entity nor relation")


def _entity(file: str, place: str, row: dict[str, Any], names: Names) -> Iterator[Item]:
    name = first_text(row, "name")
    path = names.find(name)
    if not path:
        yield Remark(file, place, "it has no name that an entity could have here")
        return
    kind = first_text(row, "entityType")
    yield EntityItem(file, place, path, name)
    observations = row.get("observations")
    if not isinstance(observations, list):
        yield Remark(file, place, "it has no list of observations")
        return
    for number, text in enumerate(observations, 1):
        where = f"{place}, observation {number}"
        if isinstance(text, str) and text.strip():
            yield FactItem(file, where, path, text, name, tags=(kind,) if kind else ())
        else:
            yield Remark(file, where, "it is not a text")


def _relation(file: str, place: str, row: dict[str, Any], names: Names) -> Iterator[Item]:
    begin, end, verb = first_text(row, "from"), first_text(row, "to"), first_text(row, "relationType")
    path, other = names.find(begin), names.find(end)
    if not (path and other and verb):
        yield Remark(file, place, "it needs from, to and relationType")
        return
    text = f"{begin} {verb.replace('_', ' ')} {end}"
    related = () if path == other else (other,)
    yield FactItem(file, place, path, text, begin, category="relationship", tags=(verb,), related=related)
    if not names.is_declared(end):
        yield EntityItem(file, place, other, end)


FORMAT = Format(lambda name: is_called(name, ("memory", "graph"), (".jsonl", ".json", ".ndjson")), parse)
