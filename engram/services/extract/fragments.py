"""Lines of a note that are parts of a list, a table or a form: they say little without what stands around them.

What is looked at is the form alone, which is the same in every language. Where the judge is sure, careful readers kept
fewer than six in ten of such lines and three in four of the others; so these wait. That is so over all authors of
`learn/` together, on whom it was also chosen. It differs from author to author: some write facts in this form.
"""

import datetime as dt
import re
from typing import Final

from engram.language.dates.named_days import name_days
from engram.language.signal.detector import HIGH
from engram.language.text.statements import ROW
from engram.services.extract.labels import promised_category
from engram.services.extract.labels import says_who_is_what
from engram.services.extract.lines.line import Line

_FEWEST_WORDS: Final = 5  # of a statement
_FEWEST_WORDS_OF_A_ROW: Final = 8
_MOST_CELLS: Final = 3  # of a row that says one thing
_FEWEST_DIVIDERS: Final = 4  # of an enumeration
_DIVIDERS_A_WORD: Final = 0.25  # so dense are they in an enumeration
_HAN_SIGNS_A_WORD: Final = 2
_HANGUL_WORDS_MORE: Final = 2  # so many are as three words of English
_READ_FOR_A_DAY: Final = 40  # characters
_ANY_DAY: Final = dt.date(2020, 1, 1)
_WORD: Final = re.compile(r"[^\W\d_]+")
_HANGUL: Final = re.compile("[가-힣]+")
_HAN: Final = re.compile("[\u3400-\u9fff]")
_DIVIDER: Final = re.compile(r"[,;] |[，、；]| [·/] ")
# Somebody's words, and nothing that says whose: readers marked one in three of such lines.
_QUOTATION: Final = re.compile(r'[\W_]{0,8}(?:"[^"]+"|“[^”]+”|«[^»]+»|「[^」]+」|„[^“”]+[“”])[\W_]{0,8}')
_NUMBERED: Final = re.compile(r"\W*(?:\d{1,4}(?=[\s*)]|[.:：](?:\s|$))|[A-Z]\d{1,2}(?=[\s*:：]))")


def is_fragment(line: Line) -> bool:
    """Tell whether a line of a note is a fragment by its form; none for which a rule or its heading speaks."""
    if line.speaker or line.grade == HIGH or promised_category(line) or says_who_is_what(line):
        return False
    words = _count_words(line.text)
    if line.kind == ROW:
        return words < _FEWEST_WORDS_OF_A_ROW or line.text.strip("| ").count("|") >= _MOST_CELLS
    is_of_a_list = words < _FEWEST_WORDS or _is_numbered(line.text) or _is_enumeration(line.text, words)
    return is_of_a_list or _QUOTATION.fullmatch(line.text) is not None


def _count_words(text: str) -> int:
    korean = len(_HANGUL.findall(text))  # a Korean word holds its particle, and often its subject
    return len(_WORD.findall(text)) + len(_HAN.findall(text)) // _HAN_SIGNS_A_WORD + korean // _HANGUL_WORDS_MORE


def _is_numbered(text: str) -> bool:
    """Tell whether a line begins with a count or with its own number: "6 cards: ...", "P3: ..."; a day is neither."""
    begins = _NUMBERED.match(text)
    if begins is None:
        return False
    days = name_days(text[:_READ_FOR_A_DAY], _ANY_DAY)
    return not days or days[0].start >= begins.end()


def _is_enumeration(text: str, words: int) -> bool:
    dividers = len(_DIVIDER.findall(text))
    return dividers >= _FEWEST_DIVIDERS and dividers >= _DIVIDERS_A_WORD * words
