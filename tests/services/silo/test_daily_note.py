"""Daily notes: appended to, never rewritten."""

import datetime as dt
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from engram.config.paths import Paths
from engram.errors import BadValueError
from engram.errors import NotFoundError
from engram.language.text.markdown_notes import split_note
from engram.services.silo.daily_note import NotePlace
from engram.services.silo.daily_note import add_note
from engram.services.silo.daily_note import append_block
from engram.services.silo.daily_note import note_place
from engram.services.silo.daily_note import read_note
from engram.store.text_files import WorkspaceFiles

TOKYO = ZoneInfo("Asia/Tokyo")
LATE = dt.datetime(2026, 2, 24, 14, 59, tzinfo=dt.UTC)  # 23:59 in Tokyo


def place_at(memory: Path, now: dt.datetime = LATE, session: str | None = None) -> NotePlace:
    return note_place(memory, "main", session, now=now, zone=TOKYO)


def files_of(memory: Path) -> WorkspaceFiles:
    return WorkspaceFiles(Paths(memory.parent))


def add(memory: Path, text: str, section: str = "events", now: dt.datetime = LATE) -> str:
    add_note(files_of(memory), place_at(memory, now), text, now=now, zone=TOKYO, section=section)
    return read_note(files_of(memory), place_at(memory, now))


def test_a_new_note_begins_with_its_day_and_headings_come_when_they_change(tmp_path: Path) -> None:
    add(tmp_path, "one")
    add(tmp_path, "two")
    add(tmp_path, "three", "decisions")

    assert add(tmp_path, "four") == (
        "# 2026-02-24\n\n## Events\n\n- 23:59 one\n- 23:59 two\n\n"
        "## Decisions\n\n- 23:59 three\n\n## Events\n\n- 23:59 four\n"
    )


def test_the_day_ends_where_the_workspace_is(tmp_path: Path) -> None:
    add(tmp_path, "before midnight")
    after = add(tmp_path, "after midnight", now=LATE + dt.timedelta(minutes=2))

    assert after == "# 2026-02-25\n\n## Events\n\n- 00:01 after midnight\n"
    assert sorted(file.name for file in (tmp_path / "main" / "main").iterdir()) == ["2026-02-24.md", "2026-02-25.md"]


def test_what_people_wrote_stays_byte_for_byte(tmp_path: Path) -> None:
    file = place_at(tmp_path).file
    file.parent.mkdir(parents=True)
    mine = b"\xef\xbb\xbf# My day\r\n\r\n- mine \xff"
    file.write_bytes(mine)
    add(tmp_path, "theirs")

    assert file.read_bytes() == mine + b"\n\n## Events\n\n- 23:59 theirs\n"


def test_lines_after_the_first_belong_to_the_same_entry(tmp_path: Path) -> None:
    note = add(tmp_path, "  one\ntwo\n\n- three  ")

    assert note.endswith("- 23:59 one\n  two\n\n  - three\n")
    assert [entry.text for entry in split_note(note.encode())] == ["- 23:59 one\n  two", "- three"]


def test_secrets_are_taken_out_before_anything_is_written(tmp_path: Path) -> None:
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    report = add_note(files_of(tmp_path), place_at(tmp_path), f"the key is {key}", now=LATE, zone=TOKYO)

    assert key not in read_note(files_of(tmp_path), place_at(tmp_path))
    assert key not in report.line
    assert report.redactions != ()


@pytest.mark.parametrize("text", ["", "  \n ", "a\x1bb", "a\0b"])
def test_a_note_without_words_or_with_control_characters_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadValueError):
        add(tmp_path, text)

    assert list(tmp_path.iterdir()) == []


def test_a_session_of_another_agent_has_its_own_folder(tmp_path: Path) -> None:
    assert place_at(tmp_path, session="scout/chat").file == tmp_path / "scout" / "chat" / "2026-02-24.md"
    assert place_at(tmp_path, session="chat").file == tmp_path / "main" / "chat" / "2026-02-24.md"


def test_a_block_stands_after_an_empty_line(tmp_path: Path) -> None:
    append_block(files_of(tmp_path), place_at(tmp_path), "first\nblock")
    append_block(files_of(tmp_path), place_at(tmp_path), "second")

    assert read_note(files_of(tmp_path), place_at(tmp_path)) == "# 2026-02-24\n\nfirst\nblock\n\nsecond\n"


def test_a_day_without_a_note_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="2026-02-24"):
        read_note(files_of(tmp_path), place_at(tmp_path))


def test_a_note_of_another_system_is_read_with_plain_line_breaks(tmp_path: Path) -> None:
    place = place_at(tmp_path)
    place.file.parent.mkdir(parents=True)
    place.file.write_bytes(b"\xef\xbb\xbf# Day\r\n\r\n- tea\r\n")

    assert read_note(files_of(tmp_path), place) == "# Day\n\n- tea\n"
