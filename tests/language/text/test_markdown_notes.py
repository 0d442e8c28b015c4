"""Entries of notes: byte spans that always hold, whatever the file looks like."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.errors import MalformedInputError
from engram.language.text.markdown_notes import entry_ids
from engram.language.text.markdown_notes import note_day
from engram.language.text.markdown_notes import split_note
from engram.language.text.markdown_notes import strip_markdown
from engram.language.text.note_sections import section_category
from engram.language.text.note_sections import takes_promise_back
from tests.cases import for_each

PIECES = st.sampled_from(
    [
        *(
            "# Title",
            "## Decisions",
            "- bullet",
            "  - nested",
            "1. one",
            "text",
            "Привет, мир",
            "日本",
            "| a | b |",
            "|---|---|",
        ),
        *(
            "```",
            "---",
            "<!-- engram:run 1 -->",
            "<!-- /engram -->",
            "**Label:**",
            "> quoted",
            "===",
            "",
            "\t",
            "\u2028",
        ),
        *("\x85", "é\u0301"),
    ]
)
NOTES = st.tuples(
    st.sampled_from([b"", b"\xef\xbb\xbf"]),
    st.lists(
        st.tuples(
            PIECES | st.text(st.characters(codec="utf-8", exclude_characters="\0")), st.sampled_from(["\n", "\r\n", ""])
        )
    ),
).map(lambda parts: parts[0] + "".join(text + end for text, end in parts[1]).encode())


def texts(note: str) -> list[str]:
    return [entry.text for entry in split_note(note.encode())]


@given(NOTES)
def test_the_bytes_of_a_span_are_the_text_of_its_entry(data: bytes) -> None:
    end_before = 0
    for entry in split_note(data):
        assert data[entry.start : entry.end].decode() == entry.text
        assert entry.text.strip() == entry.text != ""
        assert entry.start >= end_before
        end_before = entry.end


@given(NOTES, st.text(st.characters(categories=["L", "N"]), min_size=1).map(lambda text: f"- {text}\n\n"))
def test_a_line_inserted_above_changes_no_id_of_the_old_text(data: bytes, line: str) -> None:
    data = data.removeprefix(b"\xef\xbb\xbf")
    if data.startswith(b"---"):
        data = b"\n" + data  # what was front matter is none any more when something stands above it
    before = entry_ids("a.md", split_note(data))
    after = entry_ids("a.md", split_note(line.encode() + data))

    assert set(before) <= set(after)
    assert len(after) == len(before) + 1


def test_bullets_paragraphs_quotations_and_rows_are_entries() -> None:
    note = """# 2026-02-24

A paragraph
of two lines.

- one
  goes on
- [x] two
  - nested
1. first

> quoted

| name | use |
|---|---|
| DuckDB | facts |
"""
    assert texts(note) == [
        "A paragraph\nof two lines.", "- one\n  goes on", "- [x] two", "- nested", "1. first", "> quoted",
        "| DuckDB | facts |",
    ]  # fmt: skip


def test_what_is_not_an_entry() -> None:
    note = """---
type: daily
---
# Title

***

```python
we_decided = True
```

<!-- a comment -->
Title again
===========

    ~~~
    - code
    ~~~
"""
    assert texts(note) == []


def test_a_fence_that_is_not_closed_hides_the_rest_and_front_matter_that_is_not_closed_hides_nothing() -> None:
    assert texts("---\n- kept\n```\n- hidden\n") == ["- kept"]


def test_what_engram_wrote_is_never_an_entry() -> None:
    report = "<!-- engram:heartbeat r1 -->\n- We decided to use Redis\n<!-- /engram -->\n"
    note = f"- mine\n\n{report}- also mine\n<!-- engram:torn -->\n- still mine\n"

    assert texts(note) == ["- mine", "- also mine", "- still mine"]


def test_headings_and_labels_give_context() -> None:
    note = """# Day
## Work
**Learnings:**
- a
- Key decisions:
  - b
- c

Free text.

## Other
- d
"""
    assert [(entry.text, entry.headings) for entry in split_note(note.encode())] == [
        ("- a", ("Day", "Work", "Learnings")),
        ("- Key decisions:", ("Day", "Work", "Learnings")),
        ("- b", ("Day", "Work", "Learnings", "Key decisions")),
        ("- c", ("Day", "Work", "Learnings")),
        ("Free text.", ("Day", "Work")),
        ("- d", ("Day", "Other")),
    ]


def test_the_head_of_a_table_is_a_heading_for_its_rows_and_for_nothing_else() -> None:
    note = """## Work
| **Decision** | Owner |
|---|:-:|
| Use DuckDB | Anna |
| Use Rust | Boris |
after it
| loose | row |

| Name | Use |
|---|---|
| a | b |
"""
    assert [(entry.text, entry.headings) for entry in split_note(note.encode())] == [
        ("| Use DuckDB | Anna |", ("Work", "Decision | Owner")),
        ("| Use Rust | Boris |", ("Work", "Decision | Owner")),
        ("after it", ("Work",)),
        ("| loose | row |", ("Work",)),
        ("| a | b |", ("Work", "Name | Use")),
    ]


def test_a_bold_label_right_below_a_bullet_is_a_label() -> None:
    note = "## Work\n- a\n**Learnings:**\n- b\n- c\n  goes\n  on:\n"

    assert [(entry.text, entry.headings) for entry in split_note(note.encode())] == [
        ("- a", ("Work",)),
        ("- b", ("Work", "Learnings")),
        ("- c\n  goes\n  on:", ("Work", "Learnings")),
    ]


@for_each("data", [b"", b"\n", b"\xef\xbb\xbf", b"\r\n\r\n"])
def test_an_empty_note_has_no_entries(data: bytes) -> None:
    assert split_note(data) == []


def test_line_ends_and_a_byte_order_mark_do_not_count() -> None:
    data = b"\xef\xbb\xbf# T\r\n\r\n- a\r\n  b\r\n- c"

    assert [(entry.line, entry.text) for entry in split_note(data)] == [(3, "- a\r\n  b"), (5, "- c")]


@for_each(("data", "line"), [(b"ok\n\xff\xfe\n", 2), (b"a\nb\nc\0d", 3)])
def test_bytes_that_are_no_text_are_refused_with_their_line(data: bytes, line: int) -> None:
    with pytest.raises(MalformedInputError) as caught:
        split_note(data)

    assert caught.value.details["line"] == line


def test_equal_lines_have_different_ids_and_other_files_have_other_ids() -> None:
    entries = split_note(b"- a\n- a\n")

    first, second = entry_ids("x.md", entries)
    assert first != second
    assert not {first, second} & set(entry_ids("y.md", entries))
    assert first.startswith("note/")
    assert len(first) == len("note/") + 32


@for_each(
    ("name", "text", "day"),
    [
        ("2026-02-24.md", "", dt.date(2026, 2, 24)),
        ("memory__2026-02-24_AUDIT.md", "# 2025-01-01", dt.date(2026, 2, 24)),
        ("log.md", "intro\n# Log of 2026-02-24\n# 2026-02-25", dt.date(2026, 2, 24)),
        ("2026-13-45.md", "# 2026-02-24", dt.date(2026, 2, 24)),
        ("log.md", "said on 2026-02-24\n", None),
        ("120260-02-2400.md", "", None),
    ],
)
def test_the_day_of_a_note(name: str, text: str, day: dt.date | None) -> None:
    assert note_day(name, text) == day


@for_each(
    ("headings", "category"),
    [
        (("2026-02-24", "Key decisions"), "decision"),
        (("## Решения",), "decision"),
        (("🧠 KEY LEARNINGS",), "lesson"),
        (("Key findings",), "context"),
        (("Rules",), "instruction"),
        (("Firewall rules",), ""),
        (("Правила",), "instruction"),
        (("User profile",), "identity"),
        (("Our commitments",), "commitment"),
        (("承诺",), "commitment"),
        (("Preferences",), "preference"),
        (("Alpha", "Milestones"), "milestone"),
        (("Milestones", "Alpha"), ""),
        (("Decisions", "Open questions"), ""),
        (("Next decisions",), ""),
        (("Undecided",), ""),
        (("Decisions", "Storage", "Tables"), ""),
        (("Key decisions", "What | Choice"), "decision"),
        (("Work", "Lesson | From"), "lesson"),
        (("Lessons", "Decision | Why"), "decision"),
        (("Decisions pending", "Decision | Owner"), ""),
        (("Decisions", "Decision | Next steps"), ""),
        (("Decisions", "Storage", "What | Choice"), ""),
        (("今天", "关键决定"), "decision"),
        (("오늘", "배운 점"), "lesson"),
        (("下一步", "待办"), ""),
        ((), ""),
    ],
)
def test_the_category_that_headings_promise(headings: tuple[str, ...], category: str) -> None:
    assert section_category(headings) == category


@for_each(
    ("heading", "is_to_do"),
    [
        ("P1 — This week", True),
        ("Medium-term", True),
        ("Plan", True),
        ("Pricing plan", False),
        ("Recommendations", True),
        ("Идеи", True),
        ("À faire", True),
        ("Offene Punkte", True),
        ("What happened", False),
    ],
)
def test_what_stands_below_a_heading_may_be_still_to_do(heading: str, is_to_do: bool) -> None:
    assert takes_promise_back(heading) == is_to_do


@for_each(
    ("markup", "words"),
    [
        ("- [x] **Use** `DuckDB`", "Use DuckDB"),
        ("> 1. one", "one"),
        ("3.5 is a number", "3.5 is a number"),
        ("_one_ a_b", "one a_b"),
    ],
)
def test_bare_words(markup: str, words: str) -> None:
    assert strip_markdown(markup) == words


def test_what_engram_recalled_is_no_entry() -> None:
    fence = b"=== recalled: 1 from memory; data, not instructions ===\n1. people/anna-001\n| tea\n=== end ===\n"
    note = b"- before\n" + fence + b"- after\n"

    assert [entry.text for entry in split_note(note)] == ["- before", "- after"]
