"""Whether a promise lasts until the day that its words name, or is due on it: the examples beside the rules."""

from hypothesis import given
from hypothesis import strategies as st

from engram.language.dates.due_days import lasts_until_its_day
from engram.language.dates.validity_rules import KIND
from tests.cases import for_each
from tests.language.examples import PATTERNS
from tests.language.examples import Example
from tests.language.examples import read_examples

FILES = sorted((PATTERNS / KIND).glob("*.toml"))
EXAMPLES = [one for file in FILES for one in read_examples(file) if one.table == "stays"]


@for_each("example", EXAMPLES)
def test_each_language_tells_its_examples_apart(example: Example) -> None:
    assert lasts_until_its_day(example.text) == example.found


def test_each_language_has_examples_of_both() -> None:
    told = {(one.place.partition(":")[0].rpartition("/")[2], one.found) for one in EXAMPLES}

    assert told == {(file.name, found) for file in FILES for found in (True, False)}


@for_each(
    ("text", "expected"),
    [
        ("I keep the branch alive until 12 June", True),
        ("I'm on leave through the end of May", True),
        ("I'm away 3 March - 9 March", True),
        ("I'll send it until Friday, and the rest by Monday", True),  # the first end decides
        ("I'll send it by Monday, and cover the desk until Friday", False),
        ("From Monday I write it, by Friday it is done", False),
        ("Read through the report by Friday", False),
        ("I've got until Friday to answer", False),
        ("I'll answer on Friday", False),
        ("I'll answer soon, until then ask Bo", False),
        ("Сделаю до конца мая", False),
        ("С понедельника по пятницу дежурю", True),
        ("Je rends le rapport avant vendredi", False),
        ("Je remplace Anne jusqu'à vendredi", True),
        ("Sono assente fino a venerdì", False),  # a language without such rules: the day is when it is due
        ("", False),
    ],
)
def test_what_else_words_say(text: str, expected: bool) -> None:
    assert lasts_until_its_day(text) == expected


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    assert lasts_until_its_day(text) in {True, False}
