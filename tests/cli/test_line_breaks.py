"""Lines that fit on a screen: nothing is lost, and what goes on stands below where it began."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.cli.terminal.line_breaks import cell_len
from engram.cli.terminal.line_breaks import fitted

WIDTH = 40


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("short", ["short"]),
        ("people/anna-001  " + "tea " * 8, ["people/anna-001  tea tea tea tea tea tea", " " * 17 + "tea tea"]),
        ("12. " + "tea " * 10, ["12. tea tea tea tea tea tea tea tea tea", "    tea"]),
        ("| - " + "tea " * 10, ["| - tea tea tea tea tea tea tea tea tea", "    tea"]),
        ("  " + "tea " * 10, ["  tea tea tea tea tea tea tea tea tea", "    tea"]),
        ("path  /" + "x" * 50 + " is", ["path", "      /" + "x" * 50, "      is"]),
        ("茶" * 25, ["茶" * 19, "  " + "茶" * 6]),
        ("\x1b[2m" + "tea " * 9 + "teas\x1b[0m", ["\x1b[2m" + "tea " * 9 + "teas\x1b[0m"]),
    ],
)
def test_a_line_goes_on_below_the_column_in_which_it_began(line: str, shown: list[str]) -> None:
    assert shown == [part.rstrip() for part in fitted(line, WIDTH).split("\n")]


@given(st.lists(st.text("ab 茶|-0.", max_size=60), max_size=5))
def test_no_word_is_lost_and_every_line_fits(lines: list[str]) -> None:
    text = "\n".join(lines)

    shown = fitted(text, WIDTH)

    assert "".join(text.split()) == "".join(shown.split())
    assert all(cell_len(line) <= WIDTH or " " not in line.strip() for line in shown.split("\n"))
