"""Days as numbers, counted from 1970-01-01: columns of many of them are short, and compare fast."""

import datetime as dt
from typing import Final

from engram.base.clock import local_day

FIRST_DAY: Final = dt.date(1970, 1, 1)  # number 0


def day_number(at: dt.datetime, zone: dt.tzinfo) -> int:
    """Return the number of the day of an instant in a zone."""
    return (local_day(at, zone) - FIRST_DAY).days
