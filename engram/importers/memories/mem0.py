"""mem0: the JSON that `get_all`, a memory export or OpenMemory's backup gives.

Documented at docs.mem0.ai ("Export Stored Memories", API reference, as of 2026): {"results": [...]} or a bare list; a
memory has id, memory, user_id, agent_id, run_id, metadata, categories, created_at and updated_at, sometimes
expiration_date. OpenMemory's memories.json has {"memories": [...]} with content and state. An export by a schema of
one's own can name its fields otherwise: only memory, content, text and data are looked for.

Our reading: user_id, else agent_id, names whom the memory is about; without either it is about the owner. A memory in
the state "deleted" is left out.
"""

from collections.abc import Iterable
from collections.abc import Iterator
from typing import Any

from engram.importers.memories.damaged import Row
from engram.importers.memories.damaged import readable_rows
from engram.importers.memories.fields import Unreadable
from engram.importers.memories.fields import category_of
from engram.importers.memories.fields import decode
from engram.importers.memories.fields import entity_for
from engram.importers.memories.fields import first_text
from engram.importers.memories.fields import instant
from engram.importers.memories.fields import json_lines
from engram.importers.memories.fields import load_json
from engram.importers.memories.fields import texts
from engram.importers.memories.fields import unread_time
from engram.importers.memories.items import Effect
from engram.importers.memories.items import FactItem
from engram.importers.memories.items import Format
from engram.importers.memories.items import Item
from engram.importers.memories.items import Remark
from engram.importers.memories.items import SourceFile
from engram.importers.memories.items import Subject
from engram.importers.memories.items import is_called

_LISTS = ("results", "memories", "data", "items")
_NOBODY = frozenset({"user", "default", "default_user", "default-user", "me"})  # ids that name no one


def parse(files: Iterable[SourceFile], subject: Subject) -> Iterator[Item]:
    """Yield each memory of each file."""
    for file in files:
        if file.name.casefold().endswith((".jsonl", ".ndjson")):
            for found in json_lines(file):
                yield from (found,) if isinstance(found, Remark) else _memory(file.name, *found, subject)
            continue
        rows: Iterable[Row]
        try:
            rows = enumerate(_rows(load_json(decode(file))), 1)
        except Unreadable as problem:
            rows = readable_rows(file, _LISTS, "memory", problem)
        for one in rows:
            yield from (one,) if isinstance(one, Remark) else _memory(file.name, f"memory {one[0]}", one[1], subject)


def _rows(whole: Any) -> list[Any]:
    if isinstance(whole, list):
        return whole
    if isinstance(whole, dict):
        for name in _LISTS:
            if isinstance(whole.get(name), list):
                return list(whole[name])
        if first_text(whole, "memory", "content"):
            return [whole]
    raise Unreadable(f"it is no list of memories, nor an object with one under {' or '.join(_LISTS)}")


def _memory(file: str, place: str, row: Any, subject: Subject) -> Iterator[Item]:
    fields: dict[str, Any] = row if isinstance(row, dict) else {}
    text = first_text(fields, "memory", "content", "text", "data")
    if not text:
        yield Remark(file, place, "it has no text under memory")
        return
    if first_text(fields, "state") == "deleted":
        yield Remark(file, place, "it was deleted there", Effect.LEFT_OUT)
        return
    begun, changed = fields.get("created_at"), fields.get("updated_at")
    at = instant(changed, subject.zone) or instant(begun, subject.zone)
    yield from unread_time(file, place, "created_at", begun or changed, at)
    category, tags, why = _category(fields)
    if why:
        yield Remark(file, place, why, Effect.CHANGED)
    who = _whom(fields)
    key = first_text(fields, "id")
    yield FactItem(
        file,
        place,
        entity_for(who, "person") if who else subject.owner,
        text,
        who or None,
        category=category,
        tags=tags,
        at=at,
        valid_from=instant(begun, subject.zone),
        valid_to=instant(fields.get("expiration_date"), subject.zone),
        key=f"{file}\0{key}" if key else "",
    )


def _whom(fields: dict[str, Any]) -> str:
    named = (first_text(fields, name).strip() for name in ("user_id", "agent_id"))
    return next((name for name in named if name and name.casefold() not in _NOBODY and entity_for(name, "person")), "")


def _category(fields: dict[str, Any]) -> tuple[str, tuple[str, ...], str]:
    """Return the category of the first of mem0's categories that is known, and all of them as tags."""
    metadata = fields.get("metadata")
    extra = metadata if isinstance(metadata, dict) else {}
    named = texts(fields.get("categories")) or texts(first_text(extra, "category", "type"))
    found = [category_of(name) for name in named]
    known = next((one for one in found if not one[2]), None)
    if known is None:
        return "context", named, found[0][2] if found else ""
    return known[0], tuple(name for name in named if name.casefold() != known[0]), ""


FORMAT = Format(lambda name: is_called(name, ("mem", "export"), (".json", ".jsonl", ".ndjson")), parse)
