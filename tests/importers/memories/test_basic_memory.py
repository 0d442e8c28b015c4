"""Basic Memory: observations and relations by their form, anywhere in a note."""

import datetime as dt

import pytest

from engram.importers.memories import basic_memory
from engram.importers.memories.items import EntityItem
from engram.importers.memories.items import FactItem
from engram.importers.memories.items import NoteItem
from engram.importers.memories.items import SourceLine
from tests.importers.memories.reading import only
from tests.importers.memories.reading import read
from tests.importers.memories.reading import reasons

NOTE = """---
title: Harbour Office
type: note
tags: [port, office]
created: 2026-01-05
---
# Harbour Office

Some prose about it.

## Observations
- [decision] Closed on Sundays #hours (since spring)
- [ ] call the mayor
- [x] paint the door
- [weather] Windy in March
- a plain bullet

```
- [decision] inside code
```

## Relations
- managed_by [[Tom Reed]] (for now)
- [[Pier 9|the pier]]
"""


def test_observations_and_relations_become_facts_and_the_rest_stays_in_the_note() -> None:
    items = read("basic-memory", {"port/Harbour Office.md": NOTE})

    assert [(item.category, item.text, item.related) for item in only(FactItem, items)] == [
        ("decision", "Closed on Sundays (since spring)", ()),
        ("context", "Windy in March", ()),
        ("relationship", "Harbour Office managed by Tom Reed (for now)", ("projects/tom-reed",)),
        ("relationship", "Harbour Office relates to Pier 9", ("projects/pier-9",)),
    ]
    assert [item.text for item in only(NoteItem, items)] == [NOTE]


def test_front_matter_gives_title_tags_and_date() -> None:
    items = read("basic-memory", {"port/Harbour Office.md": NOTE})

    found = only(FactItem, items)[0]
    assert (
        found.entity,
        found.title,
        found.tags,
    ) == ("projects/harbour-office", "Harbour Office", ("port", "office", "hours"))
    assert found.at is not None
    assert found.at.date().isoformat() == "2026-01-05"
    assert found.place == "line 12"


def test_a_target_without_a_note_becomes_an_entity_and_one_with_a_note_is_that_note() -> None:
    source = {"a.md": NOTE, "b.md": "---\ntitle: Tom Reed\ntype: person\n---\n- [role] Harbour master\n"}

    items = read("basic-memory", source)

    paths = {item.path for item in only(EntityItem, items)}
    assert {"projects/harbour-office", "people/tom-reed", "projects/pier-9"} == paths
    assert ("people/tom-reed",) in {item.related for item in only(FactItem, items)}


def test_an_unknown_category_is_told_and_kept_as_a_tag() -> None:
    items = read("basic-memory", {"a.md": NOTE})

    assert reasons(items) == [("line 15", "category 'weather' is unknown here: taken as context")]
    assert any("weather" in item.tags for item in only(FactItem, items))


@pytest.mark.parametrize("content", [b"\xff", b"a\x00b"])
def test_what_is_no_text_is_told(content: bytes) -> None:
    assert len(reasons(read("basic-memory", {"a.md": content}))) == 1


def test_a_note_without_front_matter_is_called_like_its_file() -> None:
    (found,) = only(FactItem, read("basic-memory", {"notes/Blue Door.md": "- [fact] It sticks\n"}))

    assert (found.entity, found.place) == ("projects/blue-door", "line 1")


def test_a_line_keeps_its_headings_and_the_day_of_a_dated_one() -> None:
    note = (
        "# Pier\n\n## 2026-02-10\n\n- [tech] Crane moved\n- [tech] ~~Crane sold~~\n\n## Later\n- [tech] Crane painted\n"
    )
    moved, painted = only(FactItem, read("basic-memory", {"Pier.md": note}))

    assert (moved.text, moved.at) == ("Crane moved", dt.datetime(2026, 2, 10, tzinfo=dt.UTC))
    assert (painted.text, painted.at) == ("Crane painted", None)
    assert moved.line == SourceLine("- [tech] Crane moved", 5, ("Pier", "2026-02-10"), dt.date(2026, 2, 10))


@pytest.mark.parametrize(
    "line",
    [
        "- " + "\t" * 1_000_000 + "x",
        "- a" + " b" * 500_000,
        "-" + " " * 1_000_000 + "[[x",
        "# a" + "\t" * 1_000_000 + "x",
    ],
)
def test_a_long_line_that_is_no_relation_is_read_once(line: str) -> None:
    found = read("basic-memory", {"x.md": f"# Pier\n{line}\n- owned_by [[Tom Reed]]\n"})

    assert [one.category for one in only(FactItem, found)] == ["relationship"]


@pytest.mark.parametrize(
    ("heading", "words"),
    [("Piers", "Piers"), ("Piers ##  ", "Piers"), ("C#", "C#"), ("##", "##"), ("a # b #", "a # b")],
)
def test_a_heading_may_be_closed_by_hash_signs(heading: str, words: str) -> None:
    assert basic_memory._unclosed(heading) == words
