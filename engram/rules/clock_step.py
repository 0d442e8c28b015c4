"""A clock that went back: the journal's order stays right, and the days that it gave may be wrong. Pure."""

import datetime as dt
from typing import Final

MOST: Final = dt.timedelta(hours=1)  # that a clock may go back unnoticed: it is set right, or another machine's


def went_back(before: dt.datetime, after: dt.datetime) -> bool:
    """Tell whether a clock shows a time that is more than an hour earlier than it showed before."""
    return before - after > MOST
