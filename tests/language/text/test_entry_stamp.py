"""The time that an entry of a note begins with."""

import datetime as dt

import pytest

from engram.language.text.entry_stamp import without_stamp
from engram.language.text.entry_stamp import written_at


@pytest.mark.parametrize(
    ("text", "rest", "at"),
    [
        ("- 09:30 We moved", "-       We moved", None),
        (
            "- 2026-02-24T09:30:00Z We moved",
            f"- {' ' * 20} We moved",
            dt.datetime(2026, 2, 24, 9, 30, tzinfo=dt.UTC),
        ),
        ("2026-02-24T09:30+02:00 x", f"{' ' * 22} x", dt.datetime(2026, 2, 24, 7, 30, tzinfo=dt.UTC)),
        ("2026-02-24T09:30:00Z", "2026-02-24T09:30:00Z", None),  # nothing is said behind it
        ("2026-02-31T09:30:00Z x", f"{' ' * 20} x", None),
        ("0001-01-01T00:00:00+14:00 x", f"{' ' * 25} x", None),
        ("We moved 2026-02-24T09:30:00Z then", "We moved 2026-02-24T09:30:00Z then", None),
    ],
)
def test_it_is_read_and_left_out_with_all_else_in_its_place(text: str, rest: str, at: dt.datetime | None) -> None:
    assert (without_stamp(text), written_at(text)) == (rest, at)
