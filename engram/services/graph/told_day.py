"""The day that a fact tells to "when?": on which it is due, or happens, or which its words name. Pure.

The day on which something was only said is told as such: "report module due 3 December", said on 18 November, is of 3
December.
"""

import datetime as dt
from collections.abc import Mapping
from typing import Any
from typing import NamedTuple

from engram.base.clock import from_iso
from engram.base.clock import local_day
from engram.base.clock import start_of_day
from engram.language.dates.day_hints import may_name_days
from engram.language.dates.named_days import name_days
from engram.model.vocabulary import Precision
from engram.rules.temporal import written_day
from engram.services.extract.validity import find_validity
from engram.services.facts.listing import DUE


class ToldDay(NamedTuple):
    """A day of a fact."""

    words: str  # as `written_day` writes it
    is_said: bool = False  # it is but the day on which the fact was said


def told_day(view: Mapping[str, Any], zone: dt.tzinfo) -> ToldDay:
    """Return the day that a fact, as it is listed, tells to "when?"; in that zone."""
    if view[DUE]:
        return ToldDay(str(view[DUE]))
    begin = from_iso(view["valid_from"])
    if _is_of_fact(view, begin, zone):
        return ToldDay(written_day(begin, Precision(view["valid_from_precision"]), zone))
    if view["valid_to"] and not view["superseded_by"]:
        return ToldDay(written_day(from_iso(view["valid_to"]), Precision(view["valid_to_precision"]), zone))
    said_on = local_day(begin, zone)
    found = find_validity(view["text"], view["category"], said_on)
    if found.valid_from != said_on:
        return ToldDay(written_day(start_of_day(found.valid_from, zone), Precision(found.from_precision), zone))
    if found.valid_to is not None:
        return ToldDay(written_day(start_of_day(found.valid_to, zone), Precision(found.to_precision), zone))
    return ToldDay(said_on.isoformat(), is_said=True)


def _is_of_fact(view: Mapping[str, Any], begin: dt.datetime, zone: dt.tzinfo) -> bool:
    """Tell whether the beginning of a fact is a day that somebody gave it, or that its words name.

    What stands in a note begins on the day of the note where its words name none.
    """
    if begin.astimezone(zone).time() != dt.time():
        return False
    source = view["source"]
    if source["path"] is None or source["start"] is None:
        return True
    if not may_name_days(view["text"]):
        return False
    day = local_day(begin, zone)
    named = name_days(view["text"], local_day(from_iso(view["recorded_at"]), zone))
    read = (days for one in named for days in (one.nearest, one.past, one.future) if days is not None)
    return any(days.first <= day <= days.last for days in read)
