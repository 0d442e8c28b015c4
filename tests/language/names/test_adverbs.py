"""Adverbs of time and degree are no part of a name."""

import pytest

from engram.language.names.adverbs import without_adverbs
from engram.language.names.spans import PHRASE
from engram.language.names.spans import find_names


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("lantern now", "lantern"),
        ("now finally lantern", "lantern"),
        ("лантерн теперь", "лантерн"),
        ("灯笼现在", "灯笼"),
        ("랜턴 이제", "랜턴"),
        ("不过果果还", "果果"),
        ("所以如果灯笼明天", "灯笼"),
        ("成都", "成都"),
        ("now", "now"),
        ("knownow", "knownow"),
    ],
)
def test_an_adverb_of_time_is_no_part_of_a_name(said: str, name: str) -> None:
    assert name == without_adverbs(said)


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("Lantern now runs on port 9090", set()),
        ("The label printer now runs on port 9090", {"label printer"}),
        ("The label printer needs firmware 2.1", {"label printer"}),
        ("Weather station finally runs on solar power", {"Weather station"}),
        ("交付日期现在是周五", {"交付日期"}),
        ("但是账单服务已经迁到了新机房", {"账单服务"}),
        ("还有她的小提琴，学了三年了", set()),
    ],
)
def test_a_phrase_ends_before_an_adverb(text: str, phrases: set[str]) -> None:
    assert phrases == {span.name for span in find_names(text) if span.form == PHRASE}
