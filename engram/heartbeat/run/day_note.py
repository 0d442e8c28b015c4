"""Before its phases a run begins the day's note, where the agent keeps daily notes: a title and no entry.

An agent that is told to append to today's note finds one, in the folder in which it kept yesterday's.
"""

import contextlib
import datetime as dt
import re
from pathlib import Path
from typing import Final

from engram.base.clock import local_day
from engram.errors import RefusedError
from engram.services.silo.daily_note import begin_note
from engram.services.visibility import MAIN_SESSION
from engram.workspace import Workspace

KEPT_DAYS: Final = 30
"""Days without a note after which an agent does not keep daily notes any more."""
_NOTE = re.compile(r"(\d{4}-\d{2}-\d{2})\.md")


def begin_day_note(workspace: Workspace) -> list[str]:
    """Begin today's note and return what was done, in sentences; nothing where no daily notes are kept.

    The folder is the one with the newest note of three: memory/, memory/AGENT/ and memory/AGENT/main/. Folders of other
    sessions and agents are theirs to fill. What stands in the way, such as a link, is for the phases to tell.
    """
    if workspace.fence is not None:
        workspace.fence()
    today = local_day(workspace.now(), workspace.settings.zone)
    folder = _kept_in(workspace, today)
    if folder is None:
        return []
    try:
        made = begin_note(workspace.files, folder, today)
    except (RefusedError, OSError):
        return []
    return [f"began today's note, {workspace.paths.relative(made)}"] if made else []


def _kept_in(workspace: Workspace, today: dt.date) -> Path | None:
    memory = workspace.paths.memory
    agent = memory / workspace.settings.agent
    newest: dict[Path, dt.date] = {}
    for folder in (agent / MAIN_SESSION, agent, memory):
        if days := [day for day in _days(folder) if 0 <= (today - day).days <= KEPT_DAYS]:
            newest[folder] = max(days)
    return max(newest, key=lambda folder: newest[folder], default=None)


def _days(folder: Path) -> list[dt.date]:
    """Return the days of which notes lie in a folder itself."""
    days = []
    try:
        names = [one.name for one in folder.iterdir()]
    except OSError:  # not there, or not ours to read
        return []
    for found in filter(None, map(_NOTE.fullmatch, names)):
        with contextlib.suppress(ValueError):
            days.append(dt.date.fromisoformat(found[1]))
    return days
