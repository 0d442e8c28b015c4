"""From when and until when statements hold: the examples beside the rules, the day they are said, what always holds."""

import datetime as dt
import re
import time
from pathlib import Path
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from engram.base.dates import parse_moment
from engram.language.dates.dates import find_dates
from engram.language.dates.day_hints import may_name_days
from engram.language.dates.open_days import read_open
from engram.language.dates.rules import KIND as DATES
from engram.language.dates.rules import Said
from engram.language.dates.validity_rules import KIND
from engram.language.matching.language_files import read_languages
from engram.model.fact import Draft
from engram.model.validity import Validity
from engram.services.extract.validity import find_validity
from engram.services.extract.validity import validity_fields
from tests.cases import for_each
from tests.language.examples import PATTERNS
from tests.language.examples import Example
from tests.language.examples import patterns_without_both
from tests.language.examples import read_examples
from tests.making import NOW

TUESDAY = dt.date(2026, 2, 24)
FILES = sorted((PATTERNS / KIND).glob("*.toml"))
# What `stays` tells is read by tests/language/dates/test_due_days.py.
EXAMPLES = [one for file in FILES for one in read_examples(file) if one.table != "stays"]
DENIALS = [
    one for file in sorted((PATTERNS / DATES).glob("*.toml")) for one in read_examples(file) if one.table == "not_event"
]
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


@for_each("example", EXAMPLES)
def test_each_rule_reads_its_examples(example: Example) -> None:
    statement, _, expected = example.text.partition(" => ")

    assert holds(statement) == (expected or TUESDAY.isoformat())
    assert bool(expected) == example.found


@for_each("file", FILES)
def test_each_rule_has_an_example_and_a_counter_example(file: Path) -> None:
    assert patterns_without_both(file) == []


# --- what depends on the day, the category and the words around ------------------------------------------------------

FRIDAY = dt.date(2026, 2, 27)


@for_each(
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
        ("[commitment] I'll send the slides by 23 February", TUESDAY, "2026-02-23..2026-02-23"),  # noted a day late
        ("[commitment] I'll send the slides on 23 February", TUESDAY, "2026-02-23..2026-02-23"),
        ("[commitment] Отправлю слайды до 23 февраля", TUESDAY, "2026-02-23..2026-02-23"),
        ("[commitment] I'll send the slides by 23 August", TUESDAY, "2026-02-24..2026-08-23"),
        ("[decision] Decided on 20 January to freeze until 3 February", TUESDAY, "2026-01-20..2026-02-03"),
        ("[decision] Решили 20 января заморозить схему до 3 февраля", TUESDAY, "2026-01-20..2026-02-03"),
        ("[decision] 我们1月20日决定冻结到2月3日", TUESDAY, "2026-01-20..2026-02-03"),
        ("[decision] 1월 20일에 2월 3일까지 동결하기로 결정했다", TUESDAY, "2026-01-20..2026-02-03"),
        ("[commitment] I promised Meera the slides for Thursday", TUESDAY, "2026-02-24..2026-02-26"),
        ("[commitment] I promised Meera the slides on 25 March", TUESDAY, "2026-02-24..2026-03-25"),
        ("[decision] We decided to have lunch at the Sole on 4 March", TUESDAY, "2026-03-04"),
        ("[decision] The offer for next year: 5 % more", TUESDAY, "2026-02-24"),
        ("[identity] She joined the museum in 2019", TUESDAY, "2019"),
        ("[status] This year on 3 March the fair opens", TUESDAY, "2026-03-03"),  # the year only frames the day
        ("[decision] Agreed with Anna to pause the importer until 2 March", TUESDAY, "2026-02-24..2026-03-02"),
        ("[decision] Decided that the old gate stays until March", TUESDAY, "2026-02-24..2026-03"),
        ("[decision] Agreed on Friday to drop the old gate", TUESDAY, "2026-02-20"),
        ("[decision] Decided 2026-02-20 to stay until 2026-12-31", TUESDAY, "2026-02-20..2026-12-31"),
        ("[preference] Tabs, not spaces (2026-02-10)", TUESDAY, "2026-02-10"),
        ("[instruction] 不要用空格（2026年2月10日）。", TUESDAY, "2026-02-10"),
        ("[instruction] Always write down what a run gave (Mira's wish, 2026-02-24)", TUESDAY, "2026-02-24"),
        ("[instruction] Always write down what a run gave (2026-02-24)", TUESDAY, "2026-02-24"),
        ("[instruction] Ring the council today, 2026-02-24", TUESDAY, "2026-02-24..2026-02-24"),
        ("[preference] I like it since yesterday", TUESDAY, "2026-02-23"),
        ("[preference] Yesterday I had tea, and I prefer coffee", TUESDAY, "2026-02-24"),
        ("[instruction] One run at a time: two of them brought it down in January", TUESDAY, "2026-02-24"),
        ("[status] 소희는 8월 20일에 입사했다", TUESDAY, "2025-08-20"),
        ("[status] 次の火曜日に", TUESDAY, "2026-02-24"),  # Japanese: there are no rules for it
        # a day without its month is near the one that names it
        (
            "[status] Bilal moves on 5 January, so plan him until the 4th",
            dt.date(2026, 11, 26),
            "2026-11-26..2027-01-04",
        ),
        ("[status] The trip is on 28 February, back by the 3rd", TUESDAY, "2026-02-28..2026-03-03"),
        # what is so now is hidden by no beginning that is told behind it
        ("[decision] Аванс теперь 27-го, директор так решил", TUESDAY, "2026-02-27"),
        ("[status] The advance is on the 27th, they decided so", TUESDAY, "2026-02-27"),
        ("[decision] Ms. Okafor is head nurse, she has to approve changes after the 20th", TUESDAY, "2026-02-24"),
        ("[status] The price is 12 euros, as of 1 March", TUESDAY, "2026-03-01"),
        ("[status] As of 1 March the price is 12, shipping is free", TUESDAY, "2026-03-01"),
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


def test_a_commitment_without_a_day_is_due_when_its_sentence_says() -> None:
    turn = "No hurry with the docs. We ship on Thursday, Ann is on duty. On Friday we rest."

    assert Validity(TUESDAY, dt.date(2026, 2, 26)) == find_validity(
        "Ann is on duty", "commitment", TUESDAY, around=turn
    )
    assert Validity(TUESDAY) == find_validity("Ann is on duty", "status", TUESDAY, around=turn)
    assert Validity(TUESDAY) == find_validity("No hurry with the docs", "commitment", TUESDAY, around=turn)
    assert Validity(TUESDAY) == find_validity("Ann is off", "commitment", TUESDAY, around=turn)


@for_each("example", [one for one in EXAMPLES if " => " in one.text])
def test_what_names_a_day_may_name_one(example: Example) -> None:
    assert may_name_days(example.text.partition(" => ")[0])


# --- the day of an event ---------------------------------------------------------------------------------------------


@for_each(
    ("statement", "expected"),
    [
        ("We decided yesterday to use Postgres.", "2026-02-23"),
        ("Billing was released on 2026-02-20", "2026-02-20"),
        ("COMPLETED Feb 5: the migration", "2026-02-05"),
        ("Anna has been our lead since 1 February 2026", "2026-02-01"),
        ("In yesterday's meeting we chose Rust", "2026-02-23"),
        ("Last Tuesday we moved to Frankfurt", "2026-02-17"),
        ("We shipped it today", "2026-02-24"),
        ("Вчера решили переехать на Postgres", "2026-02-23"),
        ("3 дня назад выпустили версию 2", "2026-02-21"),
        ("昨天我们决定使用Postgres", "2026-02-23"),
        ("2026年2月20日发布了新版", "2026-02-20"),
        ("어제 Postgres로 정했다", "2026-02-23"),
        ("사흘 전에 출시했다", "2026-02-21"),
        ("We decided to use Postgres", None),  # no date
        ("We ship it tomorrow", "2026-02-25"),  # to come
        ("We met last week", "2026-02-16"),  # from its Monday, said as a week
        ("Started on 2026-02-10, finished on 2026-02-12", None),  # two days
        ("Decided 2026-02-10 for next month", "2026-02-10"),  # what it is for is another date
        ("It has to be done by 2026-02-20", "2026-02-20"),
        ("The deadline was 2026-02-20", None),
        ("Anna's birthday is January 8th", None),
        ("The report of 2026-02-10 names three causes", None),
        ("It is older than 2026-02-10", None),
        ("We did not decide yesterday", None),
        ("It didn't work yesterday", None),
        ("If we had decided yesterday", None),
        ("Yesterday's news is old", None),
        ("Feb 10-12 was hard", "2026-02-10"),
        ("It is faster than it was, compared with yesterday", None),
        ("The contract ends on 2026-02-10 and renews", None),
        ("По состоянию на 20 февраля готово", "2026-02-20"),
        ("2월 20일 기준으로 절반 완료", "2026-02-20"),
        ("Отчёт от 10 февраля назвал три причины", None),
        ("Сдать до 20 февраля", None),
        ("Вчера не решили ничего", None),
        ("День рождения Анны 8 января", None),
        ("截止日期是2月20日", None),
        ("昨天没有决定", None),
        ("2月20日之前完成", None),
        ("2월 20일까지 제출", None),
        ("어제는 결정하지 않았다", None),
        ("생일은 1월 8일이다", None),
    ],
)
def test_the_day_on_which_a_statement_came_true(statement: str, expected: str | None) -> None:
    found = find_validity(statement, "milestone", TUESDAY)

    assert found.valid_from == (dt.date.fromisoformat(expected) if expected else TUESDAY)


@for_each("example", DENIALS)
def test_each_language_knows_dates_that_are_no_day_of_an_event(example: Example) -> None:
    found = find_validity(example.text, "milestone", TUESDAY)

    assert find_dates(example.text, TUESDAY) != []
    assert (found.valid_from == TUESDAY) == example.found


# --- every unit that words name -----------------------------------------------------------------------------------

NAMED_UNITS = sorted(
    {
        str(meaning)
        for kind in (DATES, KIND)
        for data in read_languages(kind).values()
        for table in data.get("words", {}).values()
        for meaning in table.values()
        if isinstance(meaning, str)
    }
)


@for_each("means", ["in", "unit", "end of unit", "day of unit"])
def test_every_unit_that_a_language_names_is_read_or_left(means: str) -> None:
    assert "weekend" in NAMED_UNITS

    for unit in NAMED_UNITS:
        said = Said({"number": 2, "which": 1, "day": 3}, unit)
        for sign in (-1, 1):
            found = read_open(means, said, TUESDAY, sign)
            assert found is None or found.first <= found.last


@for_each(
    ("statement", "expected"),
    [
        ("He built him a bed in one weekend", "2026-02-24"),  # how long it took
        ("[commitment] It is done by the end of this weekend", "2026-02-24..week of 2026-02-23"),
        ("Er hat das Bett in einem Wochenende gebaut", "2026-02-24"),
    ],
)
def test_a_weekend_is_a_unit_like_others(statement: str, expected: str) -> None:
    assert holds(statement) == expected


APRIL = dt.date(2026, 4, 1)
AUTUMN = dt.date(2026, 11, 9)


@for_each(
    ("statement", "day", "expected"),
    [
        ("[milestone] Ann signed at 32,000, start 1 June, three days a week", APRIL, "2026-06-01"),
        ("[milestone] Ann started on 1 June", APRIL, "2025-06-01"),  # it is her clause that tells what was
        ("He told me so at ten, wants vacant possession by the end of May", APRIL, "2026-04-01..2026-05-31"),
        ("They are leased till 30 June, 190 each", APRIL, "2026-04-01..2026-06-30"),
        ("Leased till 30 June", APRIL, "2026-04-01..2026-06-30"),  # the nearer end
        ("Leased till 30 January", APRIL, "2026-01-30..2026-01-30"),
        ("Blocked 21 Dec – 4 Jan, office shut", AUTUMN, "2026-12-21..2027-01-04"),  # no time without a year is longer
        ("[decision] Post created, grade 7, advertised from mid November", AUTUMN.replace(month=10), "2026-11"),
        ("Closed 24–26 December", AUTUMN, "2026-12-24..2026-12-26"),
        ("The field is blank where the record was made before 2019", APRIL, "2026-04-01"),
        ("Fahrenheit before firmware 2.3 (before Nov 2021)", APRIL, "2026-04-01"),
        ("We used the old host until 2024", APRIL, "2024..2024"),
        ("[status] The grant has to be spent by 28 February 2026", APRIL, "2026-02-28..2026-02-28"),  # it is overdue
    ],
)
def test_an_end_hides_nothing_that_holds(statement: str, day: dt.date, expected: str) -> None:
    assert holds(statement, day) == expected


@for_each(
    ("statement", "day", "expected"),
    [
        ("[milestone] 모임은 1월 12일 월요일", dt.date(2025, 9, 1), "2026-01-12"),
        ("[milestone] We met on Monday, January 13", dt.date(2025, 9, 1), "2025-01-13"),
        ("[milestone] The review is on Monday, January 12", dt.date(2025, 9, 1), "2026-01-12"),
        ("[status] The review is on Friday, January 12", dt.date(2025, 9, 1), "2026-01-12"),  # none of the two
    ],
)
def test_the_weekday_beside_a_date_tells_its_year(statement: str, day: dt.date, expected: str) -> None:
    assert holds(statement, day) == expected


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


@for_each("piece", ["1", "1 ", "by the 1st ", "until March ", "с 1 ", "到1", "1월1", "1/1~", "Monday, ", "`"])
def test_text_that_is_made_to_be_slow_is_read(piece: str) -> None:
    text = piece * (60_000 // len(piece))

    begin = time.process_time()
    find_validity(text, "status", TUESDAY)
    assert time.process_time() - begin < 1
