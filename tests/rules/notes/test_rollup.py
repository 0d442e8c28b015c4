"""Which days a roll-up covers, and that its file says what it was made of."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language.text.front_matter import split_front_matter
from engram.language.text.markdown_notes import split_note
from engram.rules.notes.rollup import MONTHLY
from engram.rules.notes.rollup import WEEKLY
from engram.rules.notes.rollup import Item
from engram.rules.notes.rollup import Period
from engram.rules.notes.rollup import Source
from engram.rules.notes.rollup import day_label
from engram.rules.notes.rollup import digest
from engram.rules.notes.rollup import is_rollup
from engram.rules.notes.rollup import items_of
from engram.rules.notes.rollup import link_to
from engram.rules.notes.rollup import month_of
from engram.rules.notes.rollup import render_items
from engram.rules.notes.rollup import render_rollup
from engram.rules.notes.rollup import sources_of
from engram.rules.notes.rollup import week_of

DAYS = st.dates(dt.date(1971, 1, 1), dt.date(2199, 12, 31))
NAMES = st.text(st.characters(blacklist_categories=["Cs", "Cc"], blacklist_characters="/"), min_size=1, max_size=20)
HASHES = st.binary(min_size=32, max_size=32)
WORDS = st.text(st.characters(categories=["L", "Nd"]), min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("day", "week", "week_over", "month", "month_over"),
    [
        # A Thursday ends the month: its last week goes on to Sunday.
        ("2026-04-30", "2026-W18", "2026-05-04", "2026-04", "2026-05-04"),
        # From Monday to Wednesday: the week is of the next month.
        ("2026-09-30", "2026-W40", "2026-10-05", "2026-10", "2026-11-02"),
        ("2026-09-24", "2026-W39", "2026-09-28", "2026-09", "2026-10-01"),
        # The turn of a year.
        ("2026-12-31", "2026-W53", "2027-01-04", "2026-12", "2027-01-04"),
        ("2027-01-03", "2026-W53", "2027-01-04", "2026-12", "2027-01-04"),
        ("2024-12-30", "2025-W01", "2025-01-06", "2025-01", "2025-02-03"),
        ("2024-02-29", "2024-W09", "2024-03-04", "2024-02", "2024-03-04"),
    ],
)
def test_the_days_of_weeks_and_months(day: str, week: str, week_over: str, month: str, month_over: str) -> None:
    found = week_of(dt.date.fromisoformat(day))
    month_found = month_of(found)

    assert (found.name, str(found.over_on)) == (week, week_over)
    assert (month_found.name, str(month_found.over_on)) == (month, month_over)


@given(DAYS)
def test_every_day_has_one_week_every_week_one_month_and_neither_is_written_before_it_is_over(day: dt.date) -> None:
    week = week_of(day)
    month = month_of(week)

    assert week.first <= day <= week.last
    assert (week.last - week.first).days == 6
    assert week == week_of(week.first) == week_of(week.last)
    assert sum(month.first <= week.first + dt.timedelta(days=n) <= month.last for n in range(7)) >= 4
    assert week.over_on == week.last + dt.timedelta(days=1)
    assert month.over_on >= max(month.last + dt.timedelta(days=1), week.over_on)
    assert (month.over_on - month.last).days <= 4


@pytest.mark.parametrize(
    ("day", "title", "label"),
    [
        ("2026-02-10", "Week 7 of 2026: 9 to 15 February", "Tue 10 Feb"),
        ("2026-03-31", "Week 14 of 2026: 30 March to 5 April", "Tue 31 Mar"),
    ],
)
def test_the_title_of_a_week_and_the_label_of_a_day(day: str, title: str, label: str) -> None:
    assert week_of(dt.date.fromisoformat(day)).title == title
    assert day_label(dt.date.fromisoformat(day)) == label


def test_the_title_of_a_month() -> None:
    assert month_of(week_of(dt.date(2026, 2, 10))).title == "February 2026"


WEEK = week_of(dt.date(2026, 2, 10))
SOURCES = [Source("../2026-02-09.md", "a" * 64), Source("../2026-02-10.md", "b" * 64)]
BODY = """## Decisions

- Billing: we use DuckDB ([Tue 10 Feb](../2026-02-10.md#L3))

## Open

- Who is on call?

And 1 more line in the notes of this week."""


def test_the_file_of_a_week() -> None:
    items = [
        Item("Open", "Who is on call?"),
        Item("Decisions", "Billing: we use DuckDB", "Tue 10 Feb", "../2026-02-10.md#L3"),
    ]

    body = render_items(items, 1, "the notes of this week")

    assert body == BODY
    assert render_rollup(WEEK, body, SOURCES).decode() == (
        "---\ntype: weekly\nweek: 2026-W07\nperiod: 2026-02-09/2026-02-15\n---\n"
        f"<!-- engram:weekly 2026-W07 -->\n# Week 7 of 2026: 9 to 15 February\n\n{BODY}\n\n## Notes\n\n"
        f"- [2026-02-09.md](../2026-02-09.md) <!-- sha256:{'a' * 64} -->\n"
        f"- [2026-02-10.md](../2026-02-10.md) <!-- sha256:{'b' * 64} -->\n<!-- /engram -->\n"
    )


@given(
    st.lists(
        st.tuples(NAMES, st.binary(min_size=32, max_size=32)), min_size=1, max_size=5, unique_by=lambda one: one[0]
    ),
    st.lists(st.tuples(st.sampled_from(["Decisions", "Lessons", "Open"]), WORDS, NAMES), max_size=8),
)
def test_a_rollup_reads_back_to_its_sources_and_items_and_is_never_a_note(
    sources: list[tuple[str, bytes]], said: list[tuple[str, str, str]]
) -> None:
    named = [Source(f"../{name}.md", data.hex()) for name, data in sources]
    items = [Item(section, text, "day", link_to(f"../{name}.md", 7)) for section, text, name in said]

    data = render_rollup(WEEK, render_items(items, 0, "x"), named)

    assert sources_of(data.decode()) == named
    assert sorted(items_of(data.decode())) == sorted(items)
    assert all(item.file == f"../{name}.md" for item, (_, _, name) in zip(items, said, strict=True))
    assert is_rollup(data.decode())
    assert split_note(data) == []


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("<!-- engram:weekly 2026-W07 -->\n# Week 7", True),
        ("\ufeff<!-- engram:monthly 2026-02 -->\r\n# February", True),
        ("My own words first.\n\n<!-- engram:weekly 2026-W07 -->\n", True),
        ("# 2026-02-10\n\n- a note", False),
        ("<!-- engram:heartbeat 01abc -->\n- a report", False),
        ("- we write <!-- engram:weekly 2026-W07 --> on top", False),
        ("", False),
    ],
)
def test_what_is_a_rollup(text: str, is_one: bool) -> None:
    assert is_rollup(text) is is_one


def test_the_digest_changes_with_content_and_place_and_not_with_order() -> None:
    moved = SOURCES[0]._replace(link="../archives/2026/2026-02-09.md")
    other = SOURCES[0]._replace(sha256="c" * 64)

    assert digest(SOURCES) == digest(reversed(SOURCES))
    assert len({digest(SOURCES), digest(SOURCES[:1]), digest([moved, SOURCES[1]]), digest([other, SOURCES[1]])}) == 4


def test_files_lie_below_the_folder_of_the_notes() -> None:
    assert WEEK.file == "weekly/2026-W07.md"
    assert month_of(WEEK).file == "monthly/2026-02.md"
    assert Period(WEEKLY, "x", WEEK.first, WEEK.last).kind != MONTHLY


@pytest.mark.parametrize("day", [dt.date.min, dt.date.max])
def test_a_note_of_the_first_or_last_day_of_the_calendar_has_its_week(day: dt.date) -> None:
    week = week_of(day)
    month = month_of(week)
    assert week.first <= day <= week.last <= week.over_on
    assert month.first <= day <= month.last <= month.over_on
    assert len(week.name) == len("2026-W07")


def test_programs_read_the_kind_and_the_days_of_a_rollup_first() -> None:
    fields = [split_front_matter(render_rollup(one, "- tea", SOURCES).decode())[0] for one in (WEEK, month_of(WEEK))]

    assert fields == [
        {"type": "weekly", "week": "2026-W07", "period": "2026-02-09/2026-02-15"},
        {"type": "monthly", "month": "2026-02", "period": "2026-02-01/2026-02-28"},
    ]
