"""Time stamps as people and programs write them: a whole date in words or digits, and the time of day beside it.

`2024年04月01日 周一 08:30`, `1 апреля 2024 г., 08:30`, `2024년 4월 1일 (월) 오전 8:30`, `April 1, 2024 at 8:30 AM`. A
weekday that contradicts the date is left out of account.
"""

import datetime as dt
import unicodedata
from functools import cache
from typing import Any
from typing import NamedTuple

from engram.language.dates.dates import ABSOLUTE
from engram.language.dates.dates import DAY
from engram.language.dates.dates import FoundDate
from engram.language.dates.dates import find_dates
from engram.language.matching.language_files import read_languages
from engram.language.matching.patterns import expression
from engram.language.matching.patterns import joined
from engram.language.matching.prefilter import compiled

_MOST_CHARS = 200  # a longer text is no time stamp
_NO_DAY = dt.date(1, 1, 1)  # what is read near it had no year of its own
_FIRST_YEAR = 1900
_NOON = 12
_OFFSET = r"(?:(?:utc|gmt)\s?)?(?P<sign>[+-])(?P<hours>0?\d|1[0-4])(?::?(?P<minutes>[0-5]\d))?(?!\d)"
_KIND = "clock"


class Stamp(NamedTuple):
    """A date with what is said of the time of day."""

    day: dt.date
    time: dt.time  # midnight when none is said; without a zone
    offset: dt.timedelta | None  # east of UTC; None: no zone is said
    has_time: bool


def read_stamp(text: str) -> Stamp | None:
    """Return the moment that a text names and nothing else; None when it names no whole date or says more than that.

    Never raises.
    """
    if len(text) > _MOST_CHARS:
        return None
    plain = unicodedata.normalize("NFKC", text)
    found = [date for date in find_dates(plain, _NO_DAY) if _is_whole(date)]
    if len(found) != 1:
        return None
    return _with_time(found[0].first, plain[: found[0].start] + " ; " + plain[found[0].end :])


def _is_whole(date: FoundDate) -> bool:
    named = date.precision == DAY and date.kind == ABSOLUTE and date.first == date.last
    return named and date.first.year >= _FIRST_YEAR


def _with_time(day: dt.date, rest: str) -> Stamp | None:
    patterns = _patterns()
    low = rest.casefold()
    times = list(compiled(patterns["time"]).finditer(low))
    if len(times) > 1:
        return None
    offset = None
    if times:
        tail = low[times[0].end() :]
        zone = compiled(patterns["zone"]).search(tail)
        if zone is not None:
            offset = _offset(zone)
            tail = tail[: zone.start()] + " " + tail[zone.end() :]
        low = low[: times[0].start()] + " " + tail
    if compiled(patterns["rest"]).fullmatch(low) is None:
        return None
    time = _time_of(times[0]) if times else dt.time.min
    return None if time is None else Stamp(day, time, offset, bool(times))


def _time_of(match: Any) -> dt.time | None:
    said = match.groupdict()
    hour, minute, second = (int(said[name] or said.get(f"{name}2") or 0) for name in ("hour", "minute", "second"))
    half = said["before"] or said["behind"]
    if half:
        if hour > _NOON and not _is_word(half, "after_noon"):
            return None
        if hour <= _NOON:
            hour = hour % _NOON + (_NOON if _is_word(half, "after_noon") else 0)
    return dt.time(hour, minute, second) if hour < 24 else None


def _is_word(word: str, table: str) -> bool:
    return expression(_KIND, table).fullmatch(word.strip()) is not None


def _offset(match: Any) -> dt.timedelta:
    if match["sign"]:
        minutes = int(match["hours"]) * 60 + int(match["minutes"] or 0)
        return dt.timedelta(minutes=-minutes if match["sign"] == "-" else minutes)
    zones = _zones().items()
    return dt.timedelta(minutes=next(east for names, east in zones if compiled(names).fullmatch(match["name"])))


@cache
def _zones() -> dict[str, int]:
    return {names: east for data in read_languages(_KIND).values() for names, east in data.get("zones", {}).items()}


@cache
def _patterns() -> dict[str, str]:
    halves = f"{joined(_KIND, 'before_noon')}|{joined(_KIND, 'after_noon')}"
    words = f"{joined(_KIND, 'weekdays')}|{joined(_KIND, 'fillers')}"
    names = "|".join(_zones())
    edge = r"(?![^\W\d_])"
    return {
        "time": rf"(?<![\d:])(?:(?P<before>{halves})\s?)?{_digits()}(?![\d:])(?:\s?(?P<behind>{halves}){edge})?",
        "zone": rf"(?<![^\W\d_])(?:{_OFFSET}|(?P<name>{names})){edge}",
        "rest": rf"(?:[\s;,.()\[\]|·–—-]|(?<![^\W\d_])(?:{words}){edge})*",
    }


def _digits() -> str:
    """Return the expression of the digits of a time of day, with the words between them."""
    hour, minute, second = (f"(?:{joined(_KIND, unit)})" for unit in ("hour", "minute", "second"))
    return (
        r"(?P<hour>\d{1,2})(?::(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d)(?:[.,]\d{1,9})?)?"
        rf"|\s?{hour}\s?(?:(?P<minute2>[0-5]?\d)\s?{minute}\s?(?:(?P<second2>[0-5]?\d)\s?{second})?)?"
        rf"|(?=\s?(?:{joined(_KIND, 'needs_no_minutes')})))"
    )
