"""The day of an entry of a note: its own stamp, a heading's, the note's."""

import datetime as dt

import pytest

from engram.language.dates.note_days import entry_day

DAY = dt.date(2026, 3, 9)


@pytest.mark.parametrize(
    ("headings", "text", "expected"),
    [
        ((), "- decided to stay", "2026-03-09"),
        (("2026-03-09", "2026-03-02"), "- decided to stay", "2026-03-02"),
        (("Log", "3 March"), "- decided to stay", "2026-03-03"),
        (("Log", "## 3月2日"), "- 决定留下", "2026-03-02"),
        (("Записи", "2 марта"), "- решили остаться", "2026-03-02"),
        (("기록", "3월 2일"), "- 남기로 했다", "2026-03-02"),
        (("Yesterday:",), "- decided to stay", "2026-03-08"),
        (("Вчера",), "- решили остаться", "2026-03-08"),
        (("Yesterday's news",), "- decided to stay", "2026-03-09"),
        (("2026-03-02", "Evening"), "- decided to stay", "2026-03-02"),
        (("Session: 2026-03-02 to 2026-03-03",), "- decided to stay", "2026-03-02"),
        (("2026-03-04 / Decisions",), "- 2026-03-02: decided to stay", "2026-03-02"),
        ((), "- [2026-03-02 08:30] decided to stay", "2026-03-02"),
        ((), "**2 March** – decided to stay", "2026-03-02"),
        ((), "- 2026-03-12: release", "2026-03-09"),  # a plan: what the line is about
        (("Until 4 March",), "- decided to stay", "2026-03-09"),
        (("Report of 4 March",), "- decided to stay", "2026-03-09"),
        (("Plan for March",), "- decided to stay", "2026-03-09"),
        ((), "- decided on 2 March to stay", "2026-03-09"),
    ],
)
def test_the_nearest_day_above_dates_an_entry(headings: tuple[str, ...], text: str, expected: str) -> None:
    assert entry_day(headings, text, DAY) == dt.date.fromisoformat(expected)


@pytest.mark.parametrize(
    ("headings", "expected"),
    [((), None), (("Rules (2026-02-09)",), dt.date(2026, 2, 9)), (("3 March",), None), (("March 2026",), None)],
)
def test_in_a_note_without_a_day_a_date_needs_its_year(headings: tuple[str, ...], expected: dt.date | None) -> None:
    assert entry_day(headings, "- decided to stay", None) == expected
