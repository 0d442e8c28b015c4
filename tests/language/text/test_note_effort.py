"""What a note costs to read grows with its length and no faster, whatever stands in it."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from engram.language.text.markdown_notes import split_note

LINES = {
    "fences of recall that nobody closes": "=== recalled: 1 from memory",
    "reports that nobody closes": "<!-- engram:report 01 -->",
    "code that nobody closes": "```",
    "rows": "| a | b |",
    "heads of tables": "| a | b |\n|---|---|",
    "headings": "# A heading",
    "underlined headings": "A heading\n====",
    "bullets": "- a bullet",
    "quotations": "> a quotation",
    "labels": "**Label:**",
    "front matter": "---",
}


def calls_of(function: Callable[[], Any]) -> int:
    """Return how many functions are called, Python's own included: the same number at every run."""
    count = 0

    def seen(_frame: FrameType, event: str, _arg: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(seen)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_a_note_of_twice_the_lines_costs_about_twice(line: str) -> None:
    short, long = (b"# x\n" + f"{line}\n".encode() * count for count in (200, 400))
    split_note(short)  # what is made once

    assert calls_of(lambda: split_note(long)) < 2.2 * calls_of(lambda: split_note(short))


def test_nested_bullets_cost_as_their_length() -> None:
    short, long = (b"".join(b" " * (2 * depth) + b"- label:\n" for depth in range(count)) for count in (100, 200))

    assert calls_of(lambda: split_note(long)) < 2.2 * calls_of(lambda: split_note(short))
