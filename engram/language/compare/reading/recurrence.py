"""Statements beside which there may be others: one occasion of many, a version of several, a line of a log."""

from functools import lru_cache

from engram.language.compare.reading.lexicon import load_lexicon
from engram.language.compare.reading.stems import stem
from engram.language.compare.reading.tokens import VERSION
from engram.language.compare.reading.tokens import Token
from engram.language.compare.reading.tokens import Tokens


@lru_cache(maxsize=8192)  # a statement is compared with many
def is_logged(folded: str) -> bool:
    """Tell whether a folded text is a line of a log or a record, which tells of its own moment only."""
    return any(sentence.search(folded) for sentence in load_lexicon().logged)


@lru_cache(maxsize=8192)  # a statement is compared with many
def is_occasion(folded: str) -> bool:
    """Tell whether a folded text says what happened, or is due, on one occasion, of which there may be others."""
    return any(sentence.search(folded) for sentence in load_lexicon().occasions)


def may_be_several(after: Token, before: Token, new: Tokens) -> bool:
    """Tell whether the values that differ are versions of which several hold at a time, such as supported ones."""
    if VERSION not in {after.kind, before.kind} and not ("." in after.shown and "." in before.shown):
        return False
    return not load_lexicon().several.isdisjoint(stem(token.shown) for token in new.items)
