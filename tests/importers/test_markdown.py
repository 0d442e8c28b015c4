"""Dialogues and diaries in markdown."""

import datetime as dt
from zoneinfo import ZoneInfo

import pytest

from engram.errors import MalformedInputError
from engram.importers.markdown import read_markdown
from engram.services.extract.turn_commands import Transcript

BERLIN = ZoneInfo("Europe/Berlin")


def read(text: str, name: str = "2026-02-24.md", session: str | None = "demo") -> Transcript:
    return read_markdown(text.encode(), name=name, session=session, zone=BERLIN)


def test_a_dialogue_has_speakers() -> None:
    transcript = read("**Anna:** Hi there\n\n**Boris**: Hello\n\n**Date:** today\n")

    assert [(turn.speaker, turn.text) for turn in transcript.turns] == [
        ("Anna", "Hi there"), ("Boris", "Hello"), (None, "**Date:** today"),
    ]  # fmt: skip


def test_a_plain_name_before_a_colon_speaks_when_it_speaks_twice() -> None:
    transcript = read("Anna: one\n\nWarning: hot\n\nAnna: two\n\nStatus: good\n\nStatus: bad\n")

    assert [turn.speaker for turn in transcript.turns] == ["Anna", None, "Anna", None, None]
    assert transcript.turns[0].text == "one"


def test_a_diary_has_the_day_of_its_name_and_the_time_of_its_bullets() -> None:
    transcript = read("# A day\n\n- 09:30 had tea\n- walked\n- 99:99 odd\n")

    berlin = dt.datetime(2026, 2, 24, tzinfo=BERLIN)
    assert [turn.at for turn in transcript.turns] == [berlin.replace(hour=9, minute=30), berlin, berlin]
    assert [turn.session for turn in transcript.turns] == ["demo"] * 3


def test_an_entry_has_the_day_of_the_heading_above_it_and_its_own_stamp() -> None:
    transcript = read("# Log\n\n## 22 February\n\n- 09:30 had tea\n\n- [2026年02月20日 周五 08:30] walked\n")

    assert [turn.at for turn in transcript.turns] == [
        dt.datetime(2026, 2, 22, 9, 30, tzinfo=BERLIN), dt.datetime(2026, 2, 20, 8, 30, tzinfo=BERLIN),
    ]  # fmt: skip


def test_without_a_date_there_is_no_time_and_without_a_session_the_file_names_it() -> None:
    (turn,) = read("Some text", name="My Diary.md", session=None).turns

    assert (turn.session, turn.at) == ("my-diary", None)


def test_a_block_with_control_characters_is_a_bad_line() -> None:
    transcript = read("fine\n\nnot\x1bfine\n")

    assert [(bad.line, bad.field) for bad in transcript.bad] == [(3, "text")]
    assert len(transcript.turns) == 1


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(MalformedInputError, match="line 2"):
        read_markdown(b"a\n\xff\n\xfe\n", name="a.md", session=None, zone=BERLIN)


def test_a_line_that_is_no_text_is_left_out() -> None:
    data = b"**Anna:** Hi there\n\n**Boris:** \xff\n\n**Anna:** We sold the canoe\n\n" + b"x" * 300_000

    transcript = read_markdown(data, name="a.md", session="demo", zone=BERLIN)

    assert [turn.text for turn in transcript.turns] == ["Hi there", "We sold the canoe"]
    assert [(bad.line, bad.message) for bad in transcript.bad] == [
        (3, "it is not UTF-8 text"), (7, "it is longer than 256 KiB"),
    ]  # fmt: skip
