"""The quick look whether a text may name a day: a number alone does not."""

from engram.language.dates.day_hints import may_name_days
from tests.cases import for_each
from tests.language.examples import PATTERNS
from tests.language.examples import Example
from tests.language.examples import read_examples

NAMED = (
    *("2026-03-02", "12.03.", "3/4", "2026. 3. 2.", "in 1999", "the 29th", "until the 2nd.", "Q3", "确保Q2有交付"),
    *(
        "3 days ago",
        "by May",
        "tomorrow",
        "до 15-го",
        "к 20 числу",
        "через 2 недели",
        "3月",
        "15号之前",
        "3일까지",
        "2주 전",
    ),
)
NOT_NAMED = (
    *("no more than 20 minutes", "Python 3", "use 4 spaces", "HTTP 404", "the port is 5432", "$40,000", "room 12b"),
    *("не дольше 20 минут", "порт 5432", "不超过20分钟", "버전 4"),
)


@for_each("text", NAMED)
def test_a_text_that_names_a_day_is_looked_at(text: str) -> None:
    assert may_name_days(text)


@for_each(
    "example",
    [one for file in sorted((PATTERNS / "dates").glob("*.toml")) for one in read_examples(file) if " => " in one.text],
)
def test_whatever_a_rule_of_dates_finds_is_looked_at(example: Example) -> None:
    assert may_name_days(example.text.partition(" => ")[0])


@for_each("text", NOT_NAMED)
def test_a_number_of_something_else_is_none(text: str) -> None:
    assert not may_name_days(text)
