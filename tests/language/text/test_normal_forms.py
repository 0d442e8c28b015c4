"""Readings of a text and the way back to it."""

import re

from hypothesis import given
from hypothesis import strategies as st

from engram.language.text.normal_forms import plain
from engram.language.text.normal_forms import words_of

CHARACTERS = "a1_ .Я©’“ёЁжé가漢﹣ﬁ\u00a0\u200b\ufe0f①ℌＡ½İ😀ｶ"


@given(st.text(CHARACTERS + "¼¾²³ªº™", max_size=40))
def test_reads_each_character_as_if_it_stood_alone(text: str) -> None:
    assert plain(text).text == "".join(plain(ch).text for ch in text)


@given(st.text(CHARACTERS, min_size=1, max_size=20), st.data())
def test_finds_the_way_back(text: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(text) - 1))
    reading = plain(text)
    start = len(plain(text[:place]).text)
    if size := len(plain(text[place]).text):
        assert reading.span(start, start + size) == (place, place + 1)


@given(st.text("aZ09_ -\n\x1c\x85ßé가'", max_size=30))
def test_words_are_runs_of_letters_digits_and_low_lines(text: str) -> None:
    assert words_of(text) == re.findall(r"\w+", text)
