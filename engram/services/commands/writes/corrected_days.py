"""From when and until when holds what takes the place of what was wrong, as the words of both say. Pure.

Days of the new words are those of the fact. What they say nothing of stays: a beginning or an end that somebody gave
beside the words, and both when the new words name no other days than the old ones.
"""

import datetime as dt
from typing import Final

from engram.base.clock import from_iso
from engram.base.clock import local_day
from engram.base.clock import start_of_day
from engram.base.clock import to_iso
from engram.language.dates.day_hints import may_name_days
from engram.language.dates.named_days import name_days
from engram.language.dates.open_days import Days
from engram.model.fact import Fact
from engram.model.vocabulary import Category
from engram.services.extract.validity import dated_fields

_BEGIN: Final = "valid_from"
_END: Final = "valid_to"
_DUE: Final = frozenset({Category.COMMITMENT, Category.INSTRUCTION})  # `write` reads their day, and says so


def corrected_days(old: Fact, text: str, category: Category, now: dt.datetime, zone: dt.tzinfo) -> dict[str, str]:
    """Return from when and until when a correction holds, as fields of `write`; what is absent is as `write` has it.

    Args:
        old: what is corrected.
        text: what is right.
        category: of what is right.
        now: when it is corrected.
        zone: of the workspace.
    """
    today = local_day(now, zone)
    named = _days(text, today)
    if named == _days(old.text, today):
        return _end_of(old)
    end = {} if _is_of_words(old, old.valid_to, zone) else _end_of(old)
    if not named:
        return end
    said = _said(old, text, category, now, zone)
    if _BEGIN not in said and any(one.first == today for one in named):
        said[_BEGIN] = today.isoformat()
    elif _BEGIN not in said and _is_of_words(old, old.valid_from, zone):
        said[_BEGIN] = now.isoformat()
    if category in _DUE:
        said = {name: one for name, one in said.items() if not name.startswith(_END)}
    if _END in said or not end or from_iso(end[_END]) < _begin(said, old, zone):
        return said
    return said | end


def _said(old: Fact, text: str, category: Category, now: dt.datetime, zone: dt.tzinfo) -> dict[str, str]:
    """Return what the words of a correction say; a day without a year is the one nearest to the day that was wrong."""
    said = dated_fields(text, category, now, zone)
    if _BEGIN not in said or not _is_of_words(old, old.valid_from, zone):
        return said
    then = dated_fields(text, category, old.valid_from, zone)
    if then.get(_BEGIN, "")[4:] != said[_BEGIN][4:]:
        return said
    return min(said, then, key=lambda one: abs(_begin(one, old, zone) - old.valid_from))


def _begin(said: dict[str, str], old: Fact, zone: dt.tzinfo) -> dt.datetime:
    if _BEGIN not in said:
        return old.valid_from
    begin = dt.datetime.fromisoformat(said[_BEGIN])
    return begin if begin.tzinfo else start_of_day(begin.date(), zone)


def _end_of(old: Fact) -> dict[str, str]:
    """Return the end of a fact, but for one that a plan has put to it."""
    if old.valid_to is None or old.superseded_by is not None:
        return {}
    return {_END: to_iso(old.valid_to), f"{_END}_precision": old.valid_to_precision.value}


def _is_of_words(old: Fact, at: dt.datetime | None, zone: dt.tzinfo) -> bool:
    """Tell whether a beginning or an end of a fact is a day that its words name.

    What was read somewhere was said on another day than it was recorded, and nobody gave it a day beside its words.
    """
    named = _days(old.text, local_day(old.recorded_at, zone)) if at is not None else []
    if at is None or not named or (at == old.valid_from and at.astimezone(zone).time() != dt.time()):
        return False
    was_read = old.source.turn is not None or old.source.start is not None
    day = local_day(at, zone)
    return was_read or any(day in {one.first, one.last} for one in named)


def _days(text: str, said_on: dt.date) -> list[Days]:
    """Return the days that a text names, as it is read of what is to come where nothing else tells."""
    if not may_name_days(text):
        return []
    found = (one.nearest or one.future or one.past for one in name_days(text, said_on))
    return sorted(one for one in found if one is not None)
