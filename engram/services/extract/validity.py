"""From when and until when a statement holds, as its words say. Pure.

The rules of meaning: what happened on a day holds from that day; a deadline, "until" and "by" give the last day; what
is to begin on a day holds from that day; a range gives both. A commitment or an instruction that names a day to come is
due on it. What names no day holds from the day it was said. A day that is only part of the content (a report of March,
a birthday, a version) says nothing.
"""

import datetime as dt
import re
from collections.abc import Sequence
from typing import Any

from engram.base.clock import from_iso
from engram.base.clock import local_day
from engram.base.clock import start_of_day
from engram.base.clock import to_iso
from engram.language.dates.dates import DAY
from engram.language.dates.day_hints import may_name_days
from engram.language.dates.named_days import NamedDays
from engram.language.dates.named_days import name_days
from engram.language.dates.note_days import is_stamp
from engram.language.dates.open_days import Days
from engram.language.dates.validity_rules import load_validity_rules
from engram.model.validity import Validity
from engram.model.vocabulary import Category
from engram.model.vocabulary import Precision
from engram.services.extract.when.statement_days import StatementReader
from engram.services.extract.when.statement_parts import sentence_ends
from engram.services.extract.when.statement_words import DUE

_MOST_CHARS = 4_000  # what is read of a statement
_MOST_DAYS = 6  # a statement that names more of them is a list or a log

_FIRST_YEAR, _LAST_YEAR = 1900, 2199  # nothing that is said holds from or to another time
_LAST_SECOND = dt.time(23, 59, 59)
_CODE = re.compile(r"`[^`\n]*`")
_QUOTED = re.compile(r"""(?<!\w)(?:"[^"\n]+"|'[^'\n]+'(?!\w)|“[^”\n]+”|‘[^’\n]+’(?!\w)|«[^»\n]+»|「[^」\n]+」)""")


def find_validity(quote: str, category: Category | str, said_on: dt.date, *, around: str = "") -> Validity:
    """Return from when and until when a statement made on that day holds.

    `quote` is the statement as it was said; `around` is the text that it stands in, whose sentence tells when a
    commitment is due that names no day itself ("we ship on Thursday, Ann is on duty"). Never raises, and `valid_from`
    is never later than `valid_to`. Of a very long text only the beginning is read.
    """
    found = _read(quote, category, said_on)
    if around and found == Validity(said_on) and str(category) in DUE:
        return _read(_sentence_with(quote, around), category, said_on)
    return found


def _sentence_with(quote: str, text: str) -> str:
    """Return the sentence of a text in which a quote stands; empty when it stands in none."""
    at = text.find(quote)
    if at < 0:
        return ""
    ends = sentence_ends(text)
    start = max(end for end in ends if end <= at)
    return text[start : min(end for end in ends if end >= at + len(quote))]


def _read(quote: str, category: Category | str, said_on: dt.date) -> Validity:
    if not may_name_days(quote[:_MOST_CHARS]):
        return Validity(said_on)
    text = _without(_CODE, quote[:_MOST_CHARS])
    if category == Category.INSTRUCTION:  # in quotation marks stands what is to be said: never say "until Friday"
        text = _without(_QUOTED, text)
    named = name_days(text, said_on)
    stamp = _stamp(text, named)
    if stamp is not None and stamp.nearest is not None and stamp.nearest.first <= said_on:
        rest = " " * stamp.end + text[stamp.end :]
        return _read(rest, category, stamp.nearest.first)
    rules = [one for one in load_validity_rules() if one.are_for(text)]
    reader = StatementReader(text, str(category), said_on, rules)
    kept = reader.without_former(_finest([one for one in named if not reader.is_content(one)]))
    if not 0 < len(kept) <= _MOST_DAYS:
        return Validity(said_on)
    kept = [one for one in kept if not one.counted] or kept  # "the Wednesday before" the day that counts
    found = reader.bounded(kept) or reader.unbounded(kept)
    return reader.held(found, named) if found is not None and _is_likely(found) else Validity(said_on)


def _without(stretches: re.Pattern[str], text: str) -> str:
    """Return a text with spaces for some stretches of it; the text where nothing else is left."""
    left = stretches.sub(lambda stretch: " " * len(stretch[0]), text)
    return left if left.strip(" .!") else text


def validity_fields(validity: Validity, zone: dt.tzinfo) -> dict[str, str]:
    """Return a validity as the fields of `write`; the last day ends with its last second in that zone."""
    fields = {"valid_from": validity.valid_from.isoformat()}
    if validity.from_precision != DAY:
        fields["valid_from_precision"] = validity.from_precision
    if validity.valid_to is not None:
        fields["valid_to"] = to_iso(dt.datetime.combine(validity.valid_to, _LAST_SECOND, tzinfo=zone))
        if validity.to_precision != DAY:
            fields["valid_to_precision"] = validity.to_precision
    return fields


def dated_fields(
    quote: str, category: Category | str, at: dt.datetime, zone: dt.tzinfo, *, around: str = ""
) -> dict[str, str]:
    """Return what the words of a statement made at that instant say of when it holds, as fields of `write`.

    A beginning is absent when the words name none: it holds from that instant.
    """
    said_on = local_day(at, zone)
    fields = validity_fields(find_validity(quote, category, said_on, around=around), zone)
    if fields["valid_from"] == said_on.isoformat():
        del fields["valid_from"]
    return fields


def said_days(text: str, category: Category | str, at: dt.datetime, zone: dt.tzinfo) -> dict[str, Any]:
    """Return what the words of a statement made at that instant say of when it holds, as fields of a `Draft`.

    Empty when they say nothing of it.
    """
    found = find_validity(text, category, local_day(at, zone))
    if found.valid_from == local_day(at, zone) and found.valid_to is None:
        return {}
    ends = validity_fields(found, zone).get("valid_to")
    return {
        "valid_from": start_of_day(found.valid_from, zone),
        "valid_from_precision": Precision(found.from_precision),
        "valid_to": from_iso(ends) if ends else None,
        "valid_to_precision": Precision(found.to_precision),
    }


def _finest(named: Sequence[NamedDays]) -> list[NamedDays]:
    """Return the places without those that only say in which week, month or year another one lies."""
    days = [one.nearest or one.future or one.past for one in named]

    def is_frame(frame: Days | None) -> bool:
        inside = (one for one in days if one is not None and frame is not None and one.precision != frame.precision)
        return any(frame is not None and frame.first <= one.first and one.last <= frame.last for one in inside)

    return [one for one, own in zip(named, days, strict=True) if not is_frame(own)]


def _is_likely(found: Validity) -> bool:
    return all(day is None or _FIRST_YEAR <= day.year <= _LAST_YEAR for day in found[:2])


def _stamp(text: str, named: Sequence[NamedDays]) -> NamedDays | None:
    """Return the date that stands before a statement as its own: `2026-03-02: ...`, `[3 March] ...`."""
    if not named or named[0].is_range or named[0].nearest is None or named[0].nearest.precision != DAY:
        return None
    return named[0] if not named[0].is_weekday and is_stamp(text, named[0].start, named[0].end) else None
