"""Engram v2: both layouts of items.json, chains, drifted categories, and notes that stay in their silo."""

import datetime as dt
import json
from typing import Any

import pytest

from engram.importers.memories.items import EntityItem
from engram.importers.memories.items import FactItem
from engram.importers.memories.items import NoteItem
from tests.importers.memories.reading import only
from tests.importers.memories.reading import read
from tests.importers.memories.reading import reasons
from tests.importers.memories.reading import texts

PLACE = "life/areas/people/mira/items.json"


def row(number: int, text: str = "Mira plays chess", **fields: Any) -> dict[str, Any]:
    return {"id": f"mira-{number:03d}", "fact": text, "category": "context", "status": "active", **fields}


def facts(*rows: Any, flat: bool = False) -> list[FactItem]:
    whole = list(rows) if flat else {"entityId": "areas/people/mira", "facts": list(rows)}
    return only(FactItem, read("engram-v2", {PLACE: json.dumps(whole)}))


@pytest.mark.parametrize("flat", [True, False], ids=["a flat list", "under facts"])
def test_both_layouts_give_the_same_facts(flat: bool) -> None:
    found = facts(row(1, tags=["game"], confidence=0.4, abstractionLevel="pattern"), flat=flat)

    assert [(one.entity, one.text, one.tags, one.confidence, one.abstraction) for one in found] == [
        ("people/mira", "Mira plays chess", ("game",), 0.4, "pattern")
    ]


@pytest.mark.parametrize(
    ("folder", "path"),
    [
        ("life/areas/people/mira", "people/mira"),
        ("life/people/mira", "people/mira"),
        ("life/projects/harbour", "projects/harbour"),
        ("life/areas/companies/acme", "projects/acme"),
        ("life/resources/sailing", "projects/sailing"),
        ("life/archives/projects/old-pier", "archives/old-pier"),
        ("life/archives/old-pier", "archives/old-pier"),
        ("people/mira", "people/mira"),
        ("old/workspace/life/people/mira", "people/mira"),
    ],
)
def test_a_folder_of_life_becomes_an_entity(folder: str, path: str) -> None:
    items = read("engram-v2", {f"{folder}/items.json": json.dumps([row(1)])})

    assert [path] == [item.path for item in only(EntityItem, items)]


def test_two_folders_of_one_name_stay_two_entities() -> None:
    source = {f"life/{folder}/items.json": json.dumps([row(1)]) for folder in ("projects/pier", "resources/pier")}

    paths = [item.path for item in only(EntityItem, read("engram-v2", source))]

    assert len(set(paths)) == 2


def test_a_superseded_fact_is_past_and_names_its_follower() -> None:
    old, new, lost = facts(
        row(1, status="superseded", supersededBy="mira-002"), row(2), row(3, status="superseded", supersededBy=None)
    )

    assert (True, new.key) == (old.is_past, old.follower)
    assert (new.is_past, lost.is_past) == (False, True)
    assert lost.follower == ""


def test_dates_and_uses_are_those_of_the_source() -> None:
    (found,) = facts(row(1, timestamp="2025-03-04", lastAccessed="2025-04-05", accessCount=7))

    assert (dt.datetime(2025, 3, 4, tzinfo=dt.UTC), 7) == (found.at, found.uses)
    assert dt.datetime(2025, 4, 5, tzinfo=dt.UTC) == found.used_at


@pytest.mark.parametrize(
    ("name", "category", "is_told"),
    [
        ("decision", "decision", False),
        ("Preferences", "preference", False),
        ("event", "milestone", False),
        ("astrology", "context", True),
        ("", "context", False),
        (7, "context", False),
    ],
)
def test_a_drifted_category_is_mapped_and_an_unknown_one_told(name: object, category: str, is_told: bool) -> None:
    items = read("engram-v2", {PLACE: json.dumps([row(1, category=name)])})

    assert [category] == [item.category for item in only(FactItem, items)]
    assert is_told == any("is unknown here" in reason for _, reason in reasons(items))


def test_related_entities_are_mapped_like_folders() -> None:
    (found,) = facts(row(1, relatedEntities=["areas/people/tom", "projects/harbour", "areas/people/mira"]))

    assert found.related == ("people/tom", "projects/harbour")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\xff\xfe", "it is not UTF-8 text (byte 0)"),
        (b"{", "it is not valid JSON"),
        (b"[" * 100_000, "it is nested too deeply"),
        (b'{"entityId": "x"}', "it is neither a list of facts"),
        (b"[7]", "it has no text under fact"),
        (b'[{"id": "x-001", "fact": " "}]', "it has no text under fact"),
    ],
)
def test_what_is_no_list_of_facts_is_told(content: bytes, reason: str) -> None:
    items = read("engram-v2", {PLACE: content})

    assert only(FactItem, items) == []
    assert any(told.startswith(reason) for _, told in reasons(items))


@pytest.mark.parametrize(
    ("name", "session", "kept"),
    [
        ("memory/agent-kit/main/2025-01-02.md", "", "agent-kit-main-2025-01-02.md"),
        ("memory/agent-kit/telegram-7/2025-01-02.md", "kit-telegram-7", "2025-01-02.md"),
        ("memory/agent-kit/telegram-7/knowledge/clients.md", "kit-telegram-7", "knowledge-clients.md"),
        ("memory/agent-kit/!!!/2025-01-02.md", "kit", "2025-01-02.md"),
        ("memory/2025-01-02.md", "", "2025-01-02.md"),
    ],
)
def test_a_note_of_a_group_stays_in_its_silo(name: str, session: str, kept: str) -> None:
    (note,) = only(NoteItem, read("engram-v2", {name: "- Tom brought cake\n"}))

    assert (session, kept) == (note.session, note.name)


def test_no_two_folders_become_one_silo() -> None:
    folders = ("agent-a/standup", "agent-b/standup", "agent-a/Team A", "agent-a/team-a", "agent-a-team/a")
    files = {f"memory/{folder}/2025-01-02.md": "- Tom brought cake\n" for folder in folders}

    items = read("engram-v2", files)
    sessions = {note.file.removesuffix("/2025-01-02.md"): note.session for note in only(NoteItem, items)}

    assert len(set(sessions.values())) == 5
    assert (sessions["memory/agent-a/standup"], sessions["memory/agent-b/standup"]) == ("a-standup", "b-standup")
    assert sum("another folder would be session a-team-a, too" in reason for _, reason in reasons(items)) == 3


def test_memory_md_is_about_the_owner() -> None:
    items = read("engram-v2", {"MEMORY.md": "# Memory\n\n## Decisions\n\n- We keep invoices for ten years.\n"})

    assert texts(items) == [("people/anna", "We keep invoices for ten years.")]
