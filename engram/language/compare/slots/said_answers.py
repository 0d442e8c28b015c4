"""Whether a statement answers a question of a fixed form in the question's own words, whoever or whatever it is about.

"Our contact is Melanie" answers "who is our contact?": it has every word that the question has of its own, and besides
them what is asked for. A word that asks for an attribute may be another one for it: "due" is said by "the deadline is".
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final
from typing import NamedTuple

from engram.language.compare.slots.answer_kinds import NAME
from engram.language.compare.slots.answer_kinds import find_kind
from engram.language.compare.slots.answer_kinds import holds_day
from engram.language.compare.slots.answer_kinds import holds_kind
from engram.language.compare.slots.asked_attributes import find_asked
from engram.language.compare.slots.asked_attributes import names_one_of
from engram.language.compare.slots.question_words import WHAT
from engram.language.compare.slots.question_words import AskedForm
from engram.language.compare.slots.question_words import find_form
from engram.language.compare.slots.value_questions import asks_beyond_now
from engram.language.matching.language_files import find_language
from engram.language.terms.terms import terms

_WORD: Final = re.compile(r"[^\W_][\w'’-]*")
_RUN: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")  # terms are parts of words; no capitals
_ENOUGH_OF_A_RUN: Final = 0.7  # share of the question's terms in such a script
_FORMS: Final = frozenset({"who", "when", "where", WHAT})  # of which it can be told what answers them


class SaidQuestion(NamedTuple):
    """What a statement has to say to answer a question."""

    question: str
    form: str  # who, when, where or what
    words: tuple[tuple[str, frozenset[str], frozenset[str]], ...]  # each word, its terms, attributes that it asks for


def read_question(question: str) -> SaidQuestion | None:
    """Return what a statement has to say to answer a question; None where that cannot be told by its words.

    It cannot of a question without a form or without a word of its own, and of one about the past or several values.
    Linear in its length.
    """
    form = find_form(question)
    if form is None or form.form not in _FORMS or asks_beyond_now(question):
        return None
    words = tuple(_words_of(form))
    return SaidQuestion(question, form.form, words) if words else None


def says_answer(asked: SaidQuestion, text: str, about: str = "") -> bool:
    """Tell whether a statement answers a question.

    Args:
        asked: the question.
        text: the statement.
        about: what it is about, such as the path of an entity: that need not be said in it.
    """
    said = frozenset(terms(f"{text}\n{about}"))
    if not _has_words(asked, text, said) or said <= frozenset(term for _, own, _ in asked.words for term in own):
        return False
    if asked.form == "when":
        return holds_day(text)
    kind = NAME if asked.form == "who" else find_kind(asked.question)
    if kind is None or (kind == NAME and _RUN.search(text)):
        return True
    return holds_kind(text, kind, asked.question)


def _has_words(asked: SaidQuestion, text: str, said: frozenset[str]) -> bool:
    if _RUN.search(asked.question):
        wanted = frozenset(term for _, own, _ in asked.words for term in own)
        return len(wanted & said) >= _ENOUGH_OF_A_RUN * len(wanted)
    return all(own <= said or (attributes and names_one_of(text, attributes)) for _, own, attributes in asked.words)


def _words_of(form: AskedForm) -> Iterator[tuple[str, frozenset[str], frozenset[str]]]:
    """Yield the words of a question that are not its form's and not of its language's grammar."""
    for found in _WORD.finditer(form.rest):
        word = found[0]
        own = frozenset(terms(word))
        if own and word.casefold() not in _function_words(form.language):
            yield word, own, frozenset().union(*find_asked(word, form.language, form=form.form))


@cache
def _function_words(language: str) -> frozenset[str]:
    data = find_language("function_words", language) or {}
    return frozenset(str(data.get("words", "")).split())
