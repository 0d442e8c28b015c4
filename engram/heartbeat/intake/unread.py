"""What extraction has not read yet: entries of notes and turns of sessions, in batches that a child can take in.

Invariant: an entry is known by where it stands and by its bytes, and keeps its id when its note is renamed, put into
archives or restored, so text inserted above old text is found and moved text is not read twice. The watermark of a file
is the SHA-256 of its bytes: an unchanged file is not even split.
"""

import datetime as dt
import errno
import json
import os
from collections import Counter
from collections import defaultdict
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from engram.base.disk.safe_files import StillWrittenError
from engram.base.disk.safe_files import iter_files
from engram.base.disk.safe_files import read_within
from engram.base.text import sha256_hex
from engram.config.paths import Paths
from engram.errors import MalformedInputError
from engram.heartbeat.intake.second_look import judged_again
from engram.heartbeat.intake.second_look import waiting_for_second_look
from engram.heartbeat.intake.watermark_keys import NOTE_KEY
from engram.heartbeat.intake.watermark_keys import SESSION_KEY
from engram.language.dates.note_days import entry_day
from engram.language.screen.redaction import is_secret_name
from engram.language.screen.secrets import redact
from engram.language.text.markdown_notes import entry_ids
from engram.language.text.markdown_notes import make_entry_id
from engram.language.text.markdown_notes import note_day
from engram.language.text.markdown_notes import split_note
from engram.language.text.note_lines import without_unread_lines
from engram.model.conversation import NoteEntry
from engram.model.conversation import Turn
from engram.model.conversation import Watermark
from engram.model.fact import SHARED
from engram.model.fact import Actor
from engram.model.fact import Trust
from engram.ports.database import FactDatabase
from engram.rules.handoff.handoff_block import is_of_a_run
from engram.rules.notes.entry_places import Move
from engram.rules.notes.entry_places import place_entries
from engram.rules.notes.entry_places import spellings
from engram.rules.notes.rotation import rotated_from
from engram.services.facts.sources.provenance import MOST_PLACES
from engram.services.facts.sources.provenance import MOVES
from engram.services.silo.folder import session_of_note
from engram.services.visibility import scope_in
from engram.workspace import Workspace

CONSUMER = "extraction"
_UNKNOWN = dt.datetime.min.replace(tzinfo=dt.UTC)  # when a session began of which no turn tells


class Unread(NamedTuple):
    """What one run has to read."""

    notes: list[NoteEntry]
    turns: list[Turn]
    marks: dict[str, Watermark]  # by watermark key: where the reader of a file or session stands when all of it is done
    alerts: list[str]  # files that could not be read
    moves: Sequence[Move] = ()  # entries that were read before and stand elsewhere now
    places: Sequence[Watermark] = ()  # where the notes went in which they stood
    again: Collection[str] = ()  # watermark keys of what was read before and is judged once more


class _Scan(NamedTuple):
    found: dict[str, list[NoteEntry]]  # entries of the files that changed
    marks: dict[str, str]  # path -> SHA-256 of these files
    present: set[str]  # all notes
    alerts: list[str]


def collect_unread(workspace: Workspace, *, force: bool = False, judging_run: str = "") -> Unread:
    """Return the entries and turns that extraction has not finished; with `force`, all there are.

    For a run of the built-in judge, whose id is given, what waits for a second look is among them.
    Files are read and split while no lock is held: a large memory keeps no writer waiting.
    """
    with workspace.reading() as database:
        done = database.watermarks(CONSUMER)
        again = [] if force else _again(database, workspace, judging_run)
        finished = {} if force else {key: value for key, value in done.items() if key not in again}
        turns, turn_marks = _unread_turns(database, finished)
        apart = {session.name: scope_in(session) for session in database.list_sessions()}
    scan = _scan_notes(workspace.paths, workspace.settings.agent, finished, apart)
    if not scan.found:
        return Unread([], turns, turn_marks, scan.alerts, again=again)
    renamed = _find_renamed(scan, done)
    with workspace.reading() as database:
        origins = {origin for path in scan.found if (origin := rotated_from(path))}
        hashes = {sha256 for entries in scan.found.values() for entry in entries for sha256 in spellings(entry)}
        rows = database.find_notes(scan.found.keys() | origins | set(renamed.values()), hashes)
        placed = place_entries(scan.found, rows, scan.present, renamed)
        fresh = _with_free_ids(placed.fresh, database)
        places = _moved_places(placed.moved, database)
    known = [note for note in placed.known if force or NOTE_KEY + note.path in again]
    notes = sorted([*known, *fresh], key=lambda note: note.path) if known else fresh
    read = {path for path, entries in scan.found.items() if entries}  # others cost nothing to look at again
    marks = {NOTE_KEY + path: _mark(NOTE_KEY + path, scan.marks[path]) for path in sorted(read)}
    return Unread(notes, turns, marks | turn_marks, scan.alerts, placed.moved, places, again)


def _again(database: FactDatabase, workspace: Workspace, judging_run: str) -> list[str]:
    """Return the keys of what is judged once more: nothing where no model makes vectors."""
    waiting = waiting_for_second_look(database) if judging_run else {}
    has_vectors = bool(waiting) and makes_vectors(workspace)
    return judged_again(waiting, judging_run) if has_vectors else []


def makes_vectors(workspace: Workspace) -> bool:
    """Tell whether the judge may have vectors here: a model is there, and has time."""
    return bool(workspace.settings.heartbeat.embedding_s) and workspace.index.passage_vectors is not None


def iter_note_files(memory: Path) -> Iterator[Path]:
    """Yield the markdown files below memory/ in order of their path; see `base.disk.safe_files.iter_files`."""
    for path in iter_files(memory.parent, memory.name):
        if path.endswith(".md") and not is_secret_name(path):
            yield memory.parent / path


def _scan_notes(paths: Paths, agent: str, done: Mapping[str, str], scopes: Mapping[str, str]) -> _Scan:
    scan = _Scan({}, {}, set(), [])

    def tell(path: str, problem: OSError) -> None:
        place = paths.root / path
        if path.endswith(".md") or place.is_dir():
            scan.alerts.append(f"{shown_path(path)} was not read: {_why(problem)}")

    for path in iter_files(paths.root, paths.relative(paths.memory), tell):
        if not path.endswith(".md"):
            continue
        if is_secret_name(path):
            scan.alerts.append(f"{redact(path).text} was not read: its name holds a secret; give it another one")
            continue
        scan.present.add(path)
        try:
            data = read_within(paths.root, path)
            mark = sha256_hex(data)
            if done.get(NOTE_KEY + path) != mark:
                data, unread = without_unread_lines(data)
                said = (f"line {line.number} was not read: it {line.why}" for line in unread)
                scan.alerts.extend(f"{shown_path(path)}: {what}" for what in said)
                session = session_of_note(path, agent)
                scan.found[path] = _note_entries(path, data, session, scopes.get(session or "", SHARED))
                scan.marks[path] = mark
        except StillWrittenError:
            continue  # the next run finds it at rest
        except (OSError, MalformedInputError, UnicodeEncodeError) as problem:
            if not (isinstance(problem, OSError) and problem.errno == errno.ENOENT):
                scan.alerts.append(f"{shown_path(path)} was not read: {_why(problem)}")
    return scan


def shown_path(path: str) -> str:
    """Return a path as it can stand in a sentence, whatever its name holds."""
    text = os.fsencode(path).decode("utf-8", "replace")
    return "".join(ch if ch.isprintable() else "\N{REPLACEMENT CHARACTER}" for ch in text)


def _why(problem: Exception) -> str:
    if isinstance(problem, UnicodeEncodeError):
        return "its name is no text"
    return str(problem.strerror or problem) if isinstance(problem, OSError) else str(problem)


def _note_entries(path: str, data: bytes, session: str | None, scope: str) -> list[NoteEntry]:
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
            on=on.isoformat() if (on := entry_day(entry.headings, entry.text, day)) else None,
            session=session,
            scope=scope,
            actor=Actor.AGENT,
        )
        for entry_id, entry in zip(entry_ids(path, raw), raw, strict=True)
    ]


# --- what moved --------------------------------------------------------------------------------------------------


def _find_renamed(scan: _Scan, done: Mapping[str, str]) -> dict[str, str]:
    """Return path -> where these very bytes stood when they were last read and stand no more."""
    gone = {
        mark: path
        for key, mark in sorted(done.items())
        if key.startswith(NOTE_KEY) and ((path := key.removeprefix(NOTE_KEY)) not in scan.present or path in scan.found)
    }
    return {path: gone[mark] for path, mark in scan.marks.items() if gone.get(mark, path) != path}


def _with_free_ids(fresh: list[NoteEntry], database: FactDatabase) -> list[NoteEntry]:
    """Return the entries, each with an id that nothing stored has: one that went elsewhere took its own along."""
    taken: set[str] = set()
    entries = []
    known = database.known_ids("note", [entry.id for entry in fresh])
    for entry in fresh:
        free, occurrence = entry.id, 0
        while free in taken or free in known or (occurrence and database.known_ids("note", [free])):
            occurrence += 1
            free = make_entry_id(entry.path, entry.text, occurrence)
        taken.add(free)
        entries.append(entry if free == entry.id else entry.model_copy(update={"id": free}))
    return entries


def _moved_places(moves: Iterable[Move], database: FactDatabase) -> list[Watermark]:
    """Return, for each note that entries moved out of, where they went: the latest place first."""
    went: dict[str, Counter[str]] = defaultdict(Counter)
    for move in moves:
        went[move.before][move.entry.path] += 1
    if not went:
        return []
    before = database.watermarks(MOVES)
    marks = []
    for path, counts in sorted(went.items()):
        places = [place for place, _ in counts.most_common()]
        places += [place for place in json.loads(before.get(path, "[]")) if place not in counts]
        marks.append(Watermark(consumer=MOVES, key=path, value=json.dumps(places[:MOST_PLACES])))
    return marks


def _mark(key: str, value: str) -> Watermark:
    return Watermark(consumer=CONSUMER, key=key, value=value)


# --- turns -------------------------------------------------------------------------------------------------------


def _unread_turns(database: FactDatabase, done: Mapping[str, str]) -> tuple[list[Turn], dict[str, Watermark]]:
    """Return the turns of the sessions in the order in which they began: what is said later corrects what is older."""
    of_session: list[list[Turn]] = []
    marks: dict[str, Watermark] = {}
    for session, count in sorted(database.turn_counts().items()):
        key = SESSION_KEY + session
        finished = int(done.get(key, "0"))
        if count > finished:
            of_session.append(list(_readable(database.list_turns(session, since=finished))))
            marks[key] = _mark(key, str(count))
    of_session.sort(key=_began_at)
    return [turn for turns in of_session for turn in turns], marks


def _began_at(turns: Sequence[Turn]) -> dt.datetime:
    """Return when a session began, as far as its turns tell; of an unknown time it is before all others."""
    return min((turn.at for turn in turns if turn.at is not None), default=_UNKNOWN)


def _readable(turns: Iterable[Turn]) -> Iterator[Turn]:
    return (turn for turn in turns if turn.trust != Trust.QUARANTINED and not is_of_a_run(turn.text))
