"""Times and windows of time as options say them: at every command in the same words."""

import datetime as dt

from engram.base.dates import parse_bound
from engram.services.facts.timeline import Window
from engram.services.facts.timeline import window_between
from engram.workspace import Workspace


def read_time(workspace: Workspace, option: str, text: str | None, *, ends: bool = False) -> dt.datetime | None:
    """Return the instant that an option says, in UTC, with `ends` the one before which its last day ends.

    Raises BadValueError for what names no time.
    """
    if text is None:
        return None
    return parse_bound(text, zone=workspace.settings.zone, now=workspace.now(), name=option, ends=ends)


def read_window(workspace: Workspace, since: str | None, until: str | None) -> Window:
    """Return the window that --since and --until say, the days that they name included; raises BadValueError."""
    return window_between(read_time(workspace, "--since", since), read_time(workspace, "--until", until, ends=True))
