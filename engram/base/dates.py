"""How people write a moment in an option: ISO dates and instants, and spans back from now."""

import datetime as dt
import re
from typing import Final

from engram.base.clock import start_of_day
from engram.errors import BadValueError

_SPAN = re.compile(r"(\d{1,5})([mhdw])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_FORMS = "a date (2026-02-24), an instant (2026-02-24T10:00:00Z), today, yesterday, or a span back (24h, 7d, 2w)"

ENGLISH_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
"""The words by which documents are searched for their month, and questions look for it."""


def parse_moment(text: str, *, zone: dt.tzinfo, now: dt.datetime, name: str) -> dt.datetime:
    """Return the instant that a text means, in UTC; a bare date is its first instant in the zone.

    Raises BadValueError that names the option and the forms that are read.
    """
    words = text.strip().casefold()
    if span := _SPAN.fullmatch(words):
        return now - dt.timedelta(**{_UNITS[span[2]]: int(span[1])})
    if words in {"now", "today", "yesterday"}:
        day = now.astimezone(zone).date() - dt.timedelta(days=words == "yesterday")
        return now if words == "now" else start_of_day(day, zone)
    try:
        at = dt.datetime.fromisoformat(text.strip())
        if len(text.strip()) <= len("2026-02-24"):
            return start_of_day(at.date(), zone)
        return (at if at.tzinfo else at.replace(tzinfo=zone)).astimezone(dt.UTC)
    except (ValueError, OverflowError) as problem:
        raise BadValueError(f"{name} {text!r} is not a moment", hint=f"write {_FORMS}") from problem
