"""The elements of a JSON array, one by one: a bad one is told in its place, and the others are read."""

import io

import pytest

from engram.importers.transcripts.reader import FieldError
from engram.importers.transcripts.streams import read_elements

GOOD = b'{"a": "[1, \\"x\\"}"}'
DEEP = b"[" * 10_000 + b"]" * 10_000
BAD = {
    "not valid JSON: Expecting": b'{"a": }',
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
