"""Dates in text: the examples beside the rules, what depends on the day, and what must always hold."""

import datetime as dt
import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language.dates.dates import FoundDate
from engram.language.dates.dates import Order
from engram.language.dates.dates import find_dates
from engram.language.dates.rules import KIND
from engram.language.dates.rules import DateRule
from tests.cases import for_each
from tests.language.examples import PATTERNS
from tests.language.examples import Example
from tests.language.examples import patterns_without_both
from tests.language.examples import read_examples

TUESDAY = dt.date(2026, 2, 24)
FILES = sorted((PATTERNS / KIND).glob("*.toml"))
EXAMPLES = [example for file in FILES for example in read_examples(file) if example.table == "rule"]


def days(text: str, day: dt.date = TUESDAY, order: Order = "") -> list[str]:
    return [shown(found) for found in find_dates(text, day, order=order)]


def shown(found: FoundDate) -> str:
    first, last = found.first.isoformat(), found.last.isoformat()
    return first if first == last else f"{first}..{last}"


# --- beside the rules ------------------------------------------------------------------------------------------------


@for_each("example", EXAMPLES)
def test_each_rule_reads_its_examples(example: Example) -> None:
    text, _, expected = example.text.partition(" => ")

    assert days(text) == (expected.split("; ") if expected else [])
    assert bool(expected) == example.found


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_each_rule_has_an_example_and_a_counter_example(file: Path) -> None:
    assert patterns_without_both(file) == []


# --- what depends on the day -----------------------------------------------------------------------------------------

MONDAY = dt.date(2026, 2, 23)
FRIDAY = dt.date(2026, 2, 27)
SATURDAY = dt.date(2026, 2, 28)
SUNDAY = dt.date(2026, 3, 1)


@for_each(
    ("text", "day", "expected", "why"),
    [
        ("last Tuesday", TUESDAY, ["2026-02-17"], "on a Tuesday the last one is a week ago"),
        ("last Tuesday", MONDAY, ["2026-02-17"], "the latest one, in whatever week"),
        ("last Tuesday", SUNDAY, ["2026-02-24"], "of the same week"),
        ("上周二", SUNDAY, ["2026-02-17"], "in Chinese it is the one of last week"),
        ("지난주 화요일", SUNDAY, ["2026-02-17"], "in Korean, with the week named, too"),
        ("지난 화요일", SUNDAY, ["2026-02-24"], "and without it the latest one"),
        ("в прошлый вторник", SUNDAY, ["2026-02-24"], "as in Russian"),
        ("this Friday", MONDAY, ["2026-02-27"], "of this week"),
        ("this Friday", FRIDAY, ["2026-02-27"], "today"),
        ("this Friday", SATURDAY, [], "over, or the one to come"),
        ("this coming Friday", SATURDAY, ["2026-03-06"], "never the one that is over"),
        ("this coming Friday", FRIDAY, ["2026-03-06"], "nor today"),
        ("next Friday", MONDAY, ["2026-03-06"], "this Friday is the nearer one"),
        ("next Friday", FRIDAY, ["2026-03-06"], "a week from today"),
        ("next Friday", SUNDAY, ["2026-03-06"], "of the week that begins tomorrow"),
        ("下周五", SUNDAY, ["2026-03-06"], "the same"),
        ("last weekend", MONDAY, ["2026-02-21..2026-02-22"], "just over"),
        ("last weekend", SATURDAY, ["2026-02-21..2026-02-22"], "not the one that has begun"),
        ("last weekend", SUNDAY, ["2026-02-21..2026-02-22"], "nor the one that is not over"),
        ("this weekend", SUNDAY, ["2026-02-28..2026-03-01"], "the one that is not over"),
        ("next weekend", SUNDAY, ["2026-03-07..2026-03-08"], "the one after"),
        ("last week", SUNDAY, ["2026-02-16..2026-02-22"], "weeks begin on Monday"),
        ("a month ago", dt.date(2026, 3, 31), ["2026-02-01..2026-02-28"], "February has no 31st"),
        ("last month", dt.date(2026, 1, 1), ["2025-12-01..2025-12-31"], "over the turn of the year"),
        ("December 28", dt.date(2026, 1, 3), ["2025-12-28"], "the nearest one"),
        ("January 3", dt.date(2025, 12, 28), ["2026-01-03"], "the nearest one"),
        ("June 30", dt.date(2026, 1, 1), [], "half a year from either"),
        ("February 29", TUESDAY, [], "none is near"),
        ("February 29", dt.date(2028, 3, 1), ["2028-02-29"], "this year has one"),
        ("in December", dt.date(2026, 1, 3), ["2025-12-01..2025-12-31"], "the nearest one"),
        ("last March", dt.date(2026, 10, 1), [], "this year's for some, last year's for others"),
        ("last March", dt.date(2026, 2, 1), ["2025-03-01..2025-03-31"], "there is but one"),
        ("tomorrow", dt.date.max, [], "no calendar has it"),
        ("3 days ago", dt.date.min, [], "nor this"),
    ],
)
def test_what_is_said_depends_on_the_day(text: str, day: dt.date, expected: list[str], why: str) -> None:
    assert days(text, day) == expected, why


@for_each(
    ("text", "order", "expected"),
    [
        ("03/04/2026", "", []),
        ("03/04/2026", "dmy", ["2026-04-03"]),
        ("03/04/2026", "mdy", ["2026-03-04"]),
        ("24/02/2026", "", ["2026-02-24"]),
        ("24/02/2026", "mdy", []),
        ("02/24/2026", "dmy", []),
        ("04-04-2026", "", ["2026-04-04"]),
    ],
)
def test_the_order_of_day_and_month_in_digits_is_given_or_plain(text: str, order: Order, expected: list[str]) -> None:
    assert days(text, order=order) == expected


@for_each(
    ("text", "precision", "kind"),
    [
        ("2026-02-24", "day", "absolute"),
        ("8 May 2023", "day", "absolute"),
        ("May 8th", "day", "absolute"),
        ("March 2026", "month", "absolute"),
        ("in March", "month", "absolute"),
        ("in 2019", "year", "absolute"),
        ("yesterday", "day", "relative"),
        ("last week", "week", "relative"),
        ("last weekend", "day", "relative"),
        ("два года назад", "year", "relative"),
        ("上个月", "month", "relative"),
        ("2026년 2월", "month", "absolute"),
    ],
)
def test_precision_and_kind(text: str, precision: str, kind: str) -> None:
    (found,) = find_dates(text, TUESDAY)

    assert (found.precision, found.kind) == (precision, kind)


@for_each(
    "text",
    [
        "I may go, we march on, the second try, an august body, sat in the sun",
        "3.11, v2.10.2026, 10.0.0.1, 1-2, 3/4, 24/7, 5:30, 12:00:01, 2026, 2026.2.24",
        "src/2026/02/24/a.py, x_2026-02-24, a@2026-02-24.com, #2026-02-24",
        "on Tuesday, at the weekend, a few days ago, some time later, soon, once, every day",
        "Mark Decker met April Jones and Jan in Augusta",
        "Март, Августа и Майя гуляли; среда разработки; год от года",
        "周三、星期天、几天后、不久前、三月春风、二月红",
        "요일, 며칠 전, 언젠가, 매일, 나중에, 일이 많다",
        "昨日は雨だった",  # Japanese: there are no rules for it
        "",
    ],
)
def test_what_is_no_date_or_not_surely_one(text: str) -> None:
    assert days(text) == []


@for_each(
    ("text", "expected"),
    [
        ("the day before yesterday", ["the day before yesterday"]),
        ("Released (2026-02-24).", ["2026-02-24"]),
        ("we met in early March 2026!", ["March 2026"]),
        ("Встретились в марте, 5-го марта.", ["марте", "5-го марта"]),
        ("我们昨天和上周五见面", ["昨天", "上周五"]),
        ("어제와 지난주 화요일에", ["어제", "지난주 화요일"]),
        ("from 3 to 5 March 2026", ["3 to 5 March 2026"]),
        ("3-5 August", []),  # half a year away
        ("31 February 2026", []),  # and 2026 alone is not returned either
    ],
)
def test_the_span_is_the_date_and_nothing_else(text: str, expected: list[str]) -> None:
    assert [text[found.start : found.end] for found in find_dates(text, TUESDAY)] == expected


# --- what always holds -----------------------------------------------------------------------------------------------

WORDS = sorted({word for example in EXAMPLES for word in example.text.split()})
TEXTS = st.lists(st.sampled_from(WORDS) | st.text(max_size=3)).map(" ".join)


@given(TEXTS, st.dates())
def test_dates_stand_in_the_text_in_order_without_overlap_and_end_after_they_begin(text: str, day: dt.date) -> None:
    found = find_dates(text, day)

    assert all(0 <= one.start < one.end <= len(text) and one.first <= one.last for one in found)
    assert all(one.end <= other.start for one, other in itertools.pairwise(found))
    assert all(one.precision != "day" or (one.last - one.first).days < 31 for one in found)


@given(st.dates(dt.date(1900, 1, 1), dt.date(2099, 12, 31)), st.dates())
def test_a_full_date_is_that_day_whenever_it_is_said(day: dt.date, said: dt.date) -> None:
    spellings = [
        day.isoformat(),
        f"{day.day} {day:%B} {day.year}",
        f"{day:%b} {day.day}, {day.year}",
        f"{day.year}年{day.month}月{day.day}日",
        f"{day.year}년 {day.month}월 {day.day}일",
        f"{day:%d.%m.%Y}",
    ]

    assert [days(f"on {text} it was", said) for text in spellings] == [[day.isoformat()]] * len(spellings)


@for_each("piece", ["1", "1 ", "in 1 ", "the last ", "2026-", "年1", "1월1", "the ", "через ", "March "])
def test_text_that_is_made_to_be_slow_is_read(piece: str) -> None:
    assert days(piece * (65536 // len(piece)) + ". 2026-02-24") == ["2026-02-24"]


def test_a_rule_says_in_each_of_its_forms_which_part_is_the_date() -> None:
    pattern = r"from (?P<date>(?P<day>\d+)th)|till (?P<date2>(?P<day2>\d+)th)"
    rule = DateRule({"means": "day of month", "near": "th", "pattern": pattern}, {}, edges=True)

    assert [(one.start, one.end, one.said.numbers) for one in rule.matches("till 12th")] == [(5, 9, {"day": 12})]
    assert [(one.start, one.end) for one in rule.matches("from 12th")] == [(5, 9)]
