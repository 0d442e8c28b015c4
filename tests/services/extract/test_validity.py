"""From when and until when statements hold: the examples beside the rules, the day they are said, what always holds."""

import datetime as dt
import re
import time
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.base.dates import parse_moment
from engram.language.validity_rules import FOLDER
from engram.model.fact import Draft
from engram.services.extract.validity import Validity
from engram.services.extract.validity import find_validity
from engram.services.extract.validity import validity_fields
from tests.language.examples import Example
from tests.language.examples import patterns_without_both
from tests.language.examples import read_examples
from tests.making import NOW

TUESDAY = dt.date(2026, 2, 24)
FILES = sorted(FOLDER.glob("*.toml"))
EXAMPLES = [example for file in FILES for example in read_examples(file)]
CHARS = {"day": 10, "month": 7, "year": 4}


def shown(validity: Validity) -> str:
    first = written(validity.valid_from, validity.from_precision)
    return f"{first}..{written(validity.valid_to, validity.to_precision)}" if validity.valid_to else first


def written(day: dt.date, precision: str) -> str:
    if precision == "week":
        return f"week of {(day - dt.timedelta(days=day.weekday())).isoformat()}"
    return day.isoformat()[: CHARS[precision]]


def holds(statement: str, day: dt.date = TUESDAY, category: str = "status") -> str:
    marked = re.match(r"\[(\w+)\] ", statement)
    words = statement[marked.end() :] if marked else statement
    return shown(find_validity(words, marked[1] if marked else category, day))


# --- beside the rules ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_each_rule_reads_its_examples(example: Example) -> None:
    statement, _, expected = example.text.partition(" => ")

    assert holds(statement) == (expected or TUESDAY.isoformat())
    assert bool(expected) == example.found


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_each_rule_has_an_example_and_a_counter_example(file: Path) -> None:
    assert patterns_without_both(file) == []


# --- what depends on the day, the category and the words around ------------------------------------------------------

FRIDAY = dt.date(2026, 2, 27)


@pytest.mark.parametrize(
    ("statement", "day", "expected"),
    [
        ("[commitment] I'll send the draft by Friday noon", FRIDAY, "2026-02-27..2026-03-06"),  # not the one that is on
        ("[status] We moved to the new host on Friday", FRIDAY, "2026-02-20"),
        ("[milestone] Сегодня выпустили релиз", TUESDAY, "2026-02-24"),
        ("[instruction] Remind me on Thursday to ring the council", TUESDAY, "2026-02-24..2026-02-26"),
        ("[commitment] Monday (March 31): the core product ships", dt.date(2026, 3, 28), "2026-03-28..2026-03-31"),
        (
            "[commitment] Ship by Wednesday 5 March 2026",
            TUESDAY,
            "2026-02-24..2026-03-05",
        ),  # a Thursday: the date counts
        ("[status] We are in Ghent from 3 to 5 March", TUESDAY, "2026-03-03..2026-03-05"),
        ("[status] The old API ends in April", TUESDAY, "2026-02-24..2026-04"),
        ("[status] The new API opens in April", TUESDAY, "2026-04"),
        ("[decision] 2026-02-20: we stay with DuckDB", TUESDAY, "2026-02-20"),
        ("[decision] 20 February: we ship on Friday", TUESDAY, "2026-02-27"),
        ("[commitment] 5 March: launch of the shop", TUESDAY, "2026-02-24..2026-03-05"),
        ("[status] The lease ran until last Friday", TUESDAY, "2026-02-20..2026-02-20"),
        ("[commitment] first tests on Thursday, the release on Friday", TUESDAY, "2026-02-24..2026-02-27"),
        (
            "[milestone] Began on 2026-02-10, finished on 2026-02-12",
            TUESDAY,
            "2026-02-24",
        ),  # two days, and neither is it
        ("[preference] I like it since yesterday", TUESDAY, "2026-02-23"),
        ("[preference] Yesterday I had tea, and I prefer coffee", TUESDAY, "2026-02-24"),
        ("[instruction] One run at a time: two of them brought it down in January", TUESDAY, "2026-02-24"),
        ("[status] 소희는 8월 20일에 입사했다", TUESDAY, "2025-08-20"),
        ("[status] 次の火曜日に", TUESDAY, "2026-02-24"),  # Japanese: there are no rules for it
        ("[status] `git log --since=2026-02-01` shows it", TUESDAY, "2026-02-24"),
        ("[status] see memory/2026-02-20.md and build 2026.2.20", TUESDAY, "2026-02-24"),
        ("[status] Since 31 February 2026 it runs", TUESDAY, "2026-02-24"),
        ("", TUESDAY, "2026-02-24"),
    ],
)
def test_from_when_and_until_when_a_statement_holds(statement: str, day: dt.date, expected: str) -> None:
    assert holds(statement, day) == expected


def test_a_list_of_many_days_is_no_statement_about_one() -> None:
    assert holds(" and ".join(f"on {number} March we meet" for number in range(1, 9))) == "2026-02-24"


def test_the_last_day_ends_with_its_last_second_where_the_note_was_written() -> None:
    due = find_validity("Ship by 5 March", "commitment", TUESDAY)
    month = find_validity("The shop opens in April", "status", TUESDAY)

    assert validity_fields(due, ZoneInfo("Asia/Tokyo")) == {
        "valid_from": "2026-02-24",
        "valid_to": "2026-03-05T14:59:59Z",
    }
    assert validity_fields(month, dt.UTC) == {"valid_from": "2026-04-01", "valid_from_precision": "month"}


# --- what always holds -----------------------------------------------------------------------------------------------

WORDS = sorted({word for example in EXAMPLES for word in example.text.split()})
TEXTS = st.lists(st.sampled_from(WORDS) | st.text(max_size=3)).map(" ".join)
CATEGORIES = st.sampled_from(["status", "milestone", "commitment", "instruction", "preference", "decision", "lesson"])


@given(TEXTS, CATEGORIES, st.dates())
def test_what_holds_begins_before_it_ends_and_in_our_time(text: str, category: str, day: dt.date) -> None:
    found = find_validity(text, category, day)

    assert found.valid_to is None or found.valid_from <= found.valid_to
    assert found == Validity(day) or all(one is None or 1900 <= one.year < 2200 for one in found[:2])


@given(TEXTS, CATEGORIES)
def test_what_is_written_is_read_by_write(text: str, category: str) -> None:
    fields = validity_fields(find_validity(text, category, TUESDAY), dt.UTC)
    draft = Draft.model_validate(
        {
            "entity": "people/anna",
            "text": "x",
            "source": {"actor": "agent"},
            **fields,
            "valid_from": parse_moment(fields["valid_from"], zone=dt.UTC, now=NOW, name="valid_from"),
        }
    )

    assert draft.valid_to is None or (draft.valid_from is not None and draft.valid_from < draft.valid_to)


@pytest.mark.parametrize(
    "piece", ["1", "1 ", "by the 1st ", "until March ", "с 1 ", "到1", "1월1", "1/1~", "Monday, ", "`"]
)
def test_text_that_is_made_to_be_slow_is_read(piece: str) -> None:
    text = piece * (60_000 // len(piece))

    begin = time.process_time()
    find_validity(text, "status", TUESDAY)
    assert time.process_time() - begin < 1
