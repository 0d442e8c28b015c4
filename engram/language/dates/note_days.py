"""The day of an entry of a note: its own time stamp, else a dated heading above it, else the note's day."""

import datetime as dt
import re
from collections.abc import Sequence
from functools import lru_cache

from engram.language.dates.dates import ABSOLUTE
from engram.language.dates.dates import DAY
from engram.language.dates.dates import FoundDate
from engram.language.dates.dates import find_dates
from engram.language.dates.validity_rules import load_validity_rules
from engram.language.matching.prefilter import compiled
from engram.language.text.markdown_tables import are_columns

_NO_DAY = dt.date(1, 1, 1)  # in the place of a note's day: what is read near it had no year of its own
_FIRST_YEAR = 1900
_MOST_CHARS = 200  # of a heading or of the beginning of an entry
_MOST_HEADINGS = 4096  # remembered: all the entries of a section ask for the same ones
_MARKS = re.compile(r"[\W\d_]*")  # what may stand before an entry's own date
_BEHIND = (
    r"[\])}*_\s]*(?:[\s,T]*\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?[\])}*_\s]*)?"
    r"(?:[:|：]|[-–—](?=\s)|(?<=[\])}*])\s|(?<=:\d\d\s)(?=\S))"
)
_OPENING = re.compile(r"[(（\[]\s?$")
_CLOSING = re.compile(r"\s?[)）\]][\s.。*_|]*")


def entry_day(headings: Sequence[str], text: str, day: dt.date | None) -> dt.date | None:
    """Return the day of an entry below these headings, outermost first, in a note of that day.

    A day later than the note's is none of its entries': it is what they are about. In a note without a day only dates
    with their year count.
    """
    stamps = [_stamp(text, day), *(_heading_day(heading, day) for heading in reversed(headings))]
    return next((stamp for stamp in stamps if stamp is not None and (day is None or stamp <= day)), day)


def is_stamp(text: str, start: int, end: int) -> bool:
    """Tell whether the date at that place stands before a text as its own: `2026-03-02: ...`, `[3 March] ...`."""
    return _MARKS.fullmatch(text, 0, start) is not None and compiled(_BEHIND).match(text, end) is not None


def closes(text: str, start: int, end: int) -> bool:
    """Tell whether a date stands in brackets behind a statement, as its own: "Tabs, not spaces (2026-02-10)"."""
    return _OPENING.search(text, max(0, start - 2), start) is not None and _CLOSING.fullmatch(text, end) is not None


def is_aside(text: str, start: int, end: int) -> bool:
    """Tell whether a date stands last in brackets behind a statement: "... (Anna's wish, 2026-02-10)"."""
    opening = max(text.rfind(sign, 0, start) for sign in "(（[")
    is_open = opening >= 0 and not any(sign in text[opening:start] for sign in ")）]")
    return is_open and _CLOSING.fullmatch(text, end) is not None


def _stamp(text: str, day: dt.date | None) -> dt.date | None:
    head = text[:_MOST_CHARS]
    first = _first_date(head, day)
    return first.first if first and first.first == first.last and is_stamp(head, first.start, first.end) else None


@lru_cache(maxsize=_MOST_HEADINGS)
def _heading_day(heading: str, day: dt.date | None) -> dt.date | None:
    """Return the day that a heading names; of several the first. One that is a bound ("until 3 March") is none."""
    if are_columns(heading):
        return None
    head = heading[:_MOST_CHARS]
    first = _first_date(head, day) or _whole_heading(head, day)
    if first is None:
        return None
    rules = [one for one in load_validity_rules() if one.are_for(head)]
    if any(one.bound(head, first.start, first.end) or one.is_content(head, first.start, first.end) for one in rules):
        return None
    return first.first


def _whole_heading(heading: str, day: dt.date | None) -> FoundDate | None:
    """Return the day that a heading like "Yesterday" is, and nothing more."""
    found = find_dates(heading, day) if day else []
    if len(found) != 1 or found[0].precision != DAY or found[0].first != found[0].last:
        return None
    rest = heading[: found[0].start] + heading[found[0].end :]
    return None if any(ch.isalnum() for ch in rest) else found[0]


def _first_date(text: str, day: dt.date | None) -> FoundDate | None:
    first = next(iter(find_dates(text, day or _NO_DAY)), None)
    if first is None or first.precision != DAY or first.kind != ABSOLUTE or first.first.year < _FIRST_YEAR:
        return None
    return first
