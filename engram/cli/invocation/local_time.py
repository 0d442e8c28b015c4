"""Instants as a person reads them: days and minutes of the workspace's time zone. JSON has them in UTC."""

import datetime as dt

from engram.base.clock import day_of
from engram.base.clock import minute_of
from engram.cli.invocation.options import invocation
from engram.config.hook_settings import find_zone
from engram.config.hook_settings import read_hook_choices
from engram.config.paths import find_workspace


def shown_day(instant: str) -> str:
    """Return the calendar day of an instant in ISO form, as `2026-02-24`; what is no instant stands as it is."""
    try:
        return day_of(instant, workspace_zone())
    except ValueError:
        return instant


def shown_minute(instant: str) -> str:
    """Return the minute of an instant in ISO form with its time zone, as `2026-02-24 09:10 CET`."""
    return minute_in(instant, workspace_zone())


def minute_in(instant: str, zone: dt.tzinfo) -> str:
    """Return the minute of an instant in ISO form in a time zone.

    What is no instant, such as a word that a damaged file holds, is shown as it stands.
    """
    try:
        return minute_of(instant, zone)
    except ValueError:
        return instant


def workspace_zone() -> dt.tzinfo:
    """Return the time zone of the workspace that was asked."""
    return find_zone(read_hook_choices(find_workspace(invocation().workspace_dir)))
