"""Where daily notes lie and how a line is added to one: only ever appended, in one write, under the file's own lock."""

import datetime as dt
from pathlib import Path
from typing import NamedTuple

from engram.base.clock import local_day
from engram.base.disk.faults import fault_point
from engram.base.text import has_control
from engram.errors import BadValueError
from engram.errors import NotFoundError
from engram.language.screen.secrets import redact
from engram.ports.text_files import TextFiles
from engram.services.silo.folder import plain_text
from engram.services.silo.folder import silo_folder
from engram.services.visibility import MAIN_SESSION

SECTIONS = {
    "events": "Events",
    "decisions": "Decisions",
    "learnings": "Learnings",
    "threads": "Threads",
    "next": "Next",
}  # --section -> heading


class NotePlace(NamedTuple):
    """One silo of daily notes on one day."""

    memory: Path  # the workspace's memory/ folder
    agent: str  # a slug
    session: str  # a slug, or agent/session
    day: dt.date  # in the workspace's time zone

    @property
    def file(self) -> Path:
        """The note's file, whether it is there or not."""
        silo = silo_folder(self.agent, self.session).removeprefix("memory/")
        return self.memory / silo / f"{self.day.isoformat()}.md"


class NoteReport(NamedTuple):
    """What was written into a note."""

    path: Path  # the note
    line: str  # the bullet as it stands there
    section: str  # heading it stands under
    redactions: tuple[str, ...]  # kinds of secrets that were taken out before it was written


def add_note(
    files: TextFiles, place: NotePlace, text: str, *, now: dt.datetime, zone: dt.tzinfo, section: str = "events"
) -> NoteReport:
    """Append one bullet to the note of a day, under the heading of its section.

    The heading is written only when the last one differs; lines after the first are indented. Raises BadValueError for
    text that is empty or holds control characters. When this returns, the line survives a crash.
    """
    if has_control(text):
        raise BadValueError("the note's text holds a control character", hint="pass text without control characters")
    cleaned = redact(text.strip())
    if not cleaned.text:
        raise BadValueError("the note's text is empty", hint='such as engram note add "Anna prefers tea"')
    bullet = make_bullet(cleaned.text, now.astimezone(zone))
    append_lines(files, place.file, place.day.isoformat(), f"## {SECTIONS[section]}", bullet)
    return NoteReport(place.file, bullet, SECTIONS[section], tuple(cleaned.kinds))


def make_bullet(text: str, at: dt.datetime) -> str:
    """Return a text as a bullet with its time of day; lines after the first are indented."""
    first, *others = text.splitlines()
    return "\n".join([f"- {at:%H:%M} {first}", *(f"  {line}".rstrip() for line in others)])


def append_block(files: TextFiles, place: NotePlace, block: str) -> Path:
    """Append a block of whole lines to the note of a day, after an empty line, and return the note's path."""
    append_lines(files, place.file, place.day.isoformat(), "", block)
    return place.file


def begin_note(files: TextFiles, folder: Path, day: dt.date) -> Path | None:
    """Make the note of a day in a folder, with its title and nothing else; None when it has begun already.

    Raises RefusedError when a link stands on the way from the root.
    """
    file = folder / f"{day.isoformat()}.md"
    with files.appending(file) as note:
        if not note.is_new:
            return None
        note.append(f"# {day.isoformat()}\n".encode())
    return file


def read_note(files: TextFiles, place: NotePlace) -> str:
    """Return the note of a day; raise NotFoundError when there is none."""
    try:
        return plain_text(files.read(place.file))
    except FileNotFoundError as problem:
        raise NotFoundError(
            f"there is no note of {place.day.isoformat()} in session {place.session}",
            hint="engram note add TEXT begins today's",
        ) from problem


def note_place(memory: Path, agent: str, session: str | None, *, now: dt.datetime, zone: dt.tzinfo) -> NotePlace:
    """Return today's place in a session's silo, by the workspace's time zone."""
    return NotePlace(memory, agent, session or MAIN_SESSION, local_day(now, zone))


# --- the file ----------------------------------------------------------------------------------------------------


def append_lines(files: TextFiles, file: Path, title: str, heading: str, block: str) -> None:
    """Append whole lines under a heading, which is written only when the last one differs; an empty file gets a title.

    When this returns, the lines survive a crash; however many write at once, each block stands there whole.
    Raises RefusedError when a link stands on the way from the root.
    """
    files.make_folder(file.parent)
    # Two writers at once would both see an empty file and both begin it.
    with files.appending(file) as note:
        before = note.read().decode("utf-8", errors="replace")
        fault_point("before-note")
        note.append(_addition(before, title, heading, block).encode())
        fault_point("after-note")


def _addition(before: str, title: str, heading: str, block: str) -> str:
    parts = [] if before.strip() else [f"# {title}", ""]
    if before and not before.endswith("\n"):
        parts.append("")
    if heading and _last_heading(before) != heading:
        parts += ["", heading, ""] if before.strip() else [heading, ""]
    elif not heading and before.strip():
        parts.append("")
    return "\n".join([*parts, block, ""])


def _last_heading(note: str) -> str:
    return next((line.strip() for line in reversed(note.splitlines()) if line.startswith("#")), "")
