"""The time that questions ask about: the examples beside the rules, what depends on the day, what asks about none."""

import datetime as dt
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language.dates.question_time import AskedTime
from engram.language.dates.question_time import asked_time
from engram.language.dates.question_time_rules import KIND
from tests.cases import for_each
from tests.language.examples import PATTERNS
from tests.language.examples import Example
from tests.language.examples import patterns_without_both
from tests.language.examples import read_examples

TUESDAY = dt.date(2026, 2, 24)
FILES = sorted((PATTERNS / KIND).glob("*.toml"))
EXAMPLES = [example for file in FILES for example in read_examples(file)]


def shown(asked: AskedTime | None) -> str:
    if asked is None:
        return ""
    first, last = (day.isoformat() if day else "" for day in (asked.first, asked.last))
    return first if first == last else f"{first}..{last}"


def asks(question: str, day: dt.date = TUESDAY) -> str:
    return shown(asked_time(question, day))


# --- beside the rules ------------------------------------------------------------------------------------------------


@for_each("example", EXAMPLES)
def test_each_rule_reads_its_examples(example: Example) -> None:
    question, _, expected = example.text.partition(" => ")

    assert asks(question) == expected
    assert expected or not example.found


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_each_rule_has_an_example_and_a_counter_example(file: Path) -> None:
    assert patterns_without_both(file) == []
    assert {example.table for example in EXAMPLES} == {"past", "future", "denied", "bounds", "joined", "asks", "rule"}


# --- what depends on the day -----------------------------------------------------------------------------------------

JANUARY = dt.date(2026, 1, 5)  # a Monday
LEAP = dt.date(2028, 2, 29)  # a Tuesday
NOVEMBER = dt.date(2026, 11, 21)


@for_each(
    ("question", "day", "expected", "why"),
    [
        ("What did we do in December?", JANUARY, "2025-12-01..2025-12-31", "the latest one"),
        ("What did we do in January?", JANUARY, "2026-01-01..2026-01-31", "the one that has begun"),
        ("What did we do in February?", JANUARY, "2025-02-01..2025-02-28", "not the one to come"),
        ("What did we do on August 20?", TUESDAY, "2025-08-20", "half a year ago is not the nearest one for sure"),
        ("What did we do on February 29?", TUESDAY, "", "there was none in the year behind us"),
        ("What did we do on February 29?", LEAP, "2028-02-29", "today"),
        ("What did we decide on Tuesday?", TUESDAY, "2026-02-17", "today one would say today"),
        ("What did we decide on Monday?", TUESDAY, "2026-02-23", "yesterday"),
        ("What happened in Q1?", JANUARY, "2026-01-01..2026-03-31", "the one that has begun"),
        ("What happened in Q2?", JANUARY, "2025-04-01..2025-06-30", "not the one to come"),
        ("What happened last quarter?", JANUARY, "2025-10-01..2025-12-31", "over the turn of the year"),
        ("What happened over the past year?", LEAP, "2027-02-28..2028-02-29", "February had no 29th"),
        ("What happened over the past year?", dt.date.min, "", "no calendar has it"),
        ("What did I say yesterday?", dt.date.min, "", "nor this"),
        ("What did they do after 2019?", dt.date.max, "2020-01-01..", "as ever"),
        ("What did they do after today?", dt.date.max, "", "there is no day after it"),
        ("Who approves scope changes in December?", NOVEMBER, "2026-12-01..2026-12-31", "it comes sooner than it was"),
        ("who approves scope changes in december", NOVEMBER, "2026-12-01..2026-12-31", "in small letters, too"),
        ("Who is on call in December?", NOVEMBER, "2026-12-01..2026-12-31", "it comes sooner than it was"),
        ("Who will be on call in December?", NOVEMBER, "2026-12-01..2026-12-31", "a word of what is to come"),
        ("What is planned for us in September?", NOVEMBER, "2026-09-01..2026-09-30", "it was not long ago"),
        ("Who approved scope changes in December?", NOVEMBER, "2025-12-01..2025-12-31", "that was"),
        ("Which decisions are there from December?", NOVEMBER, "2025-12-01..2025-12-31", "they were made"),
        ("Wer genehmigt Änderungen im Dezember?", NOVEMBER, "2026-12-01..2026-12-31", "it comes sooner than it was"),
        ("Qui approuve les changements en décembre ?", NOVEMBER, "2026-12-01..2026-12-31", "so it does"),
        ("¿Quién aprueba los cambios en diciembre?", NOVEMBER, "2026-12-01..2026-12-31", "so it does"),
        ("Кто утверждает изменения в декабре?", NOVEMBER, "2026-12-01..2026-12-31", "so it does"),
        ("12月谁批准变化？", NOVEMBER, "2026-12-01..2026-12-31", "so it does"),
        ("12월에 누가 변경을 승인해?", NOVEMBER, "2026-12-01..2026-12-31", "so it does"),
        ("Who is on call in February?", dt.date(2028, 1, 20), "2028-02-01..2028-02-29", "with its 29th"),
        ("8月我们做了什么？", TUESDAY, "2025-08-01..2025-08-31", "the latest one"),
        ("8월에 우리는 무엇을 했나요?", TUESDAY, "2025-08-01..2025-08-31", "the latest one"),
        ("Что мы делали в августе?", TUESDAY, "2025-08-01..2025-08-31", "the latest one"),
        ("Что решили 20 августа?", TUESDAY, "2025-08-20", "the latest one"),
        ("в марте", TUESDAY, "", "nothing says whether it was or will be"),
        ("in March", TUESDAY, "", "nor here"),
        ("in December", TUESDAY, "2025-12-01..2025-12-31", "it comes again late"),
        ("today", TUESDAY, "2026-02-24", "nothing else is asked"),
        ("this month?", TUESDAY, "2026-02-01..2026-02-28", "the same"),
        ("сегодня", TUESDAY, "2026-02-24", "the same"),
        ("今天", TUESDAY, "2026-02-24", "the same"),
        ("오늘", TUESDAY, "2026-02-24", "the same"),
        ("diesen Monat", TUESDAY, "2026-02-01..2026-02-28", "the same"),
        ("12月的会议", TUESDAY, "2025-12-01..2025-12-31", "a memory keeps meetings"),
        ("12월 회의", TUESDAY, "2025-12-01..2025-12-31", "the same"),
        ("was war am 5. März", TUESDAY, "2025-03-05", "the latest one"),
        ("am 5. März", TUESDAY, "2026-03-05", "the coming one is near"),
        ("on 5 March", TUESDAY, "2026-03-05", "the same"),
        ("on 5 January", TUESDAY, "2026-01-05", "it has just been"),
        ("who is on call on February 29?", dt.date(2027, 1, 10), "", "neither year has it"),
        ("the budget for March", TUESDAY, "", "that is a month of the budget"),
        ("бюджет на декабрь", TUESDAY, "", "the same"),
        ("das Budget für Dezember", TUESDAY, "", "the same"),
        ("12月的预算", TUESDAY, "", "the same"),
        ("What is due by Tuesday?", TUESDAY, "2026-02-24", "today"),
        ("What is due by Monday?", TUESDAY, "2026-02-24..2026-03-02", "up to the next one"),
        ("Is the invoice due by Saturday?", dt.date.max, "", "there is no such day"),
        ("last week", TUESDAY, "2026-02-16..2026-02-22", "that was for sure"),
        ("What was done from May to August 2025?", TUESDAY, "2025-05-01..2025-08-31", "of the same year"),
        ("What was done from November to February 2024?", TUESDAY, "2023-11-01..2024-02-29", "of the year before"),
        ("Что сделали с ноября по март 2024?", TUESDAY, "2023-11-01..2024-03-31", "in Russian too"),
        ("What was done between 5 January and 9 March 2025?", TUESDAY, "2025-01-05..2025-03-09", "days, too"),
        ("What was done between February 29 and 9 March 2027?", LEAP, "", "that year has no such day"),
        ("Was the passport valid before 2027?", TUESDAY, "", "that is whatever was said so far"),
        ("Who led the team until today?", TUESDAY, "", "the same"),
        ("next week", TUESDAY, "2026-03-02..2026-03-08", "what is to come can be asked for"),
    ],
)
def test_what_is_asked_depends_on_the_day(question: str, day: dt.date, expected: str, why: str) -> None:
    assert asks(question, day) == expected, why


@for_each(
    ("question", "words", "precision"),
    [
        ("What did we do in early March 2025?", "March 2025", "month"),
        ("What has changed since last week?", "last week", "week"),
        ("What did we do between January 5 and 9 March 2025?", "January 5 and 9 March 2025", "day"),
        ("What did we do in 2023 or last week?", "2023 or last week", "year"),
        ("Что было за последние три дня?", "последние три дня", "day"),
        ("上周五我们决定了什么？", "上周五", "day"),
        ("지난달에 무엇을 했나요?", "지난달", "month"),
    ],
)
def test_the_words_that_were_read_and_the_unit_in_which_they_say_it(question: str, words: str, precision: str) -> None:
    asked = asked_time(question, TUESDAY)

    assert asked is not None
    assert (asked.words, asked.precision) == (words, precision)


# --- what asks about no time -----------------------------------------------------------------------------------------


@for_each(
    "question",
    [
        "",
        "What does Anna prefer?",
        "What did we decide before the launch?",
        "Что решили после релиза?",
        "发布之前我们决定了什么？",
        "출시 전에 무엇을 결정했나요?",
        "Since we moved to PostgreSQL, has anything broken?",
        "Since when does she live in Rome?",
        "Did Anna say what she does next?",
        "When is Anna's birthday, May 5?",
        "Which port does version 2023.1 use?",
        "What did May say about April?",
        "Which year was it, 2019, 2020 or 2021?",
        "Was it last week, yesterday or today?",
        "What did Anna like last summer?",
        "Что Анна любила прошлым летом?",
        "去年夏天怎么样？生日呢？",
        "Who owns src/2026/02/24/a.py?",
        "2026",
        "昨日は何をしましたか",  # Japanese: there are no rules for it
        "x" * 10_000,
    ],
)
def test_what_asks_about_no_time_or_not_surely(question: str) -> None:
    assert asks(question) == ""


# --- what always holds -----------------------------------------------------------------------------------------------


@for_each(
    ("asked", "day", "inside"),
    [
        (AskedTime(TUESDAY, TUESDAY, "", "day"), TUESDAY, True),
        (AskedTime(TUESDAY, TUESDAY, "", "day"), JANUARY, False),
        (AskedTime(JANUARY, None, "", "day"), TUESDAY, True),
        (AskedTime(TUESDAY, None, "", "day"), JANUARY, False),
        (AskedTime(None, JANUARY, "", "day"), JANUARY, True),
        (AskedTime(None, JANUARY, "", "day"), TUESDAY, False),
    ],
)
def test_a_day_lies_inside_or_not(asked: AskedTime, day: dt.date, inside: bool) -> None:
    assert asked.holds(day) == inside


_PIECES = """
what did we do said last week|in March|since May 5|2023|1月|지난주|в марте|after|before|and|between|to| - |Q1|了|했
from May|yesterday|за последние три дня|최근 3일|最近两周|on Tuesday|по март|?|,|next year|31 February|от 2019
February 29
""".replace("\n", "|").split("|")


@given(st.one_of(st.text(max_size=60), st.lists(st.sampled_from(_PIECES), max_size=8).map(" ".join)), st.dates())
def test_any_question_has_days_in_order_and_words_of_its_own(question: str, day: dt.date) -> None:
    asked = asked_time(question, day)

    if asked is not None:
        assert asked.words in question
        assert asked.words
        assert asked.first or asked.last
        assert asked.first is None or asked.last is None or asked.first <= asked.last
        assert asked.precision in {"day", "week", "month", "year"}


@for_each(
    ("question", "all_of_it"),
    [
        ("What did we do last week?", True),
        ("What were we working on yesterday?", True),
        ("What did you get done last week?", True),
        ("What have we been up to last week?", True),
        ("What did we do about the roof last week?", False),
        ("Чем мы занимались на прошлой неделе?", True),
        ("Над чем ты работал вчера?", True),
        ("Чем занимались соседи на прошлой неделе?", False),
        ("上週我們做了什麼？", True),
        ("上周在忙什么？", True),
        ("上周我们在屋顶上做了什么？", False),
        ("Woran haben wir letzte Woche gearbeitet?", True),
        ("Was habe ich gestern geschafft?", True),
        ("Was war letzte Woche mit dem Dach?", False),
        ("지난주에 뭐 하고 있었어?", True),
        ("Sur quoi avons-nous travaillé la semaine dernière ?", True),
        ("¿En qué trabajamos la semana pasada?", True),
    ],
)
def test_a_question_may_ask_for_whatever_was_then(question: str, *, all_of_it: bool) -> None:
    asked = asked_time(question, TUESDAY)

    assert asked is not None
    assert asked.is_all is all_of_it
