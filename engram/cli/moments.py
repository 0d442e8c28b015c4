"""Moments and windows of time as options say them."""

import datetime as dt
from typing import Final

from engram.base.dates import parse_moment
from engram.services.timeline import Window
from engram.workspace import Workspace

_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SHORTEST: Final = 3  # letters of a weekday's name


def read_window(workspace: Workspace, since: str | None, until: str | None) -> Window:
    """Return the window that --since and --until say; raises BadValueError."""
    return Window(_read(workspace, "--since", since), _read(workspace, "--until", until))


def _read(workspace: Workspace, name: str, text: str | None) -> dt.datetime | None:
    if not text:
        return None
    zone, now = workspace.settings.zone, workspace.now()
    return parse_moment(_dated(text, now.astimezone(zone).date()), zone=zone, now=now, name=name)


def _dated(text: str, today: dt.date) -> str:
    """Return the name of a weekday as the date of the last such day, today included; other texts as they are."""
    word = text.strip().casefold().removeprefix("last ")
    for number, day in enumerate(_DAYS):
        if len(word) >= _SHORTEST and day.startswith(word):
            return (today - dt.timedelta(days=(today.weekday() - number) % len(_DAYS))).isoformat()
    return text
