"""How people write a moment in an option: ISO dates and instants, and spans back from now."""

import datetime as dt
import re
from typing import Final

from engram.base.clock import end_of_day
from engram.base.clock import start_of_day
from engram.errors import BadValueError

_SPAN = r"(\d{1,5})([mhdw])"
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_FORMS = "2026-02-24, 2026-02-24T10:00:00Z, today, yesterday, monday, or a span back (24h, 7d, 2w)"
_PERIOD = r"(this|last) (week|month|year)"
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SHORTEST = 3  # letters of a weekday's name
_DECEMBER = 12
_A_DAY = dt.timedelta(days=1)

ENGLISH_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
"""The words by which documents are searched for their month, and questions look for it."""


def parse_moment(text: str, *, zone: dt.tzinfo, now: dt.datetime, name: str) -> dt.datetime:
    """Return the instant that a text means, in UTC; of a day it is the first one. A period is not one moment.

    Raises BadValueError that names the option and the forms that are read.
    """
    if re.fullmatch(_PERIOD, _words_of(text)):
        raise BadValueError(f"{name} {text!r} is not one moment", hint=f"write {_FORMS}")
    return parse_bound(text, zone=zone, now=now, name=name)


def parse_bound(text: str, *, zone: dt.tzinfo, now: dt.datetime, name: str, ends: bool = False) -> dt.datetime:
    """Return the instant, in UTC, from which on a bound admits, with `ends` the one before which it does.

    What names calendar days of the zone (a date, `yesterday`, `monday`, `last week`) admits each of them whole. A span
    such as `7d` is so long before now, and an instant without a zone is one of this zone. Raises BadValueError that
    names the option and the forms that are read.
    """
    words = _words_of(text)
    try:
        if (days := _days_of(words, now.astimezone(zone).date())) is not None:
            return end_of_day(days[1], zone) if ends else start_of_day(days[0], zone)
        return _instant_of(words, zone, now)
    except OverflowError as problem:
        raise BadValueError(
            f"{name} {text!r} reaches beyond the calendar", hint="its days are those of the years 1 to 9999"
        ) from problem
    except ValueError as problem:
        raise BadValueError(f"{name} {text!r} is not a moment", hint=f"write {_FORMS}") from problem


def _words_of(text: str) -> str:
    return " ".join(text.casefold().split())


def _instant_of(words: str, zone: dt.tzinfo, now: dt.datetime) -> dt.datetime:
    if words == "now":
        return now
    if span := re.fullmatch(_SPAN, words):
        return now - dt.timedelta(**{_UNITS[span[2]]: int(span[1])})
    at = dt.datetime.fromisoformat(words.upper())  # upper case: 2026-W09-2T10:00Z
    return (at if at.tzinfo else at.replace(tzinfo=zone)).astimezone(dt.UTC)


def _days_of(words: str, today: dt.date) -> tuple[dt.date, dt.date] | None:
    """Return the first and the last of the calendar days that are named; None when it is no name of days."""
    if (period := re.fullmatch(_PERIOD, words)) is not None:
        first, after = _unit_around(today, period[2])
        return (first, after - _A_DAY) if period[1] == "this" else _days_before(first, period[2])
    day = _day_of(words, today)
    return None if day is None else (day, day)


def _day_of(words: str, today: dt.date) -> dt.date | None:
    if words in {"today", "yesterday"}:
        return today - _A_DAY * (words == "yesterday")
    try:
        return dt.date.fromisoformat(words.upper())  # upper case: 2026-W09-2
    except ValueError:
        return _weekday_of(words, today)


def _weekday_of(words: str, today: dt.date) -> dt.date | None:
    """Return the latest day of the weekday that is named, today included; `last` is the one before today."""
    name = words.removeprefix("last ")
    latest = today - _A_DAY * (name != words)
    for number, day in enumerate(_WEEKDAYS):
        if len(name) >= _SHORTEST and day.startswith(name):
            return latest - _A_DAY * ((latest.weekday() - number) % len(_WEEKDAYS))
    return None


def _days_before(first: dt.date, unit: str) -> tuple[dt.date, dt.date]:
    last = first - _A_DAY
    return _unit_around(last, unit)[0], last


def _unit_around(day: dt.date, unit: str) -> tuple[dt.date, dt.date]:
    """Return the first day of the week, month or year that a day lies in, and the first day after it."""
    if unit == "week":
        first = day - dt.timedelta(days=day.weekday())
        return first, first + dt.timedelta(days=7)
    if unit == "year":
        return day.replace(month=1, day=1), dt.date(day.year + 1, 1, 1)
    december = day.month == _DECEMBER
    return day.replace(day=1), dt.date(day.year + december, 1 if december else day.month + 1, 1)


def days_in_words(first: dt.date | None, last: dt.date | None) -> str:
    """Write days, both included, as people do: `2 to 8 March 2026`, `March 2026`, `from 2 March 2026 on`.

    None is open; both open is `any day`.
    """
    if first is None or last is None:
        open_end = f"until {_in_words(last)}" if last else "any day"
        return f"from {_in_words(first)} on" if first else open_end
    if first == last:
        return _in_words(first)
    for unit, form in (("month", f"{_month_of(first)} {first.year}"), ("year", str(first.year))):
        if (first, last) == _whole_unit(first, unit):
            return form
    if first.year != last.year:
        return f"{_in_words(first)} to {_in_words(last)}"
    begin = f"{first.day}" if first.month == last.month else f"{first.day} {_month_of(first)}"
    return f"{begin} to {_in_words(last)}"


def _in_words(day: dt.date) -> str:
    return f"{day.day} {_month_of(day)} {day.year}"


def _month_of(day: dt.date) -> str:
    return ENGLISH_MONTHS[day.month - 1]


def _whole_unit(day: dt.date, unit: str) -> tuple[dt.date, dt.date] | None:
    try:
        first, after = _unit_around(day, unit)
    except ValueError:  # the last one of the calendar
        return None
    return first, after - _A_DAY
