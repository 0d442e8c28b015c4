"""The period that a question names, as bounds and as words that documents of those days are searched by."""

import datetime as dt
from collections.abc import Iterator
from typing import NamedTuple

from engram.base.clock import end_of_day
from engram.base.clock import start_of_day
from engram.base.dates import ENGLISH_MONTHS
from engram.language.dates.question_time import asked_time

_MOST_DAYS = 14  # up to which each day is searched for; beyond, its months are
_MOST_MONTHS = 12


class Period(NamedTuple):
    """Days, both ends included; None is open."""

    first: dt.date | None
    last: dt.date | None
    said: str = ""  # the words of the question that name it
    is_all: bool = False  # whether the question asks for whatever was then

    def bounds(self, zone: dt.tzinfo) -> tuple[float | None, float | None]:
        """Return the instants from which and before which it lasts, in epoch seconds."""
        since = start_of_day(self.first, zone).timestamp() if self.first else None
        try:
            until = end_of_day(self.last, zone).timestamp() if self.last else None
        except OverflowError:  # the last day of the calendar
            until = None
        return since, until

    @property
    def words(self) -> str:
        """The days, or the months, as documents have them in their indexed text; empty for an open period."""
        if self.first is None or self.last is None:
            return ""
        if (self.last - self.first).days < _MOST_DAYS:
            return " ".join(day.isoformat() for day in self._days(self.first, self.last))
        months = dict.fromkeys((day.year, day.month) for day in self._days(self.first, self.last))
        return " ".join(f"{ENGLISH_MONTHS[month - 1]} {year}" for year, month in list(months)[:_MOST_MONTHS])

    @staticmethod
    def _days(first: dt.date, last: dt.date) -> Iterator[dt.date]:
        return (first + dt.timedelta(days=number) for number in range((last - first).days + 1))


def find_period(question: str, today: dt.date) -> Period | None:
    """Return the period that the words of a question mean on a day, or None."""
    found = asked_time(question, today)
    return None if found is None else Period(found.first, found.last, found.words, found.is_all)
