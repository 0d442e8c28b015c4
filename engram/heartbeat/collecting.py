"""What extraction has not read yet: entries of notes and turns of sessions, in batches that a child can take in.

Invariant: an entry is known by its id, which is made of path, text and occurrence, so text inserted above old text
is found and moved text is not read twice. The watermark of a file is the SHA-256 of its bytes: an unchanged file is not
even split.
"""

import os
from collections.abc import Iterable
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from engram.base.text import sha256_hex
from engram.config.paths import Paths
from engram.errors import MalformedInputError
from engram.language.notes import entry_ids
from engram.language.notes import note_day
from engram.language.notes import split_note
from engram.model.conversation import NoteEntry
from engram.model.conversation import Turn
from engram.model.conversation import Watermark
from engram.model.fact import Actor
from engram.model.fact import Trust
from engram.ports.database import FactDatabase
from engram.workspace import Workspace

CONSUMER = "extraction"
_NOTE_KEY, _SESSION_KEY = "note:", "session:"  # watermark keys: a file's path, a session's name


class Unread(NamedTuple):
    """What one run has to read."""

    notes: list[NoteEntry]
    turns: list[Turn]
    marks: dict[str, Watermark]  # by watermark key: where the reader of a file or session stands when all of it is done
    alerts: list[str]  # files that could not be read


class Batch(NamedTuple):
    """What one child is given, and the watermarks that move when its answer is applied."""

    notes: list[NoteEntry]
    turns: list[Turn]
    marks: list[Watermark]

    @property
    def texts(self) -> list[str]:
        """The texts in the order in which they are given."""
        return [*(note.text for note in self.notes), *(turn.text for turn in self.turns)]


def collect_unread(workspace: Workspace, *, force: bool = False) -> Unread:
    """Return the entries and turns that extraction has not finished; with `force`, all there are.

    Files are read and split while no lock is held: a large memory keeps no writer waiting.
    """
    with workspace.reading() as database:
        done = {} if force else database.watermarks(CONSUMER)
        turns, turn_marks = _unread_turns(database, done)
    scanned = _scan_notes(workspace.paths, workspace.settings.agent, done)
    notes = scanned.notes
    if notes and not force:
        with workspace.reading() as database:
            known = database.known_ids("note", [entry.id for entry in notes])
        notes = [entry for entry in notes if entry.id not in known]
    return Unread(notes, turns, scanned.marks | turn_marks, scanned.alerts)


def split_batches(unread: Unread, limit_chars: int) -> Iterator[Batch]:
    """Yield batches of at most that many characters (or of one entry); a mark moves with the last of its entries."""
    rows: list[tuple[str, NoteEntry | Turn]] = [(_NOTE_KEY + note.path, note) for note in unread.notes]
    rows += [(_SESSION_KEY + turn.session, turn) for turn in unread.turns]
    last = {key: place for place, (key, _) in enumerate(rows)}
    notes: list[NoteEntry] = []
    turns: list[Turn] = []
    marks = [mark for key, mark in unread.marks.items() if key not in last]
    size = 0
    for place, (key, row) in enumerate(rows):
        if size and size + len(row.text) > limit_chars:
            yield Batch(notes, turns, marks)
            notes, turns, marks, size = [], [], [], 0
        size += len(row.text)
        if isinstance(row, NoteEntry):
            notes.append(row)
        else:
            turns.append(row)
        if last[key] == place and key in unread.marks:
            marks.append(unread.marks[key])
    if notes or turns or marks:
        yield Batch(notes, turns, marks)


def iter_note_files(memory: Path) -> Iterator[Path]:
    """Yield the markdown files below a folder in order of their path.

    Hidden folders are left out and hidden files are not. A link is followed only when it leads to a file in the folder.
    """
    inside = Path(os.path.realpath(memory))
    for folder, folders, files in os.walk(memory):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            file = Path(folder, name)
            if name.endswith(".md") and Path(os.path.realpath(file)).is_relative_to(inside) and file.is_file():
                yield file


def _scan_notes(paths: Paths, agent: str, done: dict[str, str]) -> Unread:
    notes: list[NoteEntry] = []
    marks: dict[str, Watermark] = {}
    alerts: list[str] = []
    for file in iter_note_files(paths.memory):
        path = file.relative_to(paths.root).as_posix()
        key = _NOTE_KEY + path
        try:
            data = file.read_bytes()
            mark = sha256_hex(data)
            if done.get(key) == mark:
                continue
            found = _note_entries(path, data, _session_of(file.relative_to(paths.memory), agent))
        except (OSError, MalformedInputError, UnicodeEncodeError) as problem:
            alerts.append(f"{os.fsencode(file.name).decode('utf-8', 'replace')} was not read: {problem}")
            continue
        notes += found
        if found:  # a file without entries needs no mark: it costs nothing to look at again
            marks[key] = Watermark(consumer=CONSUMER, key=key, value=mark)
    return Unread(notes, [], marks, alerts)


def _note_entries(path: str, data: bytes, session: str | None) -> list[NoteEntry]:
    raw = split_note(data)
    day = note_day(path.rpartition("/")[2], data.decode("utf-8-sig")) if raw else None
    return [
        NoteEntry(
            id=entry_id,
            path=path,
            heading=entry.headings,
            text=entry.text,
            sha256=sha256_hex(data[entry.start : entry.end]),
            start=entry.start,
            end=entry.end,
            line=entry.line,
            on=day.isoformat() if day else None,
            session=session,
            actor=Actor.AGENT,
        )
        for entry_id, entry in zip(entry_ids(path, raw), raw, strict=True)
    ]


def _session_of(path: Path, agent: str) -> str | None:
    """Return the session of a note in AGENT/SESSION/: just SESSION for the workspace's own agent."""
    if len(path.parts) < 3:
        return None
    return path.parts[1] if path.parts[0] == agent else f"{path.parts[0]}/{path.parts[1]}"


def _unread_turns(database: FactDatabase, done: dict[str, str]) -> tuple[list[Turn], dict[str, Watermark]]:
    turns: list[Turn] = []
    marks: dict[str, Watermark] = {}
    for session, count in sorted(database.turn_counts().items()):
        key = _SESSION_KEY + session
        finished = int(done.get(key, "0"))
        if count > finished:
            turns += [turn for turn in _readable(database.list_turns(session)) if turn.ordinal >= finished]
            marks[key] = Watermark(consumer=CONSUMER, key=key, value=str(count))
    return turns, marks


def _readable(turns: Iterable[Turn]) -> Iterator[Turn]:
    return (turn for turn in turns if turn.trust != Trust.QUARANTINED)
