"""Daily notes moved away once their week and month hold them, and back again: renames within one silo, nothing else."""

import datetime as dt
import errno
import json
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from typing import NamedTuple

from engram.base.text import sha256_hex
from engram.config.paths import Paths
from engram.errors import NotFoundError
from engram.errors import RefusedError
from engram.heartbeat.synthesis.rollup_sources import ARCHIVES
from engram.heartbeat.synthesis.rollup_sources import bytes_of
from engram.heartbeat.synthesis.rollup_sources import find_silos
from engram.heartbeat.synthesis.rollup_sources import is_led_away
from engram.heartbeat.synthesis.rollup_sources import why_not
from engram.heartbeat.synthesis.rollups import CONSUMER
from engram.model.conversation import Watermark
from engram.ports.database import FactDatabase
from engram.ports.text_files import TextFiles
from engram.rules.notes.rollup import month_of
from engram.rules.notes.rollup import sources_of
from engram.rules.notes.rollup import week_of
from engram.services.facts.sources.provenance import MOST_PLACES
from engram.services.facts.sources.provenance import MOVES
from engram.workspace import Workspace

_KEY: Final = "restored:"  # of a watermark, before the path of a note that a person wants where it is


class Move(NamedTuple):
    """One rename."""

    before: Path
    after: Path


def find_archivable(paths: Paths, before: dt.date, watermarks: Mapping[str, str]) -> list[Move]:
    """Return the moves of the notes older than a day that their week and month hold for good.

    That is so when the week names the note with the SHA-256 that it has, and the month does the same for the week. A
    note that was restored stays, and so does one whose place in the archives is taken.
    """
    old = {
        Move(file, silo / ARCHIVES / str(day.year) / file.name): (silo, day)
        for silo, files in sorted(find_silos(paths).items())
        for file, day in files
        if file.parent == silo and day < before
    }
    wanted = without_restored(paths, list(old), watermarks)
    return [move for move in wanted if _is_free(paths, move.after) and _is_covered(move.before, *old[move])]


def without_restored(paths: Paths, moves: Sequence[Move], watermarks: Mapping[str, str]) -> list[Move]:
    """Return the moves without those of notes that a person wants where they are."""
    return [move for move in moves if _KEY + paths.relative(move.before) not in watermarks]


def find_archived(paths: Paths, name: str = "") -> list[Move]:
    """Return the moves that bring archived notes back: of that path (where it was, or where it is), or of all.

    Without a name, those whose places are taken are left out. Raises NotFoundError when nothing of that name is
    archived, RefusedError when another file stands where the note was.
    """
    moves = [Move(file, file.parents[2] / file.name) for file in _iter_archived(paths)]
    if name:
        moves = [move for move in moves if name in {paths.relative(move.before), paths.relative(move.after)}]
        if not moves:
            raise NotFoundError(f"no archived note is called {name!r}", hint="engram note restore --all --dry-run")
        if taken := next((paths.relative(move.after) for move in moves if move.after.exists()), ""):
            raise RefusedError(f"{taken} is in the way", hint="move that file away first", path=taken)
    return [move for move in moves if not move.after.exists()]


def move_notes(files: TextFiles, moves: Sequence[Move]) -> list[tuple[Move, OSError]]:
    """Rename files, and return those that could not be, with why.

    One that is not there any more was moved by a run that was killed.
    """
    problems = []
    for move in moves:
        try:
            _rename(files, move)
        except OSError as problem:
            problems.append((move, problem))
        except RefusedError as link:
            problems.append((move, OSError(errno.ELOOP, link.message)))
    return problems


def _rename(files: TextFiles, move: Move) -> None:
    before, after = move
    if before.exists() and not after.exists():
        files.move(before, after)


def place_marks(paths: Paths, moves: Sequence[Move], database: FactDatabase) -> list[Watermark]:
    """Return the watermarks by which the words of a fact are found in a note that was moved."""
    known = database.watermarks(MOVES)
    marks = []
    for before, after in moves:
        path, place = paths.relative(before), paths.relative(after)
        places = [place, *(one for one in json.loads(known.get(path, "[]")) if one != place)]
        value = json.dumps(places[:MOST_PLACES])
        if value != known.get(path):
            marks.append(Watermark(consumer=MOVES, key=path, value=value))
    return marks


def restore_notes(workspace: Workspace, moves: Sequence[Move]) -> None:
    """Bring archived notes back, and note that they are to stay: first the note, so that a crash leaves them there."""
    paths = workspace.paths
    marks = [Watermark(consumer=CONSUMER, key=_KEY + paths.relative(move.after), value="kept") for move in moves]
    if moves:
        with workspace.writing("note restore") as recorder:
            recorder.record_together([], marks)
            for move, problem in move_notes(workspace.files, moves):
                path = paths.relative(move.before)
                raise RefusedError(f"{path} is not moved: {why_not(problem)}", path=path) from problem


def _iter_archived(paths: Paths) -> Iterator[Path]:
    for silo, files in sorted(find_silos(paths).items()):
        yield from (file for file, _ in files if file.parent != silo)


def _is_free(paths: Paths, place: Path) -> bool:
    try:
        return not (place.exists() or is_led_away(paths, place))
    except OSError:
        return False


def _is_covered(file: Path, silo: Path, day: dt.date) -> bool:
    week = week_of(day)
    weekly, monthly = silo / week.file, silo / month_of(week).file
    try:
        return _names(weekly, file) and _names(monthly, weekly)
    except OSError:
        return False  # which the roll-ups tell of


def _names(rollup: Path, file: Path) -> bool:
    text, data = bytes_of(rollup), bytes_of(file)
    if text is None or data is None:
        return False
    wanted = file.name, sha256_hex(data)
    return any((one.name, one.sha256) == wanted for one in sources_of(text.decode(errors="replace")))
