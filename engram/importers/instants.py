"""When something was said, in any of the usual spellings: ISO, words, epoch seconds or milliseconds."""

import datetime as dt
import math
import warnings

import regex
from dateutil import parser

from engram.language.dates.clock import read_stamp

_EPOCH_MS_FROM = 1e11  # a number above this counts milliseconds (as seconds it would be the year 5138)
_EPOCH_LIMIT = 4e14  # beyond the year 14000 in milliseconds nothing was said
_DEFAULTS = (dt.datetime(2000, 1, 1), dt.datetime(2004, 2, 2))  # leap years, so that 29 February fits both
_BRACKETS = regex.compile(r"[()\[\]]")
_BARE_NUMBER = regex.compile(r"\d{9,14}(?:\.\d+)?")
# A year, a word and then a number, or two numbers with a mark between them; what was read is not read again.
_HAS_DATE = regex.compile(r"(?s)\d{4}|\A(?>.*?\p{L}{3}).*\d|\d++\s*+[./-]\s*+\d")


def parse_instant(value: object, zone: dt.tzinfo) -> dt.datetime:
    """Return the aware UTC instant that a JSON value means; a time without a zone is in the given one.

    Raises ValueError with a reason for a value that is no instant, or that names no full date.
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError("it is neither a text nor a number")  # noqa: TRY004 - bad input, not a bad call
    if isinstance(value, str) and not _BARE_NUMBER.fullmatch(value.strip()):
        return _from_words(value.strip(), zone)
    try:
        return _from_epoch(float(value))
    except OverflowError as problem:
        raise ValueError("it is not a time since 1970") from problem


def _from_epoch(number: float) -> dt.datetime:
    if not math.isfinite(number) or not 0 <= number < _EPOCH_LIMIT:
        raise ValueError(f"{number:g} is not a time since 1970")
    seconds = number / 1000 if number >= _EPOCH_MS_FROM else number
    return dt.datetime.fromtimestamp(seconds, dt.UTC)


def _from_words(text: str, zone: dt.tzinfo) -> dt.datetime:
    try:
        at = dt.datetime.fromisoformat(text)
    except ValueError:
        at = _from_stamp(text) or _guess(text)
    try:
        return (at if at.tzinfo else at.replace(tzinfo=zone)).astimezone(dt.UTC)
    except OverflowError as problem:
        raise ValueError(f"{text!r} lies outside the calendar") from problem


def _from_stamp(text: str) -> dt.datetime | None:
    stamp = read_stamp(text)
    if stamp is None:
        return None
    zone = None if stamp.offset is None else dt.timezone(stamp.offset)
    return dt.datetime.combine(stamp.day, stamp.time, tzinfo=zone)


def _guess(text: str) -> dt.datetime:
    if not _HAS_DATE.search(text):
        raise ValueError(f"{text!r} holds no date")
    plain = _BRACKETS.sub(" ", text)  # "2022/10/31 (Mon) 18:05"
    try:
        # What is missing is taken from the default; two that differ in every part of a date show what was missing.
        with warnings.catch_warnings(action="error", category=parser.UnknownTimezoneWarning):
            first, second = (parser.parse(plain, default=default) for default in _DEFAULTS)
    except (parser.ParserError, parser.UnknownTimezoneWarning, OverflowError, TypeError) as problem:
        raise ValueError(f"{text!r} is not a date") from problem
    if first != second:
        raise ValueError(f"{text!r} holds no full date")
    return first
