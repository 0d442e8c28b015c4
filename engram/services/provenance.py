"""Why a fact is believed: the chain of versions, each with its source, back to the bytes."""

from pathlib import Path
from typing import Any

from engram.base.text import sha256_hex
from engram.model.fact import Fact
from engram.model.fact import Source
from engram.ports.database import FactDatabase
from engram.services.listing import chain_of

MAX_QUOTE_BYTES = 4000  # of a source span that is shown


def explain_fact(database: FactDatabase, fact: Fact, root: Path) -> list[dict[str, Any]]:
    """Return one step per version up to the fact, newest first, each with the words that it rests on.

    `state` of a source: intact (the bytes are where they were), moved (the same bytes stand elsewhere in the file),
    changed (they are gone from the file), missing (so is the file), or stated (somebody said it; there is no file).
    """
    versions = [one for one in chain_of(database, fact) if one.version <= fact.version]
    usages = database.usages([one.id for one in versions])
    return [
        {
            "id": one.id,
            "text": one.text,
            "status": one.status,
            "recorded_at": one.model_dump(mode="json")["recorded_at"],
            "reason": one.reason,
            "supersedes": list(one.supersedes),
            "trust": one.trust,
            "source": {**one.source.model_dump(mode="json"), **read_source(database, one.source, root)},
            "confirmed": usages[one.id].confirm_count if one.id in usages else 0,
        }
        for one in reversed(versions)
    ]


def read_source(database: FactDatabase, source: Source, root: Path) -> dict[str, Any]:
    """Return {"state", "quote", "line"} of a source: its words as they stand now."""
    if source.turn is not None:
        turn = next((one for one in database.list_turns(source.session) if one.id == source.turn), None)
        return {"state": "intact" if turn else "missing", "quote": turn.text if turn else None, "line": None}
    if source.path is None or source.start is None or source.end is None:
        return {"state": "stated", "quote": None, "line": None}
    return _read_span(root / source.path, source)


def _read_span(path: Path, source: Source) -> dict[str, Any]:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return {"state": "missing", "quote": None, "line": None}
    begin, end = source.start or 0, source.end or 0
    if sha256_hex(data[begin:end]) == source.sha256:
        return _found(data, begin, end, "intact")
    width = end - begin
    for line_start in _line_starts(data):
        for at in range(line_start, min(line_start + 200, len(data) - width + 1)):
            if sha256_hex(data[at : at + width]) == source.sha256:
                return _found(data, at, at + width, "moved")
    return {"state": "changed", "quote": None, "line": None}


def _found(data: bytes, begin: int, end: int, state: str) -> dict[str, Any]:
    quote = data[begin : min(end, begin + MAX_QUOTE_BYTES)].decode("utf-8", errors="replace")
    return {"state": state, "quote": quote, "line": data.count(b"\n", 0, begin) + 1}


def _line_starts(data: bytes) -> list[int]:
    return [0, *(place + 1 for place, byte in enumerate(data) if byte == 0x0A)]
