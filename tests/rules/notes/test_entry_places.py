"""Which entries were read before and which moved: whatever is done to files, each entry is read once."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from engram.base.text import sha256_hex
from engram.model.conversation import NoteEntry
from engram.rules.notes.entry_places import Placed
from engram.rules.notes.entry_places import place_entries

FILES = ("memory/a/2026-02-24.md", "memory/b/2026-02-24.md", "memory/a/archives/2026/2026-02-24.md")
contents = st.dictionaries(st.sampled_from(FILES), st.lists(st.sampled_from("xyz"), min_size=1, max_size=4))


def entries_of(path: str, texts: list[str], on: str | None = "2026-02-24") -> list[NoteEntry]:
    made = []
    for place, text in enumerate(texts):
        occurrence = texts[:place].count(text)
        sha256 = sha256_hex(text)
        entry_id = f"note/{path}{text}{occurrence}"
        made.append(
            NoteEntry(id=entry_id, path=path, text=text, sha256=sha256, start=place, end=place, line=place, on=on)
        )
    return made


def place(before: dict[str, list[NoteEntry]], after: dict[str, list[NoteEntry]]) -> Placed:
    rows = [row for rows in before.values() for row in rows]
    return place_entries(after, rows, set(after))


@given(contents, contents)
def test_every_entry_is_known_moved_or_fresh_and_no_row_is_two_of_them(
    before: dict[str, list[str]], after: dict[str, list[str]]
) -> None:
    stood = {path: entries_of(path, texts) for path, texts in before.items()}
    stands = {path: entries_of(path, texts) for path, texts in after.items()}
    placed = place(stood, stands)
    told = [*placed.known, *(move.entry for move in placed.moved), *placed.fresh]
    kept = [entry.id for entry in (*placed.known, *(move.entry for move in placed.moved))]

    assert Counter((one.path, one.text) for one in told) == Counter(
        (one.path, one.text) for entries in stands.values() for one in entries
    )
    assert len(set(kept)) == len(kept)
    assert set(kept) <= {row.id for rows in stood.values() for row in rows}
    had, have = (Counter(text for texts in side.values() for text in texts) for side in (before, after))
    assert Counter(one.text for one in placed.fresh) == have - had  # just as many as there are more than before


@given(contents)
def test_what_stands_where_it_stood_is_known(files: dict[str, list[str]]) -> None:
    stands = {path: entries_of(path, texts) for path, texts in files.items()}
    placed = place(stands, stands)

    assert [one.id for one in placed.known] == [one.id for entries in stands.values() for one in entries]
    assert (placed.moved, placed.fresh) == ([], [])


def test_what_stands_on_another_day_is_said_anew_unless_the_whole_file_was_renamed() -> None:
    before = {"memory/a/2026-02-24.md": entries_of("memory/a/2026-02-24.md", ["x"])}
    after = {"memory/a/2026-02-25.md": entries_of("memory/a/2026-02-25.md", ["x"], on="2026-02-25")}
    rows = before["memory/a/2026-02-24.md"]
    renamed = {"memory/a/2026-02-25.md": "memory/a/2026-02-24.md"}

    assert len(place_entries(after, rows, set(after)).fresh) == 1
    assert len(place_entries(after, rows, set(after), renamed).moved) == 1


def test_an_archive_that_was_rotated_out_of_a_file_holds_nothing_new() -> None:
    origin, archive = "memory/a/log.md", "memory/a/archives/log-0001.md"
    before = {origin: entries_of(origin, ["old", "new"], on=None)}
    after = {origin: entries_of(origin, ["new"], on=None), archive: entries_of(archive, ["old", "new"], on=None)}
    placed = place(before, after)

    assert [one.text for one in placed.known] == ["new"]
    assert [(move.entry.text, move.before) for move in placed.moved] == [("old", origin)]
    assert placed.fresh == []


def test_what_was_not_read_before_a_rotation_is_read_once() -> None:
    origin, archive = "memory/a/log.md", "memory/a/archives/log-0001.md"
    after = {archive: entries_of(archive, ["old", "new"], on=None), origin: entries_of(origin, ["new"], on=None)}

    assert sorted((one.path, one.text) for one in place({}, after).fresh) == [(archive, "old"), (origin, "new")]


def test_other_line_breaks_make_no_other_entry() -> None:
    path = "memory/a/2026-02-24.md"
    (row,) = entries_of(path, ["- one\n  two"])
    (now,) = entries_of(path, ["- one\r\n  two"])

    assert [one.id for one in place({path: [row]}, {path: [now]}).known] == [row.id]
    assert [one.id for one in place({path: [now]}, {path: [row]}).known] == [now.id]
