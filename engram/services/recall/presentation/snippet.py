"""The part of a long text that a hit shows: the piece that has most of the question's words."""

import re
from collections.abc import Collection
from typing import Final

from engram.base.tokens.estimate import estimate_tokens
from engram.language.terms.terms import terms
from engram.language.text.pieces import cut_text

MOST_TOKENS: Final = 160  # of a hit's own text; `recall --detail ID` shows all of it

_LEAST_CHARS: Final = MOST_TOKENS  # a text of so many characters has hardly more tokens, whatever it is written in
_LEAD_TOKENS: Final = 20  # of the words before a piece that is cut out of the middle of a sentence
_SPEAKER = re.compile(r"[^\n:：]{1,40}[:：] ?")


def snippet(text: str, question: Collection[str], *, is_said: bool = False) -> str:
    """Return a text of at most about 160 tokens, or the piece of it that has most of the question's terms.

    An ellipsis stands where something was left out.

    Args:
        text: as it stands.
        question: terms of the question; without any, the beginning is shown.
        is_said: whether the text begins with its speaker and a colon, who is then always shown.
    """
    if len(text) <= _LEAST_CHARS or estimate_tokens(text) <= MOST_TOKENS:
        return text
    speaker = found[0] if is_said and (found := _SPEAKER.match(text)) else ""
    asked = frozenset(question)
    pieces = cut_text(text[len(speaker) :], MOST_TOKENS - _LEAD_TOKENS, _LEAD_TOKENS)
    best = max(range(len(pieces)), key=lambda place: (len(asked.intersection(terms(pieces[place].text))), -place))
    before, behind = "… " if best else "", " …" if best < len(pieces) - 1 else ""
    return f"{speaker}{before}{pieces[best].text.strip()}{behind}"
