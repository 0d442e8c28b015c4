"""Why a fact is believed: the chain of versions, each with its source, back to the bytes.

A source names the note in which it was read. When that note was renamed or put into archives since, extraction has left
word of where its entries went (the watermarks of `MOVES`), and the bytes are looked for there.
"""

import datetime as dt
import json
import re
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.base.text import sha256_hex
from engram.model.conversation import Turn
from engram.model.fact import Fact
from engram.model.fact import Source
from engram.ports.database import FactDatabase
from engram.ports.database import SliceKeys
from engram.ports.text_files import TextFiles
from engram.rules.notes.rotation import ARCHIVES
from engram.rules.temporal import standing
from engram.services.facts.listing import chain_of
from engram.services.silo.archives import archives_of

MAX_QUOTE_BYTES = 4000  # of a source span that is shown
MOVES: Final = "note-moves"  # consumer of the watermarks: path of a note -> JSON list of paths, the latest first
MOST_PLACES: Final = 20  # to which entries of one note went that are remembered
_BEFORE_QUOTE = 200  # bytes from the beginning of a line in which a quote is looked for
_LINE_BREAK = re.compile(rb"\r?\n")


class Located(NamedTuple):
    """Where the words of a source stand."""

    state: str  # intact or moved
    path: str  # of the file, relative to the workspace
    data: bytes  # of the file
    begin: int  # first byte
    end: int  # one past the last byte

    def line(self) -> int:
        """Return the line on which they begin, from 1."""
        return self.data.count(b"\n", 0, self.begin) + 1


def explain_fact(database: FactDatabase, fact: Fact, files: TextFiles, now: dt.datetime) -> list[dict[str, Any]]:
    """Return one step per version up to the fact, newest first, each with how it stands and the words it rests on.

    `state` of a source: intact (the bytes are where they were), moved (the same bytes stand elsewhere in the file, or
    in another), changed (they are gone from the file), missing (so is the file), or stated (somebody said it; there is
    no file). Of what is gone the quote is as it was read, and has no line.
    """
    versions = [one for one in chain_of(database, fact) if one.version <= fact.version]
    usages = database.usages([one.id for one in versions])
    return [
        {
            "id": one.id,
            "text": one.text,
            "status": standing(one, now).value,
            "recorded_at": one.model_dump(mode="json")["recorded_at"],
            "reason": one.reason,
            "supersedes": list(one.supersedes),
            "trust": one.trust,
            "source": {**one.source.model_dump(mode="json"), **read_source(database, one.source, files)},
            "confirmed": usages[one.id].confirm_count if one.id in usages else 0,
        }
        for one in reversed(versions)
    ]


def read_source(database: FactDatabase, source: Source, files: TextFiles) -> dict[str, Any]:
    """Return {"state", "quote", "line"} of a source: its words as they stand now; "found_in" when in another.

    Of words that are gone the quote is as it was read, and the line None: the fact stays, and they are no proof of it
    any more.
    """
    if source.turn is not None:
        turn = find_turn(database, source.turn)
        return _answer("intact" if turn else "missing", turn.text if turn else None)
    if source.path is None or source.start is None or source.end is None:
        return _answer("stated")
    found = locate(database, source, files)
    if found is not None:
        told = _found(found)
        return told if found.path == source.path else {**told, "found_in": found.path}
    is_gone = _read(files, source.path) is None
    return _answer("missing" if is_gone else "changed", _as_it_was_read(database, source))


def find_turn(database: FactDatabase, turn_id: str) -> Turn | None:
    """Return the turn of an id; None when it is not stored."""
    return database.load_slice(SliceKeys(turn_ids=frozenset({turn_id}))).turns.get(turn_id)


def locate(database: FactDatabase, source: Source, files: TextFiles) -> Located | None:
    """Return where the words of a source stand now; None when they are gone, or stand in no file."""
    if source.path is None or source.start is None or source.end is None:
        return None
    data = _read(files, source.path)
    if data is not None and (found := _find(data, source, source.path)):
        return found
    for path in _places(database, source.path, files):
        elsewhere = _read(files, path)
        if elsewhere is not None and (found := _find(elsewhere, source, path)):
            return found._replace(state="moved")
    return None


def _answer(state: str, quote: str | None = None, line: int | None = None) -> dict[str, Any]:
    return {"state": state, "quote": quote, "line": line}


def _as_it_was_read(database: FactDatabase, source: Source) -> str | None:
    """Return the words of a source out of the entry that they were read in, or that entry; None when nobody kept it."""
    begin, end = source.start or 0, source.end or 0
    for entry in database.find_notes([source.path or ""]):
        if entry.start <= begin and end <= entry.end:
            words = entry.text.encode()[begin - entry.start : end - entry.start]
            quote = words.decode("utf-8", errors="replace") if sha256_hex(words) == source.sha256 else entry.text
            return quote.encode()[:MAX_QUOTE_BYTES].decode("utf-8", errors="ignore")
    return None


def _read(files: TextFiles, path: str) -> bytes | None:
    try:
        return files.read_within(files.paths.root / path)
    except OSError:
        return None


def _places(database: FactDatabase, path: str, files: TextFiles) -> list[str]:
    """Return where the entries of a note went, and where those of these went, nearest first; then its archives."""
    went = {key: json.loads(places) for key, places in database.watermarks(MOVES).items()}
    found: dict[str, None] = {}
    waiting = [path]
    while waiting and len(found) < MOST_PLACES:
        for place in went.get(waiting.pop(0), ()):
            if place not in found and place != path:
                found[place] = None
                waiting.append(place)
    note = files.paths.root / path
    archives = archives_of(note, files.notes_in(note.parent / ARCHIVES))
    beside = (archive.relative_to(files.paths.root).as_posix() for archive in archives)
    return list(found | dict.fromkeys(beside))


def _find(data: bytes, source: Source, path: str) -> Located | None:
    """Return where the words of a source stand in a file, whatever line breaks the file has now."""
    begin, end = source.start or 0, source.end or 0
    if sha256_hex(data[begin:end]) == source.sha256:
        return Located("intact", path, data, begin, end)
    plain = _LINE_BREAK.sub(b"\n", data)
    for text in dict.fromkeys((data, plain, plain.replace(b"\n", b"\r\n"))):
        width = end - begin
        for line_start in _line_starts(text):
            for at in range(line_start, min(line_start + _BEFORE_QUOTE, len(text) - width + 1)):
                if sha256_hex(text[at : at + width]) == source.sha256:
                    return Located("moved", path, text, at, at + width)
    return None


def _found(place: Located) -> dict[str, Any]:
    last = min(place.end, place.begin + MAX_QUOTE_BYTES)
    quote = place.data[place.begin : last].decode("utf-8", errors="replace")
    return _answer(place.state, quote, place.line())


def _line_starts(data: bytes) -> list[int]:
    return [0, *(place + 1 for place, byte in enumerate(data) if byte == 0x0A)]
