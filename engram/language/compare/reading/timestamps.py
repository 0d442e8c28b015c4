"""Dates and times of day in one form, so that those written in different ways can be compared."""

import re
from functools import cache

from engram.language.compare.reading.lexicon import load_lexicon
from engram.language.matching.patterns import joined

_ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_DOTTED = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})")  # with slashes day and month may stand the other way round
_EASTERN = re.compile(r"(?:(\d{4}) ?[年년] ?)?(\d{1,2}) ?[月월](?: ?(\d{1,2}) ?[日号일])?")
_CLOCK = re.compile(r"(\d{1,2})(?::(\d\d))?(?::\d\d)? ?([ap])?m?")
_NUMBER = re.compile(r"\d+")


def normal_date(folded: str) -> str:
    """Return YEAR-MONTH-DAY with empty places for what is not said, HOUR:MINUTE for a time of day, else the text."""
    if match := _ISO.fullmatch(folded):
        return "-".join(match.groups())
    if match := _DOTTED.fullmatch(folded):
        return f"{match[3]}-{int(match[2]):02}-{int(match[1]):02}"
    if match := _EASTERN.fullmatch(folded):
        return _joined(match[1], match[2], match[3])
    if match := _CLOCK.fullmatch(folded):
        hour = int(match[1]) % 12 + 12 * (match[3] == "p") if match[3] else int(match[1])
        return f"{hour:02}:{match[2] or '00'}"
    if (word := _word().search(folded)) and (month := _month(word[0])):
        numbers = _NUMBER.findall(folded)
        years = [number for number in numbers if len(number) == 4]
        days = [number for number in numbers if len(number) < 3]
        return _joined(next(iter(years), None), month, next(iter(days), None))
    return folded


def same_date(a: str, b: str) -> bool:
    """Tell of two normal forms whether they are one date, or may be because one of them leaves the year out."""
    longer, shorter = (a, b) if len(a) > len(b) else (b, a)
    return longer == shorter or (shorter.startswith("-") and longer[:4].isdigit() and longer[4:] == shorter)


def _month(word: str) -> str | None:
    """Return the number of a month, by as few of its letters as tell it from others: French has juin and juillet."""
    numbers = load_lexicon().month_numbers
    return numbers.get(word[:4]) or numbers.get(word[:3])


@cache
def _word() -> re.Pattern[str]:
    """Return what finds the word of a date that may be its month."""
    besides = f"{joined('values', 'ordinal')}|{joined('values', 'of_month')}"
    return re.compile(rf"(?<![^\W\d_])(?!(?:{besides})\b)[^\W\d_]{{3,}}")


def _joined(year: str | None, month: str, day: str | None) -> str:
    return f"{year or ''}-{int(month):02}-{day.zfill(2) if day else ''}"
