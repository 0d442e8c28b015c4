"""What failed, its cause and its cure in sentences one behind the other: which of them belong to one lesson. Pure."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from engram.language.signal.categories import fact_category
from engram.language.signal.detector import HIGH
from engram.language.signal.error_terms import meets_error
from engram.language.signal.error_terms import mends
from engram.model.vocabulary import Category
from engram.services.extract.lines.line import Line
from engram.services.extract.lines.read_line import ReadLine

_SIGNS: Final = (";", ",", ":", "!", "?")  # behind which a sentence goes on, or ends
_WIDE_SIGNS: Final = ("；", "，", "：", "。", "！", "？")  # that hold the space behind them


def is_of_lesson(before: Line | None, line: Line, behind: Line | None) -> bool:
    """Tell whether a person's line is a part of a lesson by what stands beside it, whatever it is worth by itself.

    What failed is one where its cause or cure stands right behind it, a cure where what failed stands right before it.
    `before` and `behind` are what is said right before and behind it; None: nothing is.
    """
    if line.is_agent:
        return False
    if behind is not None and meets_error(line.text) and _tells_more(behind):
        return True
    return before is not None and mends(line.text) and (meets_error(before.text) or _tells_more(before))


def list_beside(read: Sequence[ReadLine]) -> list[bool]:
    """Return for each line whether it is a part of a lesson by what is said right before and behind it."""
    joins = [False, *(one.is_right_behind(last) for last, one in pairwise(read)), False]
    return [
        is_of_lesson(
            read[place - 1].line if joins[place] else None,
            one.line,
            read[place + 1].line if joins[place + 1] else None,
        )
        for place, one in enumerate(read)
    ]


def joined_text(first: str, second: str) -> str:
    """Return two statements as one text, with a full stop between them where the first has no sign of its own."""
    said = first.rstrip(". ")
    joint = "" if said.endswith(_WIDE_SIGNS) else " " if said.endswith(_SIGNS) else ". "
    return f"{said}{joint}{second}"


def _tells_more(line: Line) -> bool:
    is_lesson = line.grade == HIGH and fact_category(line.signals[0]) == Category.LESSON
    return is_lesson or mends(line.text)
