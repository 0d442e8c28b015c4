"""Transcripts as JSON lines: good lines in, bad lines named."""

import datetime as dt
import io
import json

import pytest

from engram.importers.transcripts.json_lines import read as read_line
from engram.importers.transcripts.reader import Source
from engram.importers.transcripts.streams import Lines
from engram.services.extract.turn_commands import RawTurn
from engram.services.extract.turn_commands import Transcript


def read(data: bytes | str, session: str | None = None) -> Transcript:
    source = Source(path=None, session=session, zone=dt.UTC)
    lines = Lines(io.BytesIO(data.encode() if isinstance(data, str) else data), source)
    turns = list(lines.read(lambda row: read_line(row, source)))
    return Transcript(turns, source.bad, torn=lines.torn)


def test_a_line_becomes_a_turn() -> None:
    line = {"id": "d1", "session": "demo", "speaker": "Anna", "at": "2026-02-24 10:00", "text": "Hi"}

    at = dt.datetime(2026, 2, 24, 10, tzinfo=dt.UTC)
    assert read(json.dumps(line) + "\n") == Transcript([RawTurn("demo", "Hi", "d1", "Anna", at)], [])


def test_only_text_is_needed_when_a_session_is_given() -> None:
    assert read('\ufeff{"text": "Hi"}\r\n\r\n', "demo").turns == [RawTurn("demo", "Hi")]


def test_the_lines_own_session_wins_and_numbers_are_names() -> None:
    assert read('{"text": "Hi", "session": 7, "id": 8}\n', "demo").turns == [RawTurn("7", "Hi", "8")]


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("{broken", ""),
        ("[1]", ""),
        ('"text"', ""),
        ('{"session": "demo"}', "text"),
        ('{"session": "demo", "text": "  "}', "text"),
        ('{"session": "demo", "text": 5}', "text"),
        ('{"session": "demo", "text": "a\\u0000b"}', "text"),
        ('{"session": "demo", "text": "\\ud800"}', "text"),
        ('{"session": "demo", "text": "\\u001b[31m"}', "text"),
        ('{"text": "Hi"}', "session"),
        ('{"session": "../x", "text": "Hi"}', "session"),
        ('{"session": true, "text": "Hi"}', "session"),
        ('{"session": "demo", "text": "Hi", "at": "soon"}', "at"),
        ('{"session": "demo", "text": "Hi", "at": []}', "at"),
        ('{"session": "demo", "text": "Hi", "at": true}', "at"),
        ('{"session": "demo", "text": "Hi", "speaker": {}}', "speaker"),
        ('{"session": "demo", "text": "Hi", "role": "user"}', "role"),
        ("[" * 100_000 + "]" * 100_000, ""),
        ('{"session": "demo", "text": "' + "x" * 2_000_001 + '"}', "text"),
    ],
)
def test_a_bad_line_is_named_with_its_field_and_the_others_are_kept(line: str, field: str) -> None:
    good = '{"session": "demo", "text": "good"}'
    transcript = read(f"{good}\n{line}\n{good}\n")

    assert [(bad.line, bad.field) for bad in transcript.bad] == [(2, field)]
    assert len(transcript.turns) == 2


def test_bytes_that_are_not_utf8_are_a_bad_line() -> None:
    transcript = read(b'{"session":"demo","text":"\xff"}\n{"session":"demo","text":"ok"}\n')

    assert [bad.line for bad in transcript.bad] == [1]
    assert len(transcript.turns) == 1


@pytest.mark.parametrize("tail", [b'{"session": "demo", "te', '{"session":"demo","text":"é'.encode()[:-1]])
def test_a_last_line_that_is_still_being_written_waits(tail: bytes) -> None:
    transcript = read(b'{"session": "demo", "text": "one"}\n' + tail)

    assert transcript.torn
    assert transcript.bad == []
    assert len(transcript.turns) == 1


def test_a_whole_last_line_without_a_line_break_is_read() -> None:
    assert read('{"session": "demo", "text": "one"}') == Transcript([RawTurn("demo", "one")], [])


def test_an_empty_file_has_no_turns() -> None:
    assert read("") == Transcript([], [])
