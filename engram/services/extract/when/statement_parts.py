"""The sentences and clauses of a statement, and of which time each speaks: what was, is so, or is to come. Pure."""

import re
from collections.abc import Sequence
from typing import Final

from engram.language.dates.validity_rules import ValidityRules

PAST: Final = "past"
PRESENT: Final = "present"
FUTURE: Final = "future"
_ALL: Final = (PAST, PRESENT, FUTURE)

_SENTENCE_END = re.compile(r"[.!?…]+(?=\s)|[。！？；;\n]")
_CLAUSE_END = re.compile(r"[,，、:：—–()]")
_PAUSE = re.compile(f"{_SENTENCE_END.pattern}|{_CLAUSE_END.pattern}")


def sentence_ends(text: str) -> list[int]:
    """Return the beginning of a text, where each of its sentences ends, and its own end."""
    return [0, *(end.end() for end in _SENTENCE_END.finditer(text)), len(text)]


def clause_ends(text: str, before: int) -> list[int]:
    """Return the beginning of a text, where its clauses and sentences end before a place, and that place."""
    return [0, *(mark.end() for mark in _PAUSE.finditer(text, 0, before)), before]


def clause_around(text: str, start: int, end: int, sentence: tuple[int, int]) -> tuple[int, int]:
    """Return where the clause of a sentence begins and ends in which a stretch of it stands."""
    before = [mark.end() for mark in _CLAUSE_END.finditer(text, sentence[0], start)]
    behind = _CLAUSE_END.search(text, end, sentence[1])
    return (before[-1] if before else sentence[0]), (behind.start() if behind else sentence[1])


def tenses(rules: Sequence[ValidityRules], stretch: str) -> tuple[bool, bool]:
    """Return whether a stretch has words of what was, and of what is to come."""
    was, will = (any(one.says(tense, stretch) for one in rules) for tense in (PAST, FUTURE))
    return was, will


def is_so_now(rules: Sequence[ValidityRules], stretch: str) -> bool:
    """Tell whether a stretch says what is so when it is said, and nothing of another time."""
    return any(one.is_so_now(stretch) for one in rules)


def last_tense(rules: Sequence[ValidityRules], before: str) -> str:
    """Return of what the last words of time speak in the text before a date: PAST, PRESENT or FUTURE; "" without any.

    "He offered it but is away until the 24th" speaks of what is so.
    """
    ends = [(one.last_of(tense, before), tense) for tense in _ALL for one in rules]
    place, tense = max(ends, default=(-1, ""))
    return tense if place >= 0 else ""
