"""OpenClaw's folder: what was curated becomes facts, and every file a note."""

import datetime as dt

from engram.importers.memories.items import FactItem
from engram.importers.memories.items import NoteItem
from engram.importers.memories.items import SourceLine
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

    assert texts(items) == [
        ("people/anna", "Prefers short answers"),
        ("people/anna", "Tea, never coffee"),
        ("people/anna", "The shop opened in May."),
    ]
    assert [item.category for item in only(FactItem, items)] == ["preference", "preference", "context"]
    assert [item.text for item in only(NoteItem, items)] == [CURATED]


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

    assert found == {
        "2026-01-02.md": "- Met Tom\n",
        "important-2026-01-02-move.md": "# Move\n",
        "2026-01-03.md": "- Swam\n",
    }


def test_memory_md_under_two_names_counts_once() -> None:
    assert len(texts(read("openclaw", {"MEMORY.md": CURATED, "memory.md": CURATED}))) == 3


def test_what_is_no_text_is_told_once() -> None:
    assert reasons(read("openclaw", {"MEMORY.md": b"\xff\x00"})) == [("", "it is not UTF-8 text (byte 0)")]


DATED = """# Memory 2026-02-01

## Harbour

- Pier 4 is shut
- [x] Order the buoys
- ~~Pier 5 is shut~~
- ~~Pier 6~~ Pier 7 is shut
- **Harbour master:**
- **Pilot:** _(who takes us in?)_

---

### 2026-02-10 Decisions

| Berth | Ship |
|-------|------|
| 12 | Aurora |

- We moor at night
"""


def test_a_line_keeps_its_headings_the_day_of_its_heading_and_its_agent() -> None:
    items = read("openclaw", {"MEMORY.md": DATED, "IDENTITY.md": "# Me\n\n- **Name:** Keel\n"})
    lines = {item.text: (item.line, item.at) for item in only(FactItem, items) if item.line is not None}

    assert list(lines) == ["Pier 4 is shut", "Pier 7 is shut", "Berth: 12; Ship: Aurora", "We moor at night"]
    pier, night = lines["Pier 4 is shut"], lines["We moor at night"]
    assert pier[0] == SourceLine("- Pier 4 is shut", 5, ("Memory 2026-02-01", "Harbour"), dt.date(2026, 2, 1), "Keel")
    assert (pier[1], night[1]) == (dt.datetime(2026, 2, 1, tzinfo=dt.UTC), dt.datetime(2026, 2, 10, tzinfo=dt.UTC))
    assert lines["Berth: 12; Ship: Aurora"][0].headings[-2:] == ("2026-02-10 Decisions", "Berth | Ship")


def test_what_states_nothing_is_told_and_stays_in_the_note() -> None:
    items = read("openclaw", {"MEMORY.md": DATED})

    assert reasons(items) == [
        ("", "lines that state nothing stay in the note alone: 2 a template, 1 done, 1 struck out")
    ]
    assert [item.text for item in only(NoteItem, items)] == [DATED]


def test_a_template_of_an_agent_names_nobody() -> None:
    files: dict[str, str | bytes] = {"MEMORY.md": "- Tea\n", "IDENTITY.md": "- **Name:** _(pick something you like)_\n"}
    (item,) = only(FactItem, read("openclaw", files))

    assert item.line is not None
    assert item.line.agent == ""


def test_a_line_that_is_no_text_is_left_out_and_the_rest_is_taken() -> None:
    for form, name in (("openclaw", "MEMORY.md"), ("basic-memory", "boats.md")):
        lines = [b"# Boats", b"", b"- [fact] Kim keeps the keys", b"- [fact] Kim \xff", b"- [fact] Kim sold the canoe"]

        items = read(form, {name: b"\n".join([*lines, b"- [fact] a \0 b", b"- [fact] Kim rows"])})

        assert [text.removeprefix("[fact] ") for _, text in texts(items)] == [
            "Kim keeps the keys", "Kim sold the canoe", "Kim rows",
        ], form  # fmt: skip
        assert reasons(items)[:2] == [("line 4", "it is not UTF-8 text"), ("line 6", "it holds a NUL character")]
        (note,) = only(NoteItem, items)
        assert "rows" in note.text
        assert note.text.split("\n")[3] == ""


def test_a_file_in_another_encoding_is_refused_as_a_whole() -> None:
    data = "# Boats\n\n- Kim keeps the keys\n- Kim rows\n".encode("utf-16")

    items = read("openclaw", {"MEMORY.md": data})

    assert reasons(items) == [("", "it is not UTF-8 text (byte 0)")]
    assert not texts(items)
