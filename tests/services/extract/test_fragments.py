"""Which lines of a note are fragments by their form."""

import pytest

from engram.language.signal.detector import HIGH
from engram.language.text.statements import BULLET
from engram.language.text.statements import ROW
from engram.services.extract.fragments import is_fragment
from engram.services.extract.lines.line import Line

FRAGMENTS = [
    ("Build server (new)", BULLET, "fewer than five words"),
    ("**Порт:** 8443, TLS", BULLET, "the same in Russian"),
    ("6 cards: contract, price, dates and the people who do it", BULLET, "a count"),
    ("P3: music below the clips, which has to be added by hand", BULLET, "its own number"),
    ("(2) The banner moved out of the list into a fixed place", BULLET, "its own number in brackets"),
    ("Sections: home, services, our works, reviews, calculator, contacts", BULLET, "an enumeration"),
    ("来源：新闻网、工信部、网信办、汽车网、盖世网、数据局", BULLET, "the same in Chinese"),
    ("Falcon | 2,000 | 50 MB | partial since the move of the whole archive in May", ROW, "four columns"),
    ("Semantic search | slow | fast", ROW, "few words in a row"),
    ('"The queue is the only thing that all of us read and write."', BULLET, "somebody's words"),
    ("«Очередь — единственное, что мы все читаем и пишем»", BULLET, "the same in Russian"),
]
STATEMENTS = [
    ("The billing service listens on port 7350 since the move", BULLET, "a sentence"),
    ("15 March: the importer goes to Meera, who knows the format", BULLET, "a day is no count"),
    ("9 мая запускаем новый сайт для всех клиентов", BULLET, "nor in Russian"),
    (
        "When the queue is full, the worker waits, logs it, and tries again after a minute, at most five times",
        BULLET,
        "",
    ),
    ('Meera: "the queue is the only thing that all of us read"', BULLET, "it says whose words they are"),
    ('"Harbour" is the name of the new queue, "Mole" that of the old one', BULLET, "two names"),
    ("루이스는 우리의 새 회계사다", BULLET, "a sentence in Korean, whose words are few"),
    ("交付日期改到九月三号，因为供应商要到八月底才能把零件送来", BULLET, "a sentence in Chinese"),
    (
        "Staging database | lives on the old host until the contract with the provider ends",
        ROW,
        "a name and what holds",
    ),
]


@pytest.mark.parametrize(("text", "kind", "why"), FRAGMENTS)
def test_a_part_of_a_list_or_a_table_is_a_fragment(text: str, kind: str, why: str) -> None:
    assert is_fragment(Line(text, kind)), why


@pytest.mark.parametrize(("text", "kind", "why"), STATEMENTS)
def test_a_sentence_is_none(text: str, kind: str, why: str) -> None:
    assert not is_fragment(Line(text, kind)), why


def test_what_a_rule_or_a_heading_speaks_for_is_none_however_short_it_is() -> None:
    assert not is_fragment(Line("Never push on Friday", BULLET, grade=HIGH))
    assert not is_fragment(
        Line("Move Billing | Anna | today | -", ROW, headings=("Decisions", "What | Who | When | Note"))
    )


def test_what_somebody_says_is_none() -> None:
    assert not is_fragment(Line("4 of us, as always", speaker="Luis"))
