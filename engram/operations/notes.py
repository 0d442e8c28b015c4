"""A line in today's note, as a server writes it for whom it answers."""

from typing import NamedTuple

from engram.ports.database import FactDatabase
from engram.services.commands.entities.entity import check_session_name
from engram.services.facts.sources.sessions import get_session
from engram.services.silo.daily_note import NoteReport
from engram.services.silo.daily_note import add_note
from engram.services.silo.daily_note import note_place
from engram.services.visibility import MAIN_SESSION
from engram.services.visibility import Caller
from engram.workspace import Workspace


class NotedLine(NamedTuple):
    """Where a line was written, and what of it was taken out."""

    path: str  # of the note, relative to the workspace
    report: NoteReport


def noting_session(database: FactDatabase, caller: Caller) -> str | None:
    """Return the session whose notes the caller writes; its agent's main one needs nobody to add it.

    Raises UnknownSessionError, and BadValueError for a name that can be no folder.
    """
    if caller.session is not None:
        check_session_name(caller.session)
        if caller.session not in {MAIN_SESSION, f"{caller.agent}/{MAIN_SESSION}"}:
            get_session(database, caller.session)
    return caller.session


def note_line(workspace: Workspace, session: str | None, text: str, section: str) -> NotedLine:
    """Append a line to today's note of a session. Raises BadValueError."""
    settings, now = workspace.settings, workspace.now()
    place = note_place(workspace.paths.memory, settings.agent, session, now=now, zone=settings.zone)
    report = add_note(workspace.files, place, text, now=now, zone=settings.zone, section=section)
    return NotedLine(workspace.paths.relative(place.file), report)
