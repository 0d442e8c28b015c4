"""The one clock: aware UTC inside, the workspace's time zone for day boundaries only."""

import datetime as dt

_stopped_at: list[dt.datetime] = []  # the last one counts; empty: the time is what it is


def utc_now() -> dt.datetime:
    """Return the current instant, aware, in UTC."""
    return _stopped_at[-1] if _stopped_at else dt.datetime.now(dt.UTC)


class StoppedClock:
    """Lets it be one instant in this process for the length of a block (None: as it is): for replays and tests."""

    def __init__(self, at: dt.datetime | None) -> None:
        """Take the instant."""
        self._at = at

    def __enter__(self) -> None:
        if self._at is not None:
            _stopped_at.append(self._at)

    def __exit__(self, *_: object) -> None:
        if self._at is not None:
            _stopped_at.pop()


def to_iso(at: dt.datetime) -> str:
    """Write an aware instant as ISO 8601 in UTC with a trailing Z (microseconds only when there are any)."""
    return at.astimezone(dt.UTC).isoformat().replace("+00:00", "Z")


def from_iso(text: str) -> dt.datetime:
    """Read what `to_iso` wrote; raise ValueError for anything without a time zone, or that no calendar has in UTC."""
    at = dt.datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError(f"{text!r} has no time zone")
    return in_utc(at)


def in_utc(at: dt.datetime) -> dt.datetime:
    """Return an aware instant in UTC; raise ValueError where that is before the calendar's first day or after its last.

    An offset can lead there: 9999-12-31T23:00-02:00 is in the year 10000.
    """
    try:
        return at.astimezone(dt.UTC)
    except OverflowError as problem:
        raise ValueError(f"{at.isoformat()} lies outside of the calendar") from problem


def local_day(at: dt.datetime, zone: dt.tzinfo) -> dt.date:
    """Return the calendar day on which the instant falls in that zone; at the ends of the calendar that in UTC."""
    try:
        return at.astimezone(zone).date()
    except OverflowError:
        return at.date()


def day_of(instant: str, zone: dt.tzinfo) -> str:
    """Return the calendar day of an instant that `to_iso` wrote, in that zone, as `2026-02-24`."""
    return local_day(from_iso(instant), zone).isoformat()


def minute_of(instant: str, zone: dt.tzinfo) -> str:
    """Return an instant that `to_iso` wrote as `2026-02-24 09:10 CET` in that zone; at the calendar's ends in UTC."""
    at = from_iso(instant)
    try:
        return f"{at.astimezone(zone):%Y-%m-%d %H:%M %Z}"
    except OverflowError:
        return f"{at:%Y-%m-%d %H:%M %Z}"


def start_of_day(day: dt.date, zone: dt.tzinfo) -> dt.datetime:
    """Return the first instant of that day in that zone, in UTC."""
    return dt.datetime.combine(day, dt.time.min, tzinfo=zone).astimezone(dt.UTC)


def end_of_day(day: dt.date, zone: dt.tzinfo) -> dt.datetime:
    """Return the first instant after that day in that zone, in UTC: a day has 23 or 25 hours when the clock changes.

    Raises OverflowError after the last day of the calendar.
    """
    return start_of_day(day + dt.timedelta(days=1), zone)
