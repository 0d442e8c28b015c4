"""What a word of a statement is, wherever it stands: looked up once, since statements are made of the same words."""

from functools import lru_cache
from typing import NamedTuple

from engram.language.compare.reading.lexicon import load_lexicon
from engram.language.compare.reading.stems import stem


class Word(NamedTuple):
    """A folded word as the lexicon knows it."""

    root: str  # its stem
    joins: bool  # begins another clause
    denies: bool
    is_subject: bool  # at the beginning it only names whom the statement is about
    is_empty: bool
    digits: str  # of a number in words, else empty
    is_day: bool
    opposite: tuple[str, int] | None  # the pair and the side, of one of two opposites


@lru_cache(maxsize=40_000)
def read_word(shown: str) -> Word:
    """Return what a folded word is."""
    lexicon = load_lexicon()
    root = stem(shown)
    return Word(
        root,
        joins=shown in lexicon.joining,
        denies=shown in lexicon.negation or root in lexicon.denying,
        is_subject=shown in lexicon.subjects,
        is_empty=shown in lexicon.dropped or shown in lexicon.strengthening,
        digits=lexicon.numbers.get(shown, ""),
        is_day=shown in lexicon.days or root in lexicon.days or (shown in lexicon.months and len(shown) > 5),
        opposite=lexicon.opposites.get(root),
    )
