"""Long texts in overlapping pieces: nothing lost, nothing too long, each on the lines where it stands."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.base.text import sha256_hex
from engram.base.tokens.estimate import estimate_tokens
from engram.language.text.pieces import MOST_TOKENS
from engram.language.text.pieces import OVERLAP_TOKENS
from engram.language.text.pieces import cut_text

LINES = "\n".join(f"Line {number} says that the harbour pilot boards at buoy {number}." for number in range(80))
SENTENCES = " ".join(f"The pilot of ship {number} boards at the outer buoy." for number in range(120))
HAN = "".join(f"第{number}号引航员在外浮标登船。" for number in range(120))
BLOB = "".join(sha256_hex(str(number)) for number in range(200))


def test_a_short_text_is_one_piece_as_it_stands() -> None:
    (piece,) = cut_text("- Tea\n  at four")

    assert piece == ("- Tea\n  at four", 0, 1)


@pytest.mark.parametrize("text", [LINES, SENTENCES, HAN, BLOB, SENTENCES + "\n" + LINES])
def test_no_piece_is_too_long_and_together_they_are_the_whole(text: str) -> None:
    pieces = cut_text(text)

    assert len(pieces) > 1
    assert all(estimate_tokens(piece.text) <= MOST_TOKENS * 1.02 for piece in pieces)  # sums are rounded
    at = 0
    for piece in pieces:
        found = text.index(piece.text, max(0, at - len(piece.text)))
        assert not text[at:found].strip()  # no gap
        at = found + len(piece.text)
    assert at == len(text)


@pytest.mark.parametrize("text", [LINES, SENTENCES, HAN])
def test_a_piece_begins_with_the_end_of_the_last(text: str) -> None:
    pieces = cut_text(text)
    for before, after in itertools.pairwise(pieces):
        begin = text.index(after.text)
        shared = text[begin : text.index(before.text) + len(before.text)]
        assert 0 < estimate_tokens(shared) <= OVERLAP_TOKENS * 1.1


def test_a_piece_says_on_which_lines_it_stands() -> None:
    lines = LINES.split("\n")
    for piece in cut_text(LINES):
        assert piece.text == "\n".join(lines[piece.first : piece.last + 1])


@given(st.text(alphabet="ab .\n。界\r", max_size=3000))
def test_any_text_comes_apart_and_ends(text: str) -> None:
    pieces = cut_text(text, 20, 5)

    assert "".join(text.split()) in "".join("".join(piece.text.split()) for piece in pieces) or len(pieces) > 1
    assert all(piece.last == piece.first + piece.text.count("\n") for piece in pieces)
