"""By which words it is seen that a reply used a memory."""

import pytest

from engram.language.terms.used_words import MOST_WORDS
from engram.language.terms.used_words import is_used
from engram.language.terms.used_words import own_word_prints
from engram.language.terms.used_words import word_prints

USED = {
    "its words": ("Anna prefers green tea to coffee", "What shall I offer Anna?", "I would brew green tea."),
    "another form of a word": ("The invoices are archived nightly", "What runs?", "Archiving of invoice files."),
    "one of few": ("The port is 8443", "Which port?", "It listens on 8443."),
    "in Russian": ("Анна предпочитает зелёный чай", "Что предложить Анне?", "Зелёный чай ей понравится."),
    "in Chinese": ("安娜喜欢绿茶", "给安娜什么?", "绿茶。她喜欢。"),
}
NOT_USED = {
    "none of its words": ("Anna prefers green tea to coffee", "What shall I offer Anna?", "Nothing comes to mind."),
    "only words of the prompt": ("Anna prefers green tea to coffee", "Is green tea for Anna?", "Green tea, for Anna."),
    "one of many": ("The deploy of billing runs on Mondays at nine in Riga", "What now?", "See you in Riga."),
    "nothing of its own": ("Anna prefers tea", "Anna prefers tea", "Anna prefers tea"),
    "an empty reply": ("Anna prefers tea", "Who?", ""),
}


@pytest.mark.parametrize("case", USED)
def test_a_reply_with_words_of_the_memory_used_it(case: str) -> None:
    memory, prompt, reply = USED[case]

    assert is_used(own_word_prints(memory, prompt), word_prints(reply))


@pytest.mark.parametrize("case", NOT_USED)
def test_a_reply_without_did_not(case: str) -> None:
    memory, prompt, reply = NOT_USED[case]

    assert not is_used(own_word_prints(memory, prompt), word_prints(reply))


def test_prints_hold_no_words_and_are_few() -> None:
    prints = own_word_prints(" ".join(f"word{number}" for number in range(500)), "")

    assert len(prints) == MOST_WORDS
    assert all(len(one) == 8 and set(one) <= set("0123456789abcdef") for one in prints)
