"""The elements of a JSON array, one by one: a bad one is told in its place, and the others are read."""

import io
import json
from pathlib import Path

import pytest

from engram.importers.transcripts.reader import FieldError
from engram.importers.transcripts.streams import read_elements
from tests.importers.transcripts import report_of

GOOD = b'{"a": "[1, \\"x\\"}"}'
DEEP = b"[" * 10_000 + b"]" * 10_000
BAD = {
    "not valid JSON: Expecting": b'{"a": }',
    "not valid JSON: Expecting value": b"}",
    "not valid JSON: Invalid control character": b'{"a": "x\x00y"}',
    "it is nested too deeply": DEEP,
    "it holds a number that is too long": b'{"a": ' + b"9" * 5000 + b"}",
    "it is not UTF-8 text": b'{"a": "x\xff\xfey"}',
}


def elements(data: bytes) -> list[object]:
    return list(read_elements(io.BytesIO(data)))


@pytest.mark.parametrize("why", BAD)
def test_a_bad_element_is_told_and_those_around_it_are_read(why: str) -> None:
    for behind in (b"", b" " * 3_000_000):  # which is more than is read at a time
        first, bad, last = elements(b"[" + GOOD + b"," + BAD[why] + behind + b", " + GOOD + b"]")

        assert isinstance(bad, FieldError)
        assert str(bad).startswith(why)
        assert first == last == {"a": '[1, "x"}'}


def test_a_large_element_is_read_in_portions() -> None:
    text = "x" * 5_000_000

    assert elements(f'[1, {{"a": "{text}"}}, "b"]'.encode()) == [1, {"a": text}, "b"]


@pytest.mark.parametrize("rest", [b'{"a": "x', b'{"a": [1, 2', b'"x', b"{", b"[1,"])
def test_what_is_cut_off_ends_the_reading(rest: bytes) -> None:
    read: list[object] = []

    with pytest.raises(FieldError, match="cut off"):
        read_into(read, b"[" + GOOD + b"," + rest)

    assert read == [{"a": '[1, "x"}'}]


def read_into(read: list[object], data: bytes) -> None:
    for one in read_elements(io.BytesIO(data)):
        read.append(one)  # noqa: PERF402 - what was read before the error counts


@pytest.mark.parametrize("end", [b'{"id": "m2", "type": "us', b'{"id": "m2"}]}\xff', b'{"id": "\x00"}]}'])
def test_a_gemini_session_of_one_line_that_is_cut_off_is_told(tmp_path: Path, end: bytes) -> None:
    file = tmp_path / "session-1.json"
    file.write_bytes(b'{"sessionId": "g1", "startTime": "2026-01-01T00:00:00Z", "messages": [' + end)

    assert report_of(file).torn


@pytest.mark.parametrize("odd", [None, 7, [], "x", {"message": 7}, {"message": {"author": {"role": "user"}}}])
def test_what_no_chatgpt_message_looks_like_is_counted(tmp_path: Path, odd: object) -> None:
    rows = [{"conversation_id": "c1", "mapping": {"n1": odd}, "current_node": "n1"}]
    (tmp_path / "conversations.json").write_text(json.dumps(rows))

    assert report_of(tmp_path / "conversations.json").left_out == {"unknown": 1}


@pytest.mark.parametrize("odd", [None, 7, [], {"type": "user", "content": "x"}, {"id": 7, "type": "user"}])
def test_what_no_gemini_message_looks_like_is_counted(tmp_path: Path, odd: object) -> None:
    good = {"id": "m1", "type": "user", "content": "We sold the canoe", "timestamp": "2026-01-01T00:00:00Z"}
    session = {"sessionId": "g1", "startTime": "2026-01-01T00:00:00Z", "messages": [odd, good]}
    (tmp_path / "session-1.json").write_text(json.dumps(session))

    report = report_of(tmp_path / "session-1.json")

    assert (report.turns, report.left_out) == (1, {"unknown": 1})
