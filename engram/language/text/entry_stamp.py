"""When an entry of a note was written, as it says itself at its beginning: `- 09:30 ...`, `- 2026-02-24T09:30:00Z`."""

import datetime as dt
import re
from typing import Final

_MARK: Final = r"^(\s*(?:[-*+]\s+)?(?:\[[ xX]\]\s+)?)"  # of a list, and of a task
_INSTANT: Final = r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:\d\d)"  # of the log of a domain
_STAMP: Final = re.compile(rf"{_MARK}(\d{{1,2}}:\d{{2}}|{_INSTANT})(?=\s+\S)")


def without_stamp(text: str) -> str:
    """Return a text with spaces in the place of the time that it begins with: all else stands where it stood."""
    return _STAMP.sub(lambda found: found[1] + " " * len(found[2]), text)


def written_at(text: str) -> dt.datetime | None:
    """Return the instant that a text begins with, aware; None where it is only a time of day, none at all or no day."""
    found = _STAMP.match(text)
    if found is None or "T" not in found[2]:
        return None
    try:
        return dt.datetime.fromisoformat(found[2]).astimezone(dt.UTC)
    except (ValueError, OverflowError):
        return None
