"""Engram v2: `life/**/items.json`, `MEMORY.md`, and the notes in `memory/`.

Documented in that project's references/fact-schema.md ("Atomic Fact Schema v2") and written by its scripts: a file is a
flat list of facts, or an object with the list under "facts"; a fact has id, fact, category, confidence,
abstractionLevel, tags, timestamp, source, status, supersededBy, relatedEntities, lastAccessed and accessCount. Entities
lie in projects/, areas/people/, areas/..., resources/ and archives/.

Our reading: snake_case names and `text` for `fact` are taken too; what lies in areas/people is a person and every other
area or resource a project; a note in memory/agent-NAME/SESSION/ stays in a silo of its own, unless the session is main;
a fact with `supersededBy` is past whatever its status says.
"""

import datetime as dt
from collections import Counter
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from typing import Any

from engram.base.text import sha256_hex
from engram.base.text import slugify
from engram.importers.export.items import V2_CATEGORIES
from engram.importers.memories import markdown_notes
from engram.importers.memories.damaged import Row
from engram.importers.memories.damaged import readable_rows
from engram.importers.memories.fields import Unreadable
from engram.importers.memories.fields import category_of
from engram.importers.memories.fields import decode
from engram.importers.memories.fields import first_text
from engram.importers.memories.fields import instant
from engram.importers.memories.fields import load_json
from engram.importers.memories.fields import number
from engram.importers.memories.fields import texts
from engram.importers.memories.fields import unread_time
from engram.importers.memories.items import Effect
from engram.importers.memories.items import EntityItem
from engram.importers.memories.items import FactItem
from engram.importers.memories.items import Format
from engram.importers.memories.items import Item
from engram.importers.memories.items import NoteItem
from engram.importers.memories.items import Remark
from engram.importers.memories.items import SourceFile
from engram.importers.memories.items import Subject
from engram.importers.memories.items import note_name

ITEMS = "items.json"
_LEVELS = {"episode": "episode", "pattern": "pattern", "principle": "principle", "l1": "episode", "l2": "pattern"} | {
    "l3": "principle"
}
_AGENT, _MAIN = "agent-", "main"  # memory/agent-NAME/SESSION/; the main session is the owner's own
_PAST = frozenset({"superseded", "retracted", "archived", "deleted", "inactive"})
_OWN_KINDS = frozenset(category.value for category in V2_CATEGORIES)  # as our export names what v2 does not know
_CONFIDENCE = 0.7  # of a fact of the older layout, which had none; what that project's own migration gives it


def parse(files: Iterable[SourceFile], subject: Subject) -> Iterator[Item]:
    """Yield the facts of every items.json, then what the notes hold."""
    everything = sorted(files, key=lambda file: file.name)
    places = _Places()
    facts = [file for file in everything if _is_items(file.name)]
    for file in facts:
        places.add(_folder(file.name))
    for file in facts:
        yield from _facts(file, places, subject)
    yield from _in_silos(list(markdown_notes.parse([file for file in everything if not _is_items(file.name)], subject)))


def _wants(name: str) -> bool:
    return _is_items(name) or markdown_notes.is_note(name)


FORMAT = Format(_wants, parse)


def _in_silos(items: Sequence[Item]) -> Iterator[Item]:
    """Yield the items, the notes of a group's session as ones that only that session may see."""
    folders = {folder for item in items if isinstance(item, NoteItem) for folder in [_silo(item.file)] if folder}
    alike = Counter(map(_session, folders))
    sessions = {
        folder: _session(folder) if alike[_session(folder)] == 1 else f"{_session(folder)}-{sha256_hex(folder)[:8]}"
        for folder in sorted(folders)
    }
    for folder, session in sessions.items():
        if session != _session(folder):
            reason = f"another folder would be session {_session(folder)}, too: this one is {session}"
            yield Remark(folder, "", reason, Effect.CHANGED)
    for item in items:
        if isinstance(item, NoteItem) and (folder := _silo(item.file)):
            yield item._replace(name=note_name(item.file.removeprefix(f"{folder}/")), session=sessions[folder])
        else:
            yield item


def _silo(file: str) -> str:
    """Return the folder of the group's session that a note belongs to, "" when it belongs to none."""
    before, memory, below = f"/{file}".partition("/memory/")
    agent, _, rest = below.partition("/")
    session, slash, _ = rest.partition("/")
    if not slash or not agent.startswith(_AGENT) or session == _MAIN:
        return ""
    return f"{before}{memory}{agent}/{session}".removeprefix("/")


def _session(folder: str) -> str:
    """Return the name for the session of a folder, with its agent: two agents may have sessions of one name."""
    agent, session = folder.split("/")[-2:]
    return slugify(f"{agent.removeprefix(_AGENT)}-{session}") or "session"


class _Places:
    """Which entity a folder of the source becomes; two folders never become one entity."""

    def __init__(self) -> None:
        self._paths: dict[str, str] = {}
        self._taken: set[str] = set()

    def add(self, folder: str) -> None:
        if folder not in self._paths:
            wanted = _path_of(folder)
            path = _path_of(folder, whole=True) if wanted in self._taken else wanted
            self._paths[folder] = path
            self._taken.add(path)

    def find(self, folder: str) -> str:
        """Return the entity path of a folder, or of a reference to one as facts write it; "" when it is none."""
        bare = folder.replace("\\", "/").strip("/").removeprefix("life/")
        return self._paths.get(bare) or _path_of(bare)


def _is_items(name: str) -> bool:
    return name.rpartition("/")[2] == ITEMS


def _folder(name: str) -> str:
    """Return the folder of an items.json below life/."""
    folder = name.rpartition("/")[0]
    return f"/{folder}".rpartition("/life/")[2].strip("/") if "life/" in f"/{folder}" else folder


def _path_of(folder: str, *, whole: bool = False) -> str:
    parts = [part for part in folder.split("/") if part]
    if not parts:
        return ""
    kinds = parts[:-1]
    slug = slugify("-".join([*parts[1:][::-1], parts[0]]) if whole else parts[-1])
    if not slug:
        return ""
    if kinds[:1] == ["archives"]:
        return f"archives/{slug}"
    return f"people/{slug}" if "people" in kinds else f"projects/{slug}"


def _facts(file: SourceFile, places: _Places, subject: Subject) -> Iterator[Item]:
    head, rows = _read(file)
    remarks = [one for one in rows if isinstance(one, Remark)]
    if rows and len(remarks) == len(rows):
        yield from remarks
        return
    folder = _folder(file.name)
    path = places.find(folder)
    if not path:
        yield Remark(file.name, "", f"no entity can be named after the folder {folder!r}")
        return
    if path != folder.removeprefix("areas/"):
        yield Remark(file.name, "", f"{folder} became {path}", Effect.CHANGED)
    title = first_text(head, "title", "name") or folder.rpartition("/")[2].replace("-", " ").title()
    yield EntityItem(file.name, "", path, title, texts(head.get("aliases")))
    for one in rows:
        yield from (
            (one,) if isinstance(one, Remark) else _fact(file.name, f"item {one[0]}", one[1], path, places, subject)
        )


def _read(file: SourceFile) -> tuple[dict[str, Any], list[Row]]:
    """Return what a file says of its entity, and the facts that can be read."""
    try:
        whole = load_json(decode(file))
    except Unreadable as problem:
        return {}, readable_rows(file, ("facts",), "item", problem)
    rows = whole.get("facts") if isinstance(whole, dict) else whole
    if not isinstance(rows, list):
        return {}, [Remark(file.name, "", 'it is neither a list of facts nor an object with the list under "facts"')]
    return whole if isinstance(whole, dict) else {}, list(enumerate(rows, 1))


def _fact(file: str, place: str, row: Any, path: str, places: _Places, subject: Subject) -> Iterator[Item]:
    text = first_text(row, "fact", "text", "content") if isinstance(row, dict) else ""
    if not text:
        yield Remark(file, place, "it has no text under fact")
        return
    kind = first_text(row, "kind")
    category, tags, why = category_of(kind if kind in _OWN_KINDS else row.get("category"))
    if why:
        yield Remark(file, place, why, Effect.CHANGED)
    time = row.get("timestamp") or row.get("date") or row.get("valid_from")
    begins = instant(time, subject.zone)
    yield from unread_time(file, place, "timestamp", time, begins)
    follower = first_text(row, "supersededBy", "superseded_by")
    level = first_text(row, "abstractionLevel", "abstraction_level", "abstraction").casefold()
    fact_id = first_text(row, "id")
    used_at, uses = _use(row, subject)
    yield FactItem(
        file,
        place,
        path,
        text,
        category=category,
        confidence=number(row.get("confidence"), _CONFIDENCE),
        abstraction=_LEVELS.get(level, "episode"),
        tags=(*texts(row.get("tags")), *tags),
        related=_related(row, places, path),
        attribute=first_text(row, "attribute") or None,
        value=first_text(row, "value") or None,
        scope=first_text(row, "scope") or "shared",
        at=instant(row.get("recordedAt"), subject.zone) or begins,
        valid_from=begins,
        valid_to=instant(row.get("validTo"), subject.zone),
        key=f"{file}\0{fact_id}" if fact_id else "",
        is_past=bool(follower) or first_text(row, "status").casefold() in _PAST,
        follower=f"{file}\0{follower}" if follower else "",
        uses=uses,
        used_at=used_at,
    )


def _use(row: dict[str, Any], subject: Subject) -> tuple[dt.datetime | None, int]:
    count = row.get("accessCount", row.get("access_count"))
    at = instant(row.get("lastAccessed", row.get("last_accessed_at")), subject.zone)
    return at, count if isinstance(count, int) and at is not None and 0 < count < 1_000_000 else 0


def _related(row: dict[str, Any], places: _Places, path: str) -> tuple[str, ...]:
    named = texts(row.get("relatedEntities") or row.get("related_entities") or row.get("related"))
    found = (places.find(name) for name in named)
    return tuple(dict.fromkeys(one for one in found if one and one != path))
